"""Runs, jobs and statistics of earlier versions after 0010 (faults), 0011 (statistics), 0016 and 0017 (generations)."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import MetaData, Table, inspect, select

from orchestrator.database import generation
from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date
from orchestrator.database.models import CaseStatistics, Execution, Generation, Job, Run
from orchestrator.results.freshness.service import catch_up
from orchestrator.runs.deletion import repository as deletion
from tests.support.earlier_database import downgraded, earlier_database, migrated

pytestmark = pytest.mark.long  # a migration that no commit changes any more

RUN, AGENT = "r" * 12, "a" * 12


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A database of revision 0009 with a running run of two jobs and its statistics."""
    return earlier_database(tmp_path, "0009", [
        ("agents", {"id": AGENT, "name": "pi"}),
        ("runs", {"id": RUN, "name": "old", "state": "running", "executions_total": 3}),
        ("builds", {"id": 1, "agent_id": AGENT, "build_key": "b" * 64}),
        ("jobs", {"id": 1, "run_id": RUN, "agent_id": AGENT, "number": 0, "state": "running", "attempts": 3}),
        ("jobs", {"id": 2, "run_id": RUN, "agent_id": AGENT, "number": 1, "state": "waiting", "attempts": 2}),
        ("cases", {"id": 1, "run_id": RUN, "agent_id": AGENT, "build_id": 1, "protocol": "process"}),
        ("executions", {"id": 1, "run_id": RUN, "case_id": 1, "job_id": 1, "repetition": 1, "purpose": "timing",
                        "state": "ok", "attempt": 3}),
        ("case_statistics", {"case_id": 1, "ok": 1, "median_work_wall_ns": 5.0}),
    ])  # fmt: skip


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    with migrated(url) as database:
        yield database


def test_earlier_crashes_of_running_jobs_count_as_fruitless(database: Database) -> None:
    with database.read() as session:
        jobs = session.execute(
            select(Job.id, Job.attempts, Job.fruitless_attempts, Job.records_before).order_by(Job.id)
        )
        assert [tuple(row) for row in jobs] == [(1, 3, 2, 0), (2, 2, 0, 0)]
        assert session.scalars(select(Execution.earlier_attempts)).all() == [None]


def test_earlier_statistics_are_not_stale_and_stay(database: Database) -> None:
    lag = catch_up(database, RUN)
    assert (lag.changes, lag.since) == (0, None)
    columns = (CaseStatistics.changes, CaseStatistics.included, CaseStatistics.stale_since)
    with database.read() as session:
        rows = session.execute(select(*columns, CaseStatistics.median_work_wall_ns))
        assert [tuple(row) for row in rows] == [(0, 0, None, 5.0)]


def test_no_earlier_run_is_deleted(database: Database) -> None:
    with database.read() as session:
        assert session.execute(select(Run.id, Run.deleted_at)).all() == [(RUN, None)]
        assert deletion.next_deleted(session) is None


def test_earlier_database_has_its_first_generation(database: Database, tmp_path: Path) -> None:
    found: list[Generation] = []
    with migrated(f"sqlite:///{tmp_path / 'other.sqlite'}") as other:
        for one in (database, other):
            with one.read() as session:
                found.append(generation.current(session))
    assert [(one.first_id, one.backup_made_at) for one in found] == [(1, None)] * 2
    assert all(re.fullmatch("[0-9a-f]{32}", one.epoch) for one in found)
    assert found[0].epoch != found[1].epoch


@pytest.mark.parametrize("revision", ["0016", "0015", "0010", "0009"])
def test_downgrade_keeps_runs_jobs_and_results(url: str, revision: str) -> None:
    bring_up_to_date(url)
    with downgraded(url, revision) as connection:
        found = inspect(connection)
        columns = {table: {one["name"] for one in found.get_columns(table)} for table in found.get_table_names()}
        assert "generations" not in columns
        assert ("deleted_at" in columns["runs"]) == (revision == "0016")
        assert "stale_since" in columns["case_statistics"] or revision in ("0010", "0009")
        assert ("fruitless_attempts" in columns["jobs"]) == (revision != "0009")
        for name, number in (("runs", 1), ("jobs", 2), ("executions", 1), ("case_statistics", 1)):
            table = Table(name, MetaData(), autoload_with=connection)
            assert len(connection.execute(select(table)).all()) == number
    bring_up_to_date(url)
