"""Share links on a network: they show one run, until they expire or are revoked, and nothing else."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from orchestrator.service.security import tokens
from tests.support.database import Shape, fill
from tests.support.live_service import Served, serve

RUN, OTHER = "shared000001", "other0000001"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("shared")
    with serve(folder, cache_folder=folder / "cache", host="0.0.0.0", insecure_lan=True) as served:
        for run_id in (RUN, OTHER):
            fill(served.database, Shape(run_id=run_id, name=run_id, repetitions=6))
        yield served


def share(client: httpx.Client, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/api/v1/runs/{RUN}/shares", json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def opened(served: Served, path: str, **headers: str) -> httpx.Response:
    return served.client().get(path, headers=headers)


def test_a_link_shows_its_run_to_a_reader_without_an_account(served: Served) -> None:
    path = share(served.client("submitter"))["path"]
    page = opened(served, path)
    assert page.status_code == 200
    assert "highest encryption throughput" in page.text
    assert 'href="/' not in page.text
    assert (page.headers["referrer-policy"], page.headers["cache-control"]) == ("no-referrer", "no-store")
    assert page.headers["content-security-policy"] == "frame-ancestors 'none'"


def test_its_token_reads_nothing_but_the_run(served: Served) -> None:
    bearer = {"authorization": f"Bearer {share(served.client('submitter'))['token']}"}
    paths = {
        f"/api/v1/runs/{RUN}/answer": 200, f"/runs/{RUN}": 200, f"/api/v1/runs/{OTHER}/answer": 403,
        f"/runs/{OTHER}": 403, "/api/v1/runs": 403, f"/compare?run={RUN}&run={OTHER}": 403, "/api/v1/agents": 403,
    }  # fmt: skip
    assert {path: opened(served, path, **bearer).status_code for path in paths} == paths
    with served.client() as stranger:
        assert stranger.post(f"/api/v1/runs/{RUN}/cancel", headers=bearer, json={}).status_code == 403
        assert stranger.post("/api/v1/sessions", json={"token": bearer["authorization"][7:]}).status_code == 403


@pytest.mark.parametrize("ending", ["revoked", "expired", "its maker was revoked", "guessed"])
def test_an_ended_and_a_guessed_link_are_refused_alike(served: Served, ending: str) -> None:
    with served.client("submitter") as owner, served.client("admin") as admin:
        made = share(owner)
        path = made["path"]
        if ending == "revoked":
            assert owner.delete(f"/api/v1/runs/{RUN}/shares/{made['id']}").status_code == 204
            assert owner.get("/api/v1/runs").status_code == 200  # only the link ended
        elif ending == "expired":
            with served.database.write() as session:
                _, plain = tokens.create_share(session, RUN, "x", None, timedelta(seconds=-1))
            path = f"/shared/{plain}"
        elif ending == "guessed":
            path = f"{path[:-4]}AAAA"
        else:
            assert admin.delete(f"/api/v1/tokens/{made['family_id']}").status_code == 204
        entries = admin.get("/api/v1/audit").json()["items"]
    refused = opened(served, path)
    assert refused.status_code == 401
    assert refused.json()["detail"] == "This link is not valid: it is mistyped, or it has expired or was revoked."
    with served.client("admin") as admin:
        assert path.removeprefix("/shared/") not in admin.get("/api/v1/audit").text
        assert len(admin.get("/api/v1/audit").json()["items"]) >= len(entries)


def test_links_of_a_deleted_run_name_the_reason(served: Served) -> None:
    fill(served.database, Shape(run_id="deleted00001", name="deleted", repetitions=6))
    with served.client("admin") as owner:
        path = owner.post("/api/v1/runs/deleted00001/shares", json={}).json()["path"]
        assert owner.delete("/api/v1/runs/deleted00001", headers={"content-type": "application/json"}).is_success
    gone = opened(served, path)
    assert (gone.status_code, "was deleted on" in gone.text) == (404, True)
