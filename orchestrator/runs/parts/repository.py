"""Queries of the parts of runs, and their changes by submission and layout."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, and_, exists, func, insert, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from orchestrator.database.models import (
    Agent,
    AwaitedBuild,
    AwaitedChunk,
    BuildRequest,
    Case,
    ChunkRequest,
    Job,
    Omission,
    Run,
    RunAgent,
)
from orchestrator.database.rows import changed
from orchestrator.runs.planning.expansion import PartSize, PlannedOmission
from orchestrator.runs.state import JobState, RunState

TOGETHER = "together"


def store_agents(
    session: Session, run_id: str, sizes: Sequence[PartSize], omissions: Iterable[PlannedOmission]
) -> None:
    """Store the agents of a run, whose parts are not laid out, and the omissions of other agents."""
    session.add_all(
        RunAgent(run_id=run_id, agent_id=one.agent_id, executions_total=one.executions, estimated_seconds=one.seconds)
        for one in sizes
    )
    session.flush()
    # The omissions of the run's own agents are stored with their parts.
    own = {one.agent_id for one in sizes}
    insert_omissions(session, run_id, [omission for omission in omissions if omission.agent_id not in own])


def list_parts(session: Session, run_id: str) -> Sequence[RunAgent]:
    """Return the parts of a run."""
    return session.scalars(select(RunAgent).where(RunAgent.run_id == run_id).order_by(RunAgent.agent_id)).all()


def next_run(session: Session, without: Collection[str] = ()) -> Run | None:
    """Return the run of which a part is laid out next, by priority and then by submission, except for some.

    A part waits for the chunks of its run and the builds of its agent, and in a run that starts together for the builds
    of all agents. A run does not wait for other chunks after one could not be made.
    """
    has_parts = exists().where(RunAgent.run_id == Run.id)
    builds_itself = _awaits_build(RunAgent.run_id, BuildRequest.agent_id == RunAgent.agent_id)
    has_ready_part = exists().where(RunAgent.run_id == Run.id, RunAgent.laid_out_at.is_(None), ~builds_itself)
    as_ready = and_(Run.start != TOGETHER, has_ready_part)
    # Runs of earlier versions have no parts until their layout.
    together = and_(or_(Run.start == TOGETHER, ~has_parts), ~_awaits_build(Run.id))
    has_chunks = or_(~_awaits_chunk("open"), _awaits_chunk("failed"))
    unfinished = (Run.state.in_((RunState.PLANNED, RunState.RUNNING)), Run.laid_out_at.is_(None))
    query = select(Run).where(*unfinished, has_chunks, or_(as_ready, together), Run.id.not_in(without))
    return session.scalar(query.order_by(Run.priority, Run.submitted_at, Run.id).limit(1))


def has_laid_out_part(session: Session, run_id: str) -> bool:
    """Return whether at least one part of a run is laid out."""
    return bool(session.scalar(select(exists().where(RunAgent.run_id == run_id, RunAgent.laid_out_at.is_not(None)))))


def executions_not_laid_out(session: Session, run_ids: Collection[str]) -> dict[str, int]:
    """Return for each of these runs that is laid out in part the executions of the other parts."""
    rows = session.execute(
        select(RunAgent.run_id, func.sum(RunAgent.executions_total))
        .where(RunAgent.run_id.in_(run_ids), RunAgent.laid_out_at.is_(None))
        .group_by(RunAgent.run_id)
    )
    return {row[0]: row[1] for row in rows}


def next_case_number(session: Session, run_id: str) -> int:
    """Return the number of the next case of a run."""
    last = session.scalar(select(func.max(Case.number)).where(Case.run_id == run_id))
    return 0 if last is None else last + 1


def insert_omissions(session: Session, run_id: str, omissions: Sequence[PlannedOmission]) -> None:
    """Insert omissions of a run."""
    columns = ("agent_id", "provider", "algorithm", "variant", "reason", "executions")
    rows = [{"run_id": run_id} | {name: getattr(one, name) for name in columns} for one in omissions]
    if rows:
        session.execute(insert(Omission), rows)


def close_parts(session: Session, run_id: str, sizes: Iterable[PartSize], at: datetime) -> None:
    """Mark parts as laid out, correct the totals of their run, and let their jobs wait for dispatch."""
    run = session.get_one(Run, run_id, populate_existing=True)
    for one in sizes:
        part = session.get_one(RunAgent, (run_id, one.agent_id), populate_existing=True)
        run.executions_total += one.executions - part.executions_total
        part.executions_total, part.estimated_seconds, part.laid_out_at = one.executions, one.seconds, at
        planned = (Job.run_id == run_id, Job.agent_id == one.agent_id, Job.state == JobState.PLANNED)
        changed(session, update(Job).where(*planned).values(state=JobState.WAITING))
    session.flush()
    parts = list_parts(session, run_id)
    longest = max((part.estimated_seconds or 0.0 for part in parts), default=0.0)
    # With a precision, rounds have raised the estimate of parts that are laid out.
    run.estimated_seconds = max(longest, (run.estimated_seconds or 0.0) if run.rounds_open else 0.0)
    if all(part.laid_out_at is not None for part in parts):
        run.laid_out_at = at
    session.flush()


def _awaits_chunk(state: str) -> ColumnElement[bool]:
    """Return the condition that a run has a chunk request in a state."""
    return exists().where(
        AwaitedChunk.run_id == Run.id, ChunkRequest.id == AwaitedChunk.request_id, ChunkRequest.state == state
    )


def _awaits_build(run_id: InstrumentedAttribute[str], *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the condition that an agent of a run has to build first; conditions: of the request."""
    return exists().where(
        AwaitedBuild.run_id == run_id,
        BuildRequest.id == AwaitedBuild.request_id,
        BuildRequest.state == "open",
        Agent.id == BuildRequest.agent_id,
        Agent.revoked_at.is_(None),
        *conditions,
    )
