"""Progress of a run, its rate and its remaining time, computed on request."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from orchestrator.agents.liveness import is_live
from orchestrator.database.models import Run, now
from orchestrator.runs.progress import repository
from orchestrator.runs.progress.queue import queue_seconds
from orchestrator.runs.progress.repository import AgentShare
from orchestrator.runs.repository import get_run
from orchestrator.runs.schemas import Progress
from orchestrator.runs.state import ENDED_EXECUTIONS, ENDED_RUNS, RunState
from orchestrator.service.events.stream import RunReader, RunStatus

_ROUNDS_FOLLOW = "Cases that are not precise enough get more executions after these."


def measure_progress(session: Session, run: Run) -> tuple[Progress, int]:
    """Return the progress of a run and the number of its cases."""
    counts = repository.executions_by_state(session, run.id)
    cases, block_bytes, bytes_done = repository.input_bytes(session, run.id)
    done = sum(counts.get(state, 0) for state in ENDED_EXECUTIONS)
    bytes_total = _bytes_total(session, run, cases, block_bytes, bytes_done)
    rate, seconds_left, basis = _speed(session, run, repository.shares(session, run.id), done)
    progress = Progress(
        **{state: counts.get(state, 0) for state in ENDED_EXECUTIONS},
        waiting=run.executions_total - done,
        done=done,
        total=run.executions_total,
        percent=100.0 * done / run.executions_total if run.executions_total else 0.0,
        input_bytes_done=bytes_done if block_bytes else None,
        input_bytes_total=bytes_total,
        executions_per_second=rate,
        input_bytes_per_second=rate * bytes_total / run.executions_total if rate and bytes_total else None,
        seconds_left=seconds_left,
        basis=f"{basis} {_ROUNDS_FOLLOW}" if run.rounds_open else basis,
    )
    return progress, cases


def _status(session: Session, run_id: str) -> RunStatus | None:
    run = get_run(session, run_id)
    return None if run is None else RunStatus(run.state, run.reason, has_ended=run.state in ENDED_RUNS)


def _progress(session: Session, run_id: str) -> dict[str, Any] | None:
    run = get_run(session, run_id)
    return None if run is None else measure_progress(session, run)[0].model_dump()


READER = RunReader(_status, _progress)
"""Reads runs for the event stream."""


def _bytes_total(session: Session, run: Run, cases: int, block_bytes: int, bytes_done: int) -> int | None:
    if not block_bytes:
        return None
    if run.plan.get("precision") is not None:
        # The number of further rounds is unknown, so that only the executions laid out so far count.
        return bytes_done + repository.waiting_input_bytes(session, run.id)
    return round(block_bytes * run.executions_total / cases)


def _speed(
    session: Session, run: Run, shares: Sequence[AgentShare], done: int
) -> tuple[float | None, float | None, str]:
    """Return (executions per second, seconds left, basis), with the queue before the run on each agent."""
    if run.state not in (RunState.PLANNED, RunState.RUNNING):
        return None, None, f"The run is {run.state}."
    parts = laid_out_parts(session, run.id)
    open_ids = [agent_id for agent_id, is_laid_out in parts.items() if not is_laid_out]
    open_ids += [share.agent.id for share in shares if share.open_executions]
    queues = queue_seconds(session, run, sorted(set(open_ids)))
    claims = [one.first_started_at for one in repository.job_times(session, [run.id]).values() if one.first_started_at]
    rate, left, basis = _own_speed(run, shares, done, min(claims, default=None))
    queue = max(queues.values(), default=0.0)
    if left is None or not queue:
        return rate, left, basis
    return rate, left + queue, f"{basis} Includes the runs and builds before it."


def laid_out_parts(session: Session, run_id: str) -> dict[str, bool]:
    """Return the agents of a run, each with whether its part is laid out."""
    found = repository.laid_out_parts(session, [run_id])
    return {agent_id: at is not None for (_, agent_id), at in found.items()}


def _own_speed(
    run: Run, shares: Sequence[AgentShare], done: int, claimed_at: datetime | None
) -> tuple[float | None, float | None, str]:
    """Return the same without the queue, from the last jobs of each agent."""
    if run.state == RunState.PLANNED:
        return None, run.estimated_seconds, "Estimate of the planner: nothing has been executed yet."
    working = [share for share in shares if share.open_executions]
    silent = [share.agent.name for share in working if not is_live(share.agent, now())]
    if silent:
        return None, None, f"Unknown: it waits for {', '.join(silent)}."
    known = [share for share in working if share.seconds_per_execution]
    if not working or len(known) < len(working):
        return _overall(run, done, claimed_at)
    rate = sum(1 / share.seconds_per_execution for share in known if share.seconds_per_execution)
    left = max(share.open_executions * (share.seconds_per_execution or 0.0) for share in known)
    return rate, left, "The last jobs of each agent."


def _overall(run: Run, done: int, claimed_at: datetime | None) -> tuple[float | None, float | None, str]:
    """Return the same where an agent has not finished a job yet: since the first claim, or the planner's estimate."""
    if claimed_at is None or not done:
        return None, run.estimated_seconds, "Estimate of the planner: no execution has ended yet."
    elapsed = max((now() - claimed_at) / timedelta(seconds=1), 1e-3)
    rate = done / elapsed
    return rate, (run.executions_total - done) / rate, "All executions since the first job was claimed."
