"""Rounds: cases are repeated until they are precise enough, with schedulers that crash or run in parallel."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import delete, event, insert, select, update

from orchestrator.database.models import Case, CaseStatistics, Execution, Job, Run, now
from orchestrator.runs.jobs.service import settle
from orchestrator.runs.scheduling.lease import LEASE_DURATION
from orchestrator.runs.scheduling.rounds import lay_out_rounds
from orchestrator.runs.state import OPEN_JOBS
from tests.support.fleet import Fleet, open_fleet


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """One fleet for all tests: their runs are independent, and each ends."""
    with open_fleet(tmp_path_factory.mktemp("fleet")) as opened:
        yield opened


Widths = Callable[[int, int], float | None]
"""(case number, repetitions) → relative interval; None: none of its executions is ok."""


def precise(maximum: int = 40, **given: Any) -> dict[str, Any]:
    """Return a plan with a precision."""
    precision = {"relative_interval": 0.01, "max_repetitions": maximum, **given.pop("precision", {})}
    return {"repetitions": 6, "seed": 5, **given, "precision": precision}


def execute(fleet: Fleet, run_id: str, widths: Widths, wall_ns: int = 1_000_000) -> None:
    """End every waiting execution of a run, as the arrival of its records does."""
    with fleet.database.write() as session:
        waiting = (Execution.run_id == run_id, Execution.state == "waiting")
        session.execute(update(Execution).where(*waiting).values(state="ok", process_wall_ns=wall_ns))
        cases = session.execute(select(Case.id, Case.number).where(Case.run_id == run_id)).all()
        session.execute(delete(CaseStatistics).where(CaseStatistics.case_id.in_([case.id for case in cases])))
        for case in cases:
            timed = (Execution.case_id == case.id, Execution.purpose == "timing")
            count = len(session.scalars(select(Execution.id).where(*timed)).all())
            width = widths(case.number, count)
            if width is None:
                session.execute(update(Execution).where(*timed).values(state="failed"))
            session.execute(insert(CaseStatistics).values(case_id=case.id, ok=count, relative_interval=width))
        jobs = session.scalars(select(Job.id).where(Job.run_id == run_id, Job.state.in_(OPEN_JOBS))).all()
        settle(session, jobs)


def repetitions(fleet: Fleet, run_id: str) -> dict[int, int]:
    """Return the number of timed executions by case number."""
    with fleet.database.read() as session:
        rows = session.execute(
            select(Case.number).join(Execution).where(Case.run_id == run_id, Execution.purpose == "timing")
        )
        return dict(Counter(row.number for row in rows))


def stopped(fleet: Fleet, run_id: str) -> dict[int, str | None]:
    page = fleet.submitter.get(f"/api/v1/runs/{run_id}/cases").raise_for_status().json()
    return {case["number"]: case["stop_reason"] for case in page["items"]}


def listed(fleet: Fleet, run_id: str) -> dict[str, Any]:
    """Return a run as the list of runs shows it."""
    page = fleet.submitter.get("/api/v1/runs").raise_for_status().json()
    return next(run for run in page["items"] if run["id"] == run_id)


def by_number(number: int, _count: int) -> float | None:
    """Cases 0 and 1 are precise from the first block, 2 and 3 after 9 repetitions, 4 never, 5 to 7 after 12."""
    needed = {0: 1, 1: 1, 2: 9, 3: 9, 4: 10_000}.get(number, 12)
    return 0.01 * (needed / _count) ** 0.5


def to_the_end(fleet: Fleet, run_id: str, widths: Widths, rounds: int = 20) -> int:
    """Execute and lay out until the run has ended; return the number of rounds."""
    for done in range(rounds):
        execute(fleet, run_id, widths)
        if fleet.run(run_id)["state"] != "running":
            return done
        lay_out_rounds(fleet.database, fleet.served.settings)
    raise AssertionError(f"not at its end after {rounds} rounds")


class TestRounds:
    def test_case_stops_when_it_is_precise_or_at_a_limit_after_complete_blocks(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out(**precise())
        execute(fleet, run_id, by_number)
        between = fleet.run(run_id)
        assert (between["state"], between["progress"]["waiting"], between["precision"]["open"]) == ("running", 0, 8)
        assert "get more executions" in between["progress"]["basis"]
        assert to_the_end(fleet, run_id, by_number) < 10
        assert stopped(fleet, run_id) == {4: "maximum", **dict.fromkeys((0, 1, 2, 3, 5, 6, 7), "reached")}
        counts = repetitions(fleet, run_id)
        assert (counts[0], counts[1], counts[4]) == (6, 6, 40)
        assert 9 <= counts[2] == counts[3] <= 12 <= counts[5] == counts[6] <= 16
        run = fleet.run(run_id)
        assert run["state"] == "finished"
        assert "get more executions" not in run["progress"]["basis"]
        assert run["precision"] == {
            "relative_interval": 0.01, "open": 0, "reached": 7, "maximum": 1, "budget": 0, "failing": 0, "lost": 0,
            "widest": pytest.approx(0.01 * (10_000 / 40) ** 0.5),
            "sentence": "7 of 8 cases are precise to ± 1 %; 1 stopped at 40 repetitions; the widest interval of those "
                        "that stopped early is ± 15.8 %.",
        }  # fmt: skip
        assert run["executions_total"] == sum(counts.values()) == run["progress"]["done"]
        assert listed(fleet, run_id)["executions_done"] == run["executions_total"]
        placed = fleet.order(run_id)
        assert [position for position, _, _ in placed] == list(range(len(placed)))
        in_order = [repetition for _, _, repetition in placed]
        assert in_order == sorted(in_order)
        numbers = fleet.jobs(run_id)
        assert [job["number"] for job in numbers] == list(range(len(numbers)))

    def test_rounds_have_timed_executions_only(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out(**precise(warm_up=1, memory="apart", memory_repetitions=2, energy={"windows": 1}))
        to_the_end(fleet, run_id, by_number)
        with fleet.database.read() as session:
            found = Counter(session.scalars(select(Execution.purpose).where(Execution.run_id == run_id)))
        assert (found["warm-up"], found["memory"], found["energy"]) == (8, 16, 8)
        assert found["timing"] == sum(repetitions(fleet, run_id).values())
        assert fleet.run(run_id)["executions_total"] == found.total()

    def test_budget_stops_a_case(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out(**precise(precision={"seconds_per_case": 0.02}))
        to_the_end(fleet, run_id, lambda _number, _count: 0.5)  # 1 ms each
        assert set(stopped(fleet, run_id).values()) == {"budget"}
        assert 20 <= repetitions(fleet, run_id)[0] < 40
        assert fleet.run(run_id)["precision"]["widest"] == 0.5

    def test_case_without_ok_executions_gets_no_rounds(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out(**precise())
        to_the_end(fleet, run_id, lambda number, _count: None if number == 3 else 0.001)
        assert stopped(fleet, run_id)[3] == "failing"
        assert set(repetitions(fleet, run_id).values()) == {6}

    def test_agent_with_a_lost_job_gets_no_rounds(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out(**precise())
        first = fleet.jobs(run_id)[0]["id"]
        execute(fleet, run_id, by_number)
        fleet.execute(update(Job).where(Job.id == first).values(state="lost"))
        lay_out_rounds(fleet.database, fleet.served.settings)
        assert fleet.run(run_id)["state"] == "failed"
        assert Counter(stopped(fleet, run_id).values()) == {"reached": 2, "lost": 6}


class TestBetweenRounds:
    @pytest.mark.long
    @pytest.mark.parametrize("step", ["pause", "cancel"])
    def test_run_with_rounds_can_be_cancelled_and_resumed(self, fleet: Fleet, step: str) -> None:
        run_id = fleet.lay_out(**precise())
        execute(fleet, run_id, by_number)
        fleet.submitter.post(f"/api/v1/runs/{run_id}/{step}").raise_for_status()
        assert lay_out_rounds(fleet.database, fleet.served.settings) == 0
        assert fleet.change(run_id, "resume")["state"] == "running"
        to_the_end(fleet, run_id, by_number)
        assert fleet.run(run_id)["state"] == "finished"

    @pytest.mark.long
    def test_incomplete_round_of_a_cancelled_run_is_replaced(self, fleet: Fleet) -> None:
        reference = fleet.lay_out(**precise(repetitions=200, maximum=400))
        to_the_end(fleet, reference, by_many)
        run_id = fleet.lay_out(**precise(repetitions=200, maximum=400))
        execute(fleet, run_id, by_many)
        with dying(fleet, after_inserts=2), pytest.raises(Killed):
            lay_out_rounds(fleet.database, fleet.served.settings)
        assert 1600 < len(fleet.order(run_id)) < 3200
        fleet.change(run_id, "cancel")
        assert fleet.run(run_id)["progress"]["percent"] == 100  # The half round is none of its executions.
        assert listed(fleet, run_id)["executions_done"] == 1600
        fleet.change(run_id, "resume")
        assert {job["state"] for job in fleet.jobs(run_id)} <= {"planned", "done"}
        silence(fleet, run_id)
        lay_out_rounds(fleet.database, fleet.served.settings)
        to_the_end(fleet, run_id, by_many)
        assert fleet.order(run_id) == fleet.order(reference)


class TestCrashes:
    def test_incomplete_round_of_a_crashed_scheduler_is_repeated(self, fleet: Fleet) -> None:
        reference = fleet.lay_out(**precise(repetitions=200, maximum=400))
        to_the_end(fleet, reference, by_many)
        run_id = fleet.lay_out(**precise(repetitions=200, maximum=400))
        execute(fleet, run_id, by_many)
        for inserts in (1, 2):
            with dying(fleet, inserts), pytest.raises(Killed):
                lay_out_rounds(fleet.database, fleet.served.settings)
            assert not [job for job in fleet.jobs(run_id) if job["state"] not in ("planned", "done")]
            silence(fleet, run_id)
        to_the_end(fleet, run_id, by_many)
        assert fleet.order(run_id) == fleet.order(reference)
        assert fleet.run(run_id)["executions_total"] == fleet.run(reference)["executions_total"]

    def test_parallel_schedulers_write_one_round(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out(**precise(repetitions=200, maximum=400))
        execute(fleet, run_id, by_many)
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: lay_out_rounds(fleet.database, fleet.served.settings), range(4)))
        counts = Counter((number, repetition) for _, number, repetition in fleet.order(run_id))
        assert set(counts.values()) == {1}
        assert repetitions(fleet, run_id) == dict.fromkeys(range(8), 400)
        assert fleet.run(run_id)["executions_total"] == 8 * 400


def by_many(_number: int, _count: int) -> float:
    return 0.5


class Killed(Exception):
    """Raised where the scheduler's process is killed."""


@contextmanager
def dying(fleet: Fleet, after_inserts: int) -> Iterator[None]:
    """Raise `Killed` at the given statement that inserts executions."""
    inserts = 0

    def look(_connection: object, _cursor: object, text: str, _rows: object, _context: object, _many: bool) -> None:
        nonlocal inserts
        inserts += text.startswith("INSERT INTO executions")
        if inserts == after_inserts:
            raise Killed

    event.listen(fleet.database.engine, "before_cursor_execute", look)
    try:
        yield
    finally:
        event.remove(fleet.database.engine, "before_cursor_execute", look)


def silence(fleet: Fleet, run_id: str) -> None:
    """Let the lease of the run expire."""
    fleet.execute(update(Run).where(Run.id == run_id).values(lease_renewed_at=now() - LEASE_DURATION))
