"""Deletion of runs: who may delete which, and that every row and the space of the file go."""

import re
from typing import Any

import pytest
from fastapi.routing import iter_route_contexts
from sqlalchemy import func, select, text, update

from orchestrator.database.models import Base, Execution, Run
from orchestrator.results import ingest
from orchestrator.runs.deletion import repository, service
from orchestrator.service.security import tokens
from orchestrator.wire.records import RecordBatch
from tests.support import postgresql
from tests.support.database import Shape, fill
from tests.support.fleet import Fleet
from tests.support.result_world import AGENT

RUN = "gone00000001"
KEPT = "kept00000001"


def filled(fleet: Fleet, run_id: str = RUN, state: str = "finished", **how: Any) -> str:
    return fill(fleet.database, Shape(run_id=run_id, state=state, algorithms=("aes-128-ctr",), **how))


def rows(fleet: Fleet) -> dict[str, int]:
    """Return the number of rows of each table, except of those that the deletion itself writes."""
    with fleet.database.read() as session:
        return {
            table.name: session.scalar(select(func.count()).select_from(table)) or 0
            for table in Base.metadata.sorted_tables
            if table.name not in ("events", "api_tokens", "audit_entries", "runs")
        }


def delete(fleet: Fleet, run_id: str, role: tokens.Role = "admin") -> Any:
    return fleet.served.client(role).delete(f"/api/v1/runs/{run_id}")


def test_deleted_run_disappears_immediately_and_its_rows_follow(fleet: Fleet) -> None:
    filled(fleet, KEPT)
    before = rows(fleet)
    filled(fleet)
    assert rows(fleet)["curves"] > before["curves"]
    assert delete(fleet, RUN).status_code == 204
    assert fleet.submitter.get(f"/api/v1/runs/{RUN}").status_code == 404
    assert fleet.submitter.get(f"/api/v1/runs/{RUN}/answer").status_code == 404
    assert [run["id"] for run in fleet.submitter.get("/api/v1/runs").json()["items"]] == [KEPT]
    assert service.execute(fleet.database, seconds=60) > 0
    assert rows(fleet) == before
    with fleet.database.read() as session:
        assert session.scalars(text("SELECT id FROM events WHERE run_id = :run").bindparams(run=RUN)).all() == []


def test_nothing_answers_for_a_deleted_run_while_its_rows_remain(fleet: Fleet) -> None:
    filled(fleet)
    routes = [context for context in iter_route_contexts(fleet.served.app.routes) if "GET" in (context.methods or ())]
    paths = [str(context.path_format) for context in routes]
    of_run = [path for path in paths if path.startswith("/api/") and re.findall(r"\{(\w+)\}", path) == ["run_id"]]
    assert "/api/v1/runs/{run_id}/preflight" in of_run
    delete(fleet, RUN)
    codes = {path: fleet.submitter.get(path.format(run_id=RUN)).status_code for path in of_run}
    assert {path: code for path, code in codes.items() if code != 404} == {}


def test_transactions_are_bounded_and_an_interrupted_deletion_continues(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(fleet)
    delete(fleet, RUN)
    monkeypatch.setattr(repository, "ROWS_PER_TRANSACTION", 7)
    with fleet.database.write() as session:
        total = session.query(Execution).count()
        assert repository.delete_part(session, RUN) == 7
    assert service.execute(fleet.database, seconds=0) == 0
    with fleet.database.read() as session:
        assert session.query(Execution).count() == total - 7
    service.execute(fleet.database, seconds=60)
    with fleet.database.read() as session:
        assert session.get_one(Run, RUN).erased_at is not None
    assert service.execute(fleet.database, seconds=60) == 0


def test_deleted_run_leaves_a_trace_in_the_answers_of_others(fleet: Fleet) -> None:
    # Finding S110: measuring until it suits left no trace.
    filled(fleet, KEPT)
    filled(fleet, "gone00000002", "cancelled")
    filled(fleet)
    fleet.execute(update(Run).values(measurement_sha256="1" * 64))
    assert delete(fleet, RUN).status_code == 204
    service.execute(fleet.database, seconds=60)
    problem = fleet.submitter.get(f"/api/v1/runs/{RUN}").json()
    assert (problem["status"], "was deleted on" in problem["detail"]) == (404, True)
    assert "finished after 192 of 192 executions" in problem["detail"]
    words = "2 other runs of the same measurement: 1 cancelled and 1 deleted."
    answer = fleet.submitter.get(f"/api/v1/runs/{KEPT}/answer").json()
    assert answer["repetitions"]["sentence"] == words
    assert words in fleet.submitter.get(f"/runs/{KEPT}/answer", headers={"Accept": "text/html"}).text
    stopped = fleet.submitter.get("/api/v1/runs/gone00000002/answer").json()["agents"][0]["sentence"]
    assert stopped.startswith("Stopped after 192 of 192 executions (cancelled). On ")
    fleet.served.admin.post("/api/v1/runs/gone00000002/resume").raise_for_status()
    resumed = fleet.submitter.get("/api/v1/runs/gone00000002/answer").json()["agents"][0]["sentence"]
    assert resumed.startswith("Resumed 1 time. On ")


def test_run_that_has_not_ended_is_refused(fleet: Fleet) -> None:
    filled(fleet, state="paused")
    answer = delete(fleet, RUN)
    assert answer.status_code == 409
    assert "Cancel it first" in answer.json()["remedy"]
    assert fleet.submitter.get(f"/api/v1/runs/{RUN}").status_code == 200


def test_late_record_of_a_deleted_run_is_refused_with_the_reason(fleet: Fleet) -> None:
    from tests.support.result_world import record

    filled(fleet)
    delete(fleet, RUN)
    service.execute(fleet.database, seconds=60)
    answer = ingest.store(fleet.database, AGENT, RecordBatch(records=[record(1)]))
    assert answer.refused == {"1/1/timing": "no run has this execution"}


@pytest.mark.skipif(postgresql.is_selected(), reason="PostgreSQL has autovacuum")
def test_file_shrinks_after_a_deletion(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "KEPT_FREE_PAGES", 10)
    file = fleet.served.settings.data_folder / "ciphermark.sqlite"
    filled(fleet, repetitions=60)
    with fleet.database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    full = file.stat().st_size
    delete(fleet, RUN)
    while service.execute(fleet.database, seconds=60):
        pass
    service.execute(fleet.database, seconds=60)
    with fleet.database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        assert connection.exec_driver_sql("PRAGMA freelist_count").scalar() <= 10
    assert file.stat().st_size < full / 2
