"""Rounds: when an agent has executed everything that is laid out, its cases that are not precise enough get more.

A round is written as jobs that are planned, in transactions of at most 1000 rows, and let go by the last one. Nothing
of it is dispatched before; so a scheduler that dies half-way leaves what was known when it began as it is, and the
next one removes the planned jobs and comes to the same round, because the seed is the run's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import structlog
from sqlalchemy import delete, exists, select, update

from orchestrator.database.engine import Database
from orchestrator.database.models import Case, Execution, Job, Run, now
from orchestrator.database.rows import changed
from orchestrator.events import repository as events
from orchestrator.runs.completion import end_if_complete
from orchestrator.runs.planning.estimation.estimate import PROCESS_SECONDS
from orchestrator.runs.repository import get_run
from orchestrator.runs.scheduling import repository
from orchestrator.runs.scheduling.jobs import ROWS_A_TRANSACTION, JobPlace, groups, write_jobs
from orchestrator.runs.scheduling.lease import RELEASED, Hold, NotOurs, take
from orchestrator.runs.scheduling.order import Blocks, Placement, layout_round, round_seed, slice_jobs
from orchestrator.runs.scheduling.repository import Candidate
from orchestrator.runs.state import JobState, RunState
from orchestrator.settings import ServiceSettings
from orchestrator.statistics.stopping import CaseSoFar, Stop, judge, round_size
from orchestrator.wire.plans import Plan, Precision

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _Round:
    """More blocks of the open cases of one agent."""

    candidate: Candidate
    seed: int
    cases: list[CaseSoFar]
    blocks: int

    @cached_property
    def seconds(self) -> dict[int, float]:
        """Case number → seconds of one execution, as it was so far."""
        return {case.number: PROCESS_SECONDS + case.process_seconds / case.repetitions for case in self.cases}

    def order(self, first_position: int) -> Iterator[Placement]:
        """Yield the executions of the round."""
        first = max(case.repetitions for case in self.cases) + 1
        seed = round_seed(self.seed, self.candidate.agent_id, first)
        blocks = Blocks(first_repetition=first, repetitions=self.blocks, first_position=first_position)
        return layout_round([case.number for case in self.cases], blocks, seed)


def lay_out_rounds(database: Database, settings: ServiceSettings) -> int:
    """Lay out the next round of every agent that waits for one; return how many agents were looked at."""
    with database.read() as session:
        waiting = repository.waiting_for_rounds(session)
    return sum(_next_round(database, settings, one) for one in waiting)


def _next_round(database: Database, settings: ServiceSettings, one: Candidate) -> bool:
    with database.write() as session:
        hold = take(session, database, one.run_id, RunState.RUNNING)
        run = get_run(session, one.run_id)
        if hold is None or run is None:
            return False
        if not repository.is_waiting(session, one):
            changed(session, update(Run).where(Run.id == one.run_id).values(RELEASED))
            return False
    precision = Plan.model_validate(run.plan).precision
    if precision is None:
        raise ValueError(f"run {run.id} has open rounds, but its plan asks for no precision")
    try:
        _remove_drafts(hold, one)
        open_cases = _judge(hold, one, precision)
        if open_cases:
            blocks = round_size(open_cases, precision)
            _lay_out(hold, _Round(one, run.seed, open_cases, blocks), settings.job_seconds)
        else:
            _close(hold)
    except NotOurs:
        _log.info("round left to others", run_id=one.run_id, agent_id=one.agent_id)
    return True


def _judge(hold: Hold, one: Candidate, precision: Precision) -> list[CaseSoFar]:
    """Stop the cases that are done, and return the others."""
    with hold.database.read() as session:
        cases = repository.so_far(session, one)
        # The daemon crashed at each start of a lost job: the run fails for it, however precise the others get.
        has_lost = repository.jobs_so_far(session, one).lost > 0
    going_on: list[CaseSoFar] = []
    stopped: dict[Stop, list[int]] = {}
    for case in cases:
        stop = judge(case, precision) or ("lost" if has_lost else None)
        if stop is None:
            going_on.append(case)
        else:
            stopped.setdefault(stop, []).append(case.case_id)
    for reason, case_ids in stopped.items():
        for some in groups(case_ids):
            with hold.batch() as session:
                changed(session, update(Case).where(Case.id.in_(some)).values(stop_reason=reason))
    return going_on


def _lay_out(hold: Hold, asked: _Round, job_seconds: float) -> None:
    """Write the round's jobs, then let all of them go at once."""
    one = asked.candidate
    with hold.database.read() as session:
        so_far = repository.jobs_so_far(session, one)
    order = list(asked.order(so_far.next_position))
    jobs = slice_jobs(order, lambda placement: asked.seconds[placement.case_number], job_seconds)
    case_ids = {case.number: case.case_id for case in asked.cases}
    write_jobs(hold, JobPlace(one.agent_id, case_ids, so_far.next_number, JobState.PLANNED), jobs)
    seconds = so_far.seconds + asked.blocks * sum(asked.seconds.values())
    with hold.batch() as session:
        changed(session, update(Job).where(repository.drafts(one)).values(state=JobState.WAITING))
        run = session.get_one(Run, one.run_id, populate_existing=True)
        values = {
            "executions_total": run.executions_total + len(order),
            "estimated_seconds": max(run.estimated_seconds or 0.0, seconds),
        }
        changed(session, update(Run).where(Run.id == one.run_id).values(RELEASED | values))
        events.note_progress(session, one.run_id, now())
    _log.info("round laid out", run_id=one.run_id, agent_id=one.agent_id, cases=len(case_ids), blocks=asked.blocks)


def _close(hold: Hold) -> None:
    """Let the run end, where this was the last agent with open cases."""
    is_open = exists().where(Case.run_id == hold.run_id, Case.stop_reason.is_(None))
    with hold.batch() as session:
        values = RELEASED | {"rounds_open": bool(session.scalar(select(is_open)))}
        changed(session, update(Run).where(Run.id == hold.run_id).values(values))
        events.note_progress(session, hold.run_id, now())
        end_if_complete(session, hold.run_id)


def _remove_drafts(hold: Hold, one: Candidate) -> None:
    """Remove what a scheduler left that died in the middle of a round."""
    drafts = select(Job.id).where(repository.drafts(one))
    executions = select(Execution.id).where(Execution.job_id.in_(drafts)).limit(ROWS_A_TRANSACTION)
    jobs = drafts.limit(ROWS_A_TRANSACTION)
    for statement in (delete(Execution).where(Execution.id.in_(executions)), delete(Job).where(Job.id.in_(jobs))):
        while True:
            with hold.batch() as session:
                if not changed(session, statement):
                    break
