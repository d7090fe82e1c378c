"""Statistics are computed after the transaction that stores records, and readers see how far they are behind."""

from itertools import count
from typing import Any

from sqlalchemy import event, select

from orchestrator.database.models import CaseStatistics, Event, Run, now
from orchestrator.results.cases import service as cases
from orchestrator.results.cases.repository import CaseFilter, Sorting
from orchestrator.results.freshness import repository, service
from orchestrator.results.freshness.service import StatisticsStep, catch_up
from tests.support.result_world import World, record

RUN = "run000000001"


def stored(world: World, case_id: int) -> CaseStatistics:
    """Return the stored statistics, without including changes first."""
    with world.database.read() as session:
        return session.get_one(CaseStatistics, case_id)


def lag(world: World) -> int:
    with world.database.read() as session:
        return repository.lag(session, RUN)[0].changes


def test_storing_records_reads_no_earlier_execution(world: World) -> None:
    # G1: each batch read every earlier execution of its cases under the write lock: 13.9 s at a million.
    case_id = world.run(["own"], repetitions=30)["own"]
    world.store(*(record(case_id, i) for i in range(1, 21)))
    read = list[str]()

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        read.append(statement)

    event.listen(world.database.engine, "before_cursor_execute", note)
    world.store(record(case_id, 21))
    assert not [text for text in read if "executions.case_id IN" in text]
    assert stored(world, case_id).ok == 0
    assert (stored(world, case_id).changes, stored(world, case_id).included, lag(world)) == (21, 0, 21)


def test_reader_includes_the_changes_of_a_small_run(world: World) -> None:
    case_id = world.run(["own"])["own"]
    world.store(*(record(case_id, i) for i in (1, 2)))
    (row,) = cases.list_cases(world.database, CaseFilter(RUN), None, 10).items
    assert row.summary is not None
    assert (row.summary.ok, row.summary.stale_since, lag(world)) == (2, None, 0)


def test_reader_of_a_large_run_sees_how_far_the_statistics_are_behind(world: World) -> None:
    case_id = world.run(["own"], repetitions=7)["own"]
    world.store(*(record(case_id, i) for i in (1, 2)))
    assert StatisticsStep(world.database).step() == 1
    with world.database.write() as session:
        session.query(CaseStatistics).update({"ok": service.READ_EXECUTIONS + 1})
    world.store(record(case_id, 3, work_wall_ns=1))
    behind = catch_up(world.database, RUN)
    with world.database.read() as session:
        (row,), _ = cases.list_sorted_cases(session, "process", CaseFilter(RUN), Sorting(), offset=0, limit=10)
    assert row.summary is not None
    assert (row.summary.median_work_wall_ns, behind.changes) == (2_000_000, 1)
    assert row.summary.stale_since == behind.since is not None


def test_scheduler_includes_changes_and_then_rests(world: World) -> None:
    ids = world.run(["own", "botan"])
    for case_id in ids.values():
        world.store(*(record(case_id, i) for i in (1, 2, 3)))
    clock = count(start=100.0)  # A step that includes changes takes one second.
    step = StatisticsStep(world.database, lambda: next(clock))
    assert (step.step(), lag(world)) == (2, 0)
    assert [stored(world, case_id).ok for case_id in ids.values()] == [3, 3]
    world.store(record(ids["own"], 4))
    rest_seconds = round(1 / service.BUSY_SHARE - 1)
    for _ in range(rest_seconds - 1):
        assert (step.step(), lag(world)) == (0, 1)
    assert (step.step(), lag(world)) == (1, 0)
    with world.database.read() as session:
        kinds = list(session.scalars(select(Event.kind).where(Event.run_id == RUN)))
    assert "progress" in kinds


def test_changes_during_the_computation_stay_to_be_included(world: World) -> None:
    case_id = world.run(["own"])["own"]
    world.store(record(case_id, 1))
    with world.database.read() as session:
        (seen,) = repository.stale_cases_of_run(session, RUN)
        rows = service._rows_by_case(session, [case_id])
    world.store(record(case_id, 2))
    figures = {case_id: service.statistics_of(rows[case_id])}
    with world.database.write() as session:
        assert repository.store_statistics(session, figures, {case_id: seen.changes}, now()) == 1
    kept = stored(world, case_id)
    assert (kept.ok, kept.included, kept.changes) == (1, 1, 2)
    assert kept.stale_since is not None
    assert world.summary(case_id).ok == 2


def test_older_figures_do_not_replace_newer_ones(world: World) -> None:
    case_id = world.run(["own"])["own"]
    world.store(record(case_id, 1))
    with world.database.read() as session:
        old = {case_id: service.statistics_of(service._rows_by_case(session, [case_id])[case_id])}
    world.store(record(case_id, 2))
    assert world.summary(case_id).ok == 2
    with world.database.write() as session:
        assert repository.store_statistics(session, old, {case_id: 1}, now()) == 0
    assert stored(world, case_id).ok == 2


def test_agent_that_waits_for_a_round_gets_its_statistics_without_a_rest(world: World) -> None:
    case_id = world.run(["own"], repetitions=2)["own"]
    with world.database.write() as session:
        session.query(Run).update({"rounds_open": True})
    step = StatisticsStep(world.database)
    world.store(record(case_id, 1))
    assert (step.step(), lag(world)) == (1, 0)
    world.store(record(case_id, 2))
    assert (step.step(), lag(world)) == (1, 0)
