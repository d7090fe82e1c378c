"""Watches over HTTP: added, listed, changed, removed; bad requests are refused before anything is stored."""

from typing import Any

import pytest
from sqlalchemy import func, select

from orchestrator.database.models import Run, Watch, WatchCase, WatchLook, WatchRun
from tests.support.fleet import plan
from tests.support.watched_fleet import WatchedFleet


def stored(watched: WatchedFleet) -> int:
    with watched.fleet.database.read() as session:
        return session.scalar(select(func.count()).select_from(Watch)) or 0


@pytest.mark.parametrize(
    ("given", "status", "words"),
    [
        ({"every_seconds": None}, 422, "exactly one of every_seconds and on_build"),
        ({"on_build": True}, 422, "exactly one of every_seconds and on_build"),
        ({"every_seconds": 60}, 422, "expected at least 600 (10m)"),
        ({"name": "Nightly run"}, 422, "name"),
        ({"baseline_run_id": "nothing00000"}, 404, "There is no run 'nothing00000'"),
        ({"baseline_tag": "main"}, 404, "No finished run has the tag 'main'"),
        ({"baseline_tag": "main", "baseline_run_id": "nothing00000"}, 422, "a watch has one baseline"),
        ({"plan": plan(agents=["elsewhere"])}, 422, "elsewhere"),
        ({"plan": {"version": 1}}, 422, "repetitions"),
        ({"outlets": [{"kind": "webhook", "target": "https://10.0.0.1/hook"}]}, 422, "which is not public"),
        ({"outlets": [{"kind": "webhook", "target": "file:///etc/passwd"}]}, 422, "expected is https://host/path"),
        ({"outlets": [{"kind": "email", "target": "dev@example.org"}]}, 403, "Only an admin"),
        ({"outlets": [{"kind": "file", "target": "/etc/passwd"}]}, 422, "has no target"),
        ({"outlets": [{"kind": "pager"}]}, 422, "webhook"),
        ({"measure": "code-size"}, 422, "cannot be compared by the measure 'code-size'"),
    ],
)
def test_bad_request_is_refused_and_nothing_is_stored(
    unchanged: WatchedFleet, given: dict[str, Any], status: int, words: str
) -> None:
    answer = unchanged.post(**given)
    assert answer.status_code == status, answer.text
    assert words in answer.text
    assert stored(unchanged) == 0


def test_unfinished_baseline_and_a_taken_name_are_conflicts(watched: WatchedFleet) -> None:
    run_id = watched.fleet.submit()
    answer = watched.post(baseline_run_id=run_id)
    assert (answer.status_code, answer.json()["detail"]) == (409, f"The baseline, run {run_id}, is planned.")
    watched.add()
    answer = watched.post()
    assert (answer.status_code, answer.json()["field"]) == (409, "name")
    assert stored(watched) == 1


def test_removed_watch_leaves_its_runs(watched: WatchedFleet) -> None:
    watched.add()
    watched.look()
    assert watched.fleet.submitter.delete("/api/v1/watches/nightly").status_code == 204
    assert watched.fleet.submitter.get("/api/v1/watches/nightly").status_code == 404
    with watched.fleet.database.read() as session:
        counts = [session.scalar(select(func.count()).select_from(table)) for table in (WatchLook, WatchRun, WatchCase)]
        assert counts == [0, 0, 0]
        assert session.scalar(select(func.count()).select_from(Run)) == 1
    watched.advance()
