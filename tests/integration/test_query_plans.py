"""Queries whose cost must not grow with the tables use an index: SQLite's plans contain no scan and no sorting.

Each query is captured as the code under test executes it, so that the plan is that of the real statement.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from orchestrator.database.models import Job, now
from orchestrator.results import repository as results
from orchestrator.results.answers import repository as answers
from orchestrator.results.digests import repository as digests
from orchestrator.results.freshness import repository as freshness
from orchestrator.runs import repository as runs
from orchestrator.runs.jobs import repository as jobs
from orchestrator.scheduler import repository as scheduler
from orchestrator.service.events import repository as events
from tests.support import postgresql
from tests.support.result_world import AGENT, World, make_world

RUN = "run000000001"

SMALL = ("SCAN item", "SCAN agents", "SCAN CONSTANT ROW", "SCAN keys")
"""Parameters of the statement, and tables with one row for each machine."""

QUERIES: dict[str, Callable[[Session], object]] = {
    "known_executions": lambda session: results.known_executions(session, [(1, 1, "timing"), (2, 1, "timing")]),
    "expectations": lambda session: digests.expectations(session, [("aes-128-ctr", "a" * 64)]),
    "noise_floors": lambda session: answers.noise_floors(session, [1, 2], 3),
    "event_range": scheduler.event_range,
    "delete_events_before": lambda session: scheduler.delete_events_before(session, 1),
    "next_jobs": lambda session: scheduler.next_jobs(session, AGENT, 2),
    "count_open_jobs": lambda session: scheduler.count_open_jobs(session, AGENT),
    "outdated_readings": lambda session: scheduler.outdated_readings(session, now(), 200_000, 1000),
    "incomplete_jobs": lambda session: jobs.incomplete_jobs(session, [1, 2]),
    "has_open_job": lambda session: runs.has_open_job(session, RUN),
    "note_progress": lambda session: events.note_progress(session, RUN, now()),
    "stale_cases": lambda session: freshness.stale_cases(session, 100),
    "count_changes": lambda session: freshness.count_changes(session, {1: 1}, now()),
}
REFERENCES = {
    "awaited_builds": "request_id",
    "executions": "inventory_id",
    "outbox": "job_id",
}


pytestmark = pytest.mark.skipif(postgresql.is_selected(), reason="the plans are those of SQLite")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = make_world(tmp_path_factory.mktemp("plans"))
    made.run(["own", "botan"])
    with made.database.write() as session:
        session.query(Job).update({"state": "waiting"})
    yield made
    made.database.close()


@contextmanager
def captured(world: World) -> Iterator[list[tuple[str, Any]]]:
    """Collect the statements that SQLite executes during the block, with their parameters."""
    found = list[tuple[str, Any]]()

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if re.match(r"\s*(SELECT|WITH|INSERT|UPDATE|DELETE)", statement):
            found.append((statement, parameters))

    event.listen(world.database.engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(world.database.engine, "before_cursor_execute", note)


@pytest.mark.parametrize("name", QUERIES)
def test_query_uses_an_index(world: World, name: str) -> None:
    with captured(world) as statements, world.database.write() as session:
        QUERIES[name](session)
        session.flush()
    assert statements
    steps = [step for statement, parameters in statements for step in plan(world, statement, parameters)]
    costly = [step for step in steps if re.match("SCAN|USE TEMP B-TREE FOR ORDER", step) and not step.startswith(SMALL)]
    # An index that is read in order until the first row or the LIMIT is no scan of the table.
    assert [step for step in costly if "ix_case_statistics_stale" not in step] == [], "\n".join(steps)


@pytest.mark.parametrize("table", REFERENCES)
def test_reference_has_an_index(world: World, table: str) -> None:
    column = REFERENCES[table]
    (step,) = plan(world, f"SELECT 1 FROM {table} WHERE {column} = 1", ())
    assert step.startswith(f"SEARCH {table} USING"), step


def plan(world: World, statement: str, parameters: Any) -> list[str]:
    """Return the steps of SQLite's plan for a statement."""
    with world.database.engine.connect() as connection:
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters or ())
        return [str(row[3]) for row in rows]
