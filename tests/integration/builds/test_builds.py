import hashlib
import subprocess
from pathlib import Path

from orchestrator.compilation.runner_sources import source_sha256
from tests.support.agent_reports import build, enroll, proof
from tests.support.live_service import Served


class TestBuilds:
    def test_a_newer_build_of_the_same_toolchain_replaces_the_older(self, served: Served) -> None:
        client, identity = enroll(served)
        for key, toolchain in (("a", {}), ("b", {"optimization": "O3"}), ("c", {})):
            assert client.post("/api/v1/builds", json=build(key * 64, **toolchain)).status_code == 200
        # The older build is reported again after the compiler was restored, and is the current one again.
        current = _current(served.viewer.get("/api/v1/builds").json()["items"])
        client.post("/api/v1/builds", json=build("a" * 64))
        restored = _current(served.viewer.get(f"/api/v1/builds?agent_id={identity['agent_id']}").json()["items"])
        assert (current, restored) == ({"b" * 64, "c" * 64}, {"a" * 64, "b" * 64})

    def test_proofs_are_counted_and_a_later_one_replaces_the_earlier(self, served: Served) -> None:
        client, identity = enroll(served)
        build_id = client.post("/api/v1/builds", json=build()).json()["id"]
        path = f"/api/v1/builds/{'b' * 64}/proofs"
        client.post(path, json={"proofs": [proof(passed=False), proof("aes-128-ecb")]})
        client.post(path, json={"proofs": [proof(passed=True)]})
        shown = served.viewer.get(f"/api/v1/builds/{build_id}").json()
        listed = served.viewer.get(f"/api/v1/builds/{build_id}/proofs").json()
        agent = served.viewer.get(f"/api/v1/agents/{identity['agent_id']}").json()
        assert (shown["proofs_passed"], shown["proofs_failed"]) == (2, 0)
        assert shown["runners"]["own"]["listing"]["implementations"][0]["algorithm"] == "aes-128-ctr"
        assert [(one["algorithm"], one["passed"]) for one in listed] == [("aes-128-ctr", True), ("aes-128-ecb", True)]
        assert agent["builds"][0]["proofs_passed"] == 2

    def test_proofs_and_calibrations_of_an_unknown_build_are_refused(self, served: Served) -> None:
        client, _ = enroll(served)
        calibration = {"build_key": "f" * 64, "kind": "noop", "value": 1.0, "unit": "ns"}
        assert client.post(f"/api/v1/builds/{'f' * 64}/proofs", json={"proofs": [proof()]}).status_code == 404
        assert client.post("/api/v1/calibrations", json=calibration).status_code == 404

    def test_the_latest_calibration_of_each_kind_is_shown(self, served: Served) -> None:
        client, identity = enroll(served)
        client.post("/api/v1/builds", json=build())
        for value in (0.02, 0.01):
            report = {"build_key": "b" * 64, "kind": "noise-floor", "value": value, "unit": "share of work_wall_ns"}
            assert client.post("/api/v1/calibrations", json=report).status_code == 200
        agent = served.viewer.get(f"/api/v1/agents/{identity['agent_id']}").json()
        assert [(one["kind"], one["value"]) for one in agent["calibrations"]] == [("noise-floor", 0.01)]
        # A daemon that starts again sends the calibration of this boot again.
        assert client.post("/api/v1/calibrations", json=report).status_code == 200
        assert client.get(f"/api/v1/agents/{agent['id']}").json()["calibrations"] == agent["calibrations"]


class TestDownloads:
    def test_source_matches_its_manifest_entry(self, served: Served, tmp_path: Path) -> None:
        client, _ = enroll(served)
        sent = client.get("/api/v1/downloads/runner-source").content
        listed = client.get("/api/v1/downloads").json()
        entry = listed["runner_source"]
        assert (entry["sha256"], entry["size_bytes"]) == (hashlib.sha256(sent).hexdigest(), len(sent))
        # The program that a person would use; Python's own names its safety differently from version to version.
        subprocess.run(["tar", "-xzf", "-", "-C", tmp_path], input=sent, check=True)
        assert source_sha256(tmp_path / "runners") == entry["source_sha256"]
        assert listed["agent_wheel"] is not None or listed["absent"]["agent_wheel"]


def _current(builds: list[dict[str, object]]) -> set[object]:
    return {one["build_key"] for one in builds if one["current"]}
