"""Rounds: when an agent has executed all its jobs of a run, its cases that are not precise enough get more executions.

A round is written as planned jobs, in transactions of at most 1000 rows; the last transaction lets them wait for
dispatch. If a scheduler stops in between, the next one deletes the planned jobs and writes the same round again,
because the seed is stored with the run.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import structlog

from orchestrator.database.engine import Database
from orchestrator.database.models import now
from orchestrator.runs.planning.estimation.estimate import PROCESS_SECONDS
from orchestrator.runs.repository import get_run
from orchestrator.runs.scheduling import repository
from orchestrator.runs.scheduling.jobs import write_jobs
from orchestrator.runs.scheduling.lease import Lease, LeaseLost, acquire
from orchestrator.runs.scheduling.order import Blocks, Placement, layout_round, round_seed, slice_jobs
from orchestrator.runs.scheduling.repository import WaitingAgent
from orchestrator.runs.state import RunState
from orchestrator.runs.transitions import end_if_complete
from orchestrator.service.events import repository as events
from orchestrator.shared.settings import ServiceSettings
from orchestrator.statistics.stopping import CaseSoFar, Stop, judge, round_size
from orchestrator.wire.plans import Plan, Precision

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _Round:
    """Additional blocks of the open cases of one agent."""

    candidate: WaitingAgent
    seed: int
    cases: list[CaseSoFar]
    blocks: int

    @cached_property
    def seconds(self) -> dict[int, float]:
        """Case number → mean seconds of its executions so far."""
        return {case.number: PROCESS_SECONDS + case.process_seconds / case.repetitions for case in self.cases}

    def order(self, first_position: int) -> Iterator[Placement]:
        """Yield the executions of the round."""
        first = max(case.repetitions for case in self.cases) + 1
        seed = round_seed(self.seed, self.candidate.agent_id, first)
        blocks = Blocks(first_repetition=first, repetitions=self.blocks, first_position=first_position)
        return layout_round([case.number for case in self.cases], blocks, seed)


def lay_out_rounds(database: Database, settings: ServiceSettings) -> int:
    """Lay out the next round of every agent that waits for one; return the number of agents processed."""
    with database.read() as session:
        waiting = repository.waiting_for_rounds(session)
    return sum(_next_round(database, settings, one) for one in waiting)


def _next_round(database: Database, settings: ServiceSettings, one: WaitingAgent) -> bool:
    with database.write() as session:
        lease = acquire(session, database, one.run_id, RunState.RUNNING)
        run = get_run(session, one.run_id)
        if lease is None or run is None:
            return False
        if not repository.is_waiting(session, one):
            repository.release_lease(session, one.run_id)
            return False
    precision = Plan.model_validate(run.plan).precision
    if precision is None:
        raise ValueError(f"run {run.id} has open rounds, but its plan has no precision")
    try:
        # An earlier scheduler may have stopped during the round.
        lease.repeat(lambda session: repository.delete_planned_jobs(session, one))
        open_cases = _stop_cases(lease, one, precision)
        if open_cases:
            blocks = round_size(open_cases, precision)
            _lay_out(lease, _Round(one, run.seed, open_cases, blocks), settings.job_seconds)
        else:
            _close(lease)
    except LeaseLost:
        _log.info("round left to another scheduler", run_id=one.run_id, agent_id=one.agent_id)
    return True


def _stop_cases(lease: Lease, one: WaitingAgent, precision: Precision) -> list[CaseSoFar]:
    """Stop the cases that need no more repetitions; return the others."""
    with lease.database.read() as session:
        cases = repository.cases_so_far(session, one)
        # A run with a lost job fails, so more repetitions of its other cases are of no use.
        has_lost_job = repository.jobs_so_far(session, one).lost > 0
    open_cases: list[CaseSoFar] = []
    stopped: dict[Stop, list[int]] = {}
    for case in cases:
        stop = judge(case, precision) or ("lost" if has_lost_job else None)
        if stop is None:
            open_cases.append(case)
        else:
            stopped.setdefault(stop, []).append(case.case_id)
    for reason, case_ids in stopped.items():
        lease.write(case_ids, partial(repository.stop_cases, reason=reason))
    return open_cases


def _lay_out(lease: Lease, round_: _Round, job_seconds: float) -> None:
    """Write the round's jobs as planned, then let all of them wait for dispatch in one transaction."""
    one = round_.candidate
    with lease.database.read() as session:
        so_far = repository.jobs_so_far(session, one)
    order = list(round_.order(so_far.next_position))
    jobs = slice_jobs(order, lambda placement: round_.seconds[placement.case_number], job_seconds)
    write_jobs(
        lease,
        jobs,
        agent_id=one.agent_id,
        case_ids={case.number: case.case_id for case in round_.cases},
        first_number=so_far.next_number,
    )
    seconds = so_far.seconds + round_.blocks * sum(round_.seconds.values())
    with lease.transaction() as session:
        repository.release_planned_jobs(session, one)
        repository.extend_run(session, one.run_id, executions=len(order), estimated_seconds=seconds)
        repository.release_lease(session, one.run_id)
        events.note_progress(session, one.run_id, now())
    _log.info("round laid out", run_id=one.run_id, agent_id=one.agent_id, cases=len(round_.cases), blocks=round_.blocks)


def _close(lease: Lease) -> None:
    """End the run if this was the last agent with open cases."""
    with lease.transaction() as session:
        rounds_open = repository.has_open_cases(session, lease.run_id)
        repository.release_lease(session, lease.run_id, rounds_open=rounds_open)
        events.note_progress(session, lease.run_id, now())
        end_if_complete(session, lease.run_id)
