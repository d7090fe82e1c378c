"""Source code of builds: measured by the scheduler, listed by the API."""

from orchestrator.compilation.runner_sources import source_sha256
from orchestrator.scheduler.background import source_step
from orchestrator.shared.resources import shipped
from tests.support.agent_reports import build, enroll
from tests.support.live_service import Served
from tests.support.waiting import until


def test_figures_of_a_reported_build(served: Served) -> None:
    client, _ = enroll(served)
    report = build() | {"source_sha256": source_sha256(shipped("runners"))}
    listing = report["runners"][0]["listing"]
    report["runners"].append({**report["runners"][0], "provider": "botan", "listing": {**listing, "provider": "botan"}})
    measurer = source_step(served.database)
    path = f"/api/v1/builds/{client.post('/api/v1/builds', json=report).json()['id']}/sources"
    assert served.viewer.get(path).json() == []
    measurer.step()
    until(lambda: served.viewer.get(path).json(), "the figures of the build")
    measurer.close()
    botan, own = served.viewer.get(path).json()
    assert served.viewer.get("/api/v1/builds/999/sources").status_code == 404
    assert (own["provider"], own["algorithm"], own["variant"], own["reason"]) == ("own", "aes-128-ctr", "ref", "")
    assert "src/ciphers/block/aes/ref.cpp" in own["source"]["files"]
    assert 0 < own["source"]["gzip_bytes"] < own["source"]["raw_bytes"]
    assert own["source"]["source_lines"] + own["source"]["comment_lines"] > 0.8 * own["source"]["physical_lines"]
    assert (botan["source"], botan["reason"]) == (
        None, "this service does not have its source code: that of a library, or of a runner of its own",
    )  # fmt: skip


def test_build_of_other_sources_has_the_reason(served: Served) -> None:
    client, _ = enroll(served)
    measurer = source_step(served.database)
    path = f"/api/v1/builds/{client.post('/api/v1/builds', json=build()).json()['id']}/sources"
    measurer.step()
    (found,) = until(lambda: served.viewer.get(path).json(), "the figures of the build")
    measurer.close()
    assert (found["source"], found["reason"]) == (None, "its sources are not those of this service")
