"""Queries of the progress of a run: executions, input bytes, jobs of each agent and stopped cases."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import (
    Agent,
    AwaitedBuild,
    BuildRequest,
    Case,
    CaseStatistics,
    Execution,
    Job,
    PreflightReport,
    Run,
    RunAgent,
)
from orchestrator.runs.state import OPEN_JOBS, JobState, RunState


@dataclass(frozen=True)
class AgentShare:
    """Remaining work of one agent in a run, from its jobs."""

    agent: Agent
    open_jobs: int
    open_executions: int
    """Executions of open jobs; a running job counts in full."""
    seconds_per_execution: float | None
    """Mean over its last jobs that were done in one attempt; None before the first."""


def executions_by_state(session: Session, run_id: str, agent_id: str | None = None) -> dict[str, int]:
    """Return the number of a run's executions in each state, or of those of an agent; of all from a covering index."""
    query = select(Execution.state, func.count()).where(Execution.run_id == run_id).group_by(Execution.state)
    if agent_id is not None:
        query = query.join(Case, Case.id == Execution.case_id).where(Case.agent_id == agent_id)
    return {row[0]: row[1] for row in session.execute(query.order_by(Execution.state))}


def input_bytes(session: Session, run_id: str) -> tuple[int, int, int]:
    """Return (cases, chunk bytes of one block, chunk bytes of the executions that ended) of a run."""
    ended = func.coalesce(CaseStatistics.ended, 0)
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
        AgentShare(agent, jobs, executions, seconds_per_execution(session, run_id, agent.id))
        for agent, jobs, executions in rows
    ]


def seconds_per_execution(session: Session, run_id: str, agent_id: str, jobs: int = 6) -> float | None:
    """Return the mean over an agent's last jobs of a run that were done in one attempt; None before the first."""
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


@dataclass(frozen=True, slots=True)
class JobTimes:
    """The jobs of one agent in one run."""

    open_jobs: int
    running_since: datetime | None
    first_started_at: datetime | None
    last_finished_at: datetime | None
    done: int


@dataclass(frozen=True, slots=True)
class QueuedWork:
    """The open jobs of a running run on one agent."""

    run_id: str
    run_name: str
    agent_id: str
    place: tuple[int, datetime, str]
    """Order of dispatch: priority, submission, id."""
    is_sent: bool
    """At least one job is in the agent's queue or is executed."""
    executions: int
    part_seconds: float | None
    """Estimate of the whole part."""
    part_executions: int | None


@dataclass(frozen=True, slots=True)
class OpenBuild:
    """A build that a run waits for."""

    run_id: str
    agent_id: str
    agent_name: str
    toolchain: dict[str, Any]
    requested_at: datetime


def job_times(session: Session, run_ids: Collection[str]) -> dict[tuple[str, str], JobTimes]:
    """Return the times of the jobs by run and agent."""
    is_running = Job.state == JobState.RUNNING
    rows = session.execute(
        select(
            Job.run_id,
            Job.agent_id,
            func.sum(case((Job.state.in_(OPEN_JOBS), 1), else_=0)),
            func.max(case((is_running, Job.started_at))),
            func.min(Job.started_at),
            func.max(Job.finished_at),
            func.sum(case((Job.state == JobState.DONE, 1), else_=0)),
        )
        .where(Job.run_id.in_(run_ids))
        .group_by(Job.run_id, Job.agent_id)
    )
    return {
        (run_id, agent_id): JobTimes(count, running_since, first, last, done)
        for run_id, agent_id, count, running_since, first, last, done in rows
    }


def laid_out_parts(session: Session, run_ids: Collection[str]) -> dict[tuple[str, str], datetime | None]:
    """Return when the part of each agent was laid out, by run and agent."""
    rows = session.execute(
        select(RunAgent.run_id, RunAgent.agent_id, RunAgent.laid_out_at).where(RunAgent.run_id.in_(run_ids))
    )
    return {(run_id, agent_id): at for run_id, agent_id, at in rows}


def open_builds(session: Session, run_ids: Collection[str]) -> list[OpenBuild]:
    """Return the builds that these runs wait for; a revoked agent does not build."""
    rows = session.execute(
        select(AwaitedBuild.run_id, Agent.id, Agent.name, BuildRequest.toolchain, BuildRequest.requested_at)
        .join(BuildRequest, BuildRequest.id == AwaitedBuild.request_id)
        .join(Agent, Agent.id == BuildRequest.agent_id)
        .where(AwaitedBuild.run_id.in_(run_ids), BuildRequest.state == "open", Agent.revoked_at.is_(None))
        .order_by(Agent.name, BuildRequest.id)
    )
    return [OpenBuild(*row) for row in rows]


def checked_parts(session: Session, run_ids: Collection[str]) -> set[tuple[str, str]]:
    """Return run and agent of every preflight report of these runs."""
    rows = session.execute(
        select(PreflightReport.run_id, PreflightReport.agent_id).where(PreflightReport.run_id.in_(run_ids)).distinct()
    )
    return {(run_id, agent_id) for run_id, agent_id in rows if run_id is not None}


def queued_work(session: Session, agent_ids: Collection[str]) -> list[QueuedWork]:
    """Return the open jobs of running runs on these agents, by run and agent, in the order of their dispatch."""
    is_sent = func.max(case((Job.state != JobState.WAITING, 1), else_=0))
    rows = session.execute(
        select(
            Run, Job.agent_id, is_sent, func.sum(Job.executions_total), RunAgent.estimated_seconds,
            RunAgent.executions_total,
        )
        .join(Run, Run.id == Job.run_id)
        .outerjoin(RunAgent, and_(RunAgent.run_id == Job.run_id, RunAgent.agent_id == Job.agent_id))
        .where(Job.agent_id.in_(agent_ids), Job.state.in_(OPEN_JOBS), Run.state == RunState.RUNNING)
        .group_by(Run.id, Job.agent_id, RunAgent.estimated_seconds, RunAgent.executions_total)
        .order_by(Run.priority, Run.submitted_at, Run.id)
    )  # fmt: skip
    return [
        QueuedWork(
            run.id, run.name, agent_id, (run.priority, run.submitted_at, run.id), bool(sent), executions, seconds, total
        )
        for run, agent_id, sent, executions, seconds, total in rows
    ]
