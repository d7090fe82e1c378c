"""Queries of the progress of a run: executions, input bytes, jobs of each agent and stopped cases."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from sqlalchemy import ColumnElement, case, func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Case, CaseStatistics, Execution, Job
from orchestrator.runs.state import OPEN_JOBS, JobState


@dataclass(frozen=True)
class AgentShare:
    """Remaining work of one agent in a run, from its jobs."""

    agent: Agent
    open_jobs: int
    open_executions: int
    """Executions of open jobs; a running job counts in full."""
    seconds_per_execution: float | None
    """Mean over its last jobs that were done in one attempt; None before the first."""


def executions_by_state(session: Session, run_id: str) -> dict[str, int]:
    """Return the number of a run's executions in each state; reads one covering index."""
    rows = session.execute(
        select(Execution.state, func.count()).where(Execution.run_id == run_id).group_by(Execution.state)
    )
    return {row[0]: row[1] for row in rows}


def input_bytes(session: Session, run_id: str) -> tuple[int, int, int]:
    """Return (cases, chunk bytes of one block, chunk bytes of the executions that ended) of a run."""
    names = ("ok", "failed", "wrong", "disputed", "skipped", "warm_ups")
    ended = reduce(add, (func.coalesce(getattr(CaseStatistics, name), 0) for name in names))
    row = session.execute(
        select(
            func.count(),
            func.coalesce(func.sum(_chunk_bytes()), 0),
            func.coalesce(func.sum(_chunk_bytes() * ended), 0),
        )
        .select_from(Case)
        .outerjoin(CaseStatistics, CaseStatistics.case_id == Case.id)
        .where(Case.run_id == run_id)
    ).one()
    return row[0], int(row[1]), int(row[2])


def waiting_input_bytes(session: Session, run_id: str) -> int:
    """Return the chunk bytes of a run's executions that have no record yet."""
    query = (
        select(func.coalesce(func.sum(_chunk_bytes()), 0))
        .select_from(Execution)
        .join(Case, Case.id == Execution.case_id)
        .where(Execution.run_id == run_id, Execution.state == "waiting")
    )
    return int(session.scalar(query) or 0)


def _chunk_bytes() -> ColumnElement[int]:
    # A latency execution processes its message as often as its timings require, so the length is not its input.
    return case((Case.protocol == "process", Case.message_bytes), else_=0)


def shares(session: Session, run_id: str) -> list[AgentShare]:
    """Return the remaining work of each agent in a run."""
    is_open = Job.state.in_(OPEN_JOBS)
    rows = session.execute(
        select(
            Agent,
            func.sum(case((is_open, 1), else_=0)),
            func.sum(case((is_open, Job.executions_total), else_=0)),
        )
        .join(Job, Job.agent_id == Agent.id)
        .where(Job.run_id == run_id)
        .group_by(Agent.id)
        .order_by(Agent.name)
    )
    return [
        AgentShare(agent, jobs, executions, _seconds_per_execution(session, run_id, agent.id))
        for agent, jobs, executions in rows
    ]


def _seconds_per_execution(session: Session, run_id: str, agent_id: str, jobs: int = 6) -> float | None:
    rows = session.execute(
        select(Job.started_at, Job.finished_at, Job.executions_total)
        .where(Job.run_id == run_id, Job.agent_id == agent_id, Job.state == JobState.DONE, Job.attempts == 1)
        .order_by(Job.number.desc())
        .limit(jobs)
    ).all()
    spans = [(finished - started, total) for started, finished, total in rows if started and finished]
    total = sum(total for _, total in spans)
    return sum(span.total_seconds() for span, _ in spans) / total if total else None


def cases_by_stop_reason(session: Session, run_id: str) -> dict[str, int]:
    """Return the number of a run's cases by the reason that they stopped; ``open`` are those that may continue."""
    rows = session.execute(
        select(Case.stop_reason, func.count()).where(Case.run_id == run_id).group_by(Case.stop_reason)
    )
    return {row[0] or "open": row[1] for row in rows}


def widest_interval(session: Session, run_id: str, stop_reasons: Sequence[str]) -> float | None:
    """Return the widest relative interval of the cases that stopped for one of these reasons."""
    return session.scalar(
        select(func.max(CaseStatistics.relative_interval))
        .join(Case, Case.id == CaseStatistics.case_id)
        .where(Case.run_id == run_id, Case.stop_reason.in_(stop_reasons))
    )
