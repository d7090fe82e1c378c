"""Queries and statements of layout: leases, cases, jobs and executions, and the progress of rounds."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, case, delete, exists, func, insert, or_, select, update
from sqlalchemy.orm import Session

from orchestrator.database.generation import numbered
from orchestrator.database.models import Case, CaseStatistics, Execution, Job, Omission, Run, RunAgent
from orchestrator.database.rows import changed
from orchestrator.runs.planning.expansion import PlannedCase
from orchestrator.runs.planning.inputs import MessageInput
from orchestrator.runs.scheduling.order import Placement
from orchestrator.runs.state import OPEN_JOBS, JobState, RunState
from orchestrator.statistics.stopping import CaseSoFar
from orchestrator.wire.jobs import latency_input_sha256

ROWS_PER_TRANSACTION = 1000


def acquire_lease(
    session: Session, run_id: str, state: RunState, token: str, at: datetime, *, expired_at: datetime
) -> bool:
    """Assign the lease of a run in this state to a token; return False where another lease has not expired."""
    is_free = or_(Run.lease_renewed_at.is_(None), Run.lease_renewed_at < expired_at)
    statement = update(Run).where(Run.id == run_id, Run.state == state, is_free)
    return bool(changed(session, statement.values(lease_token=token, lease_renewed_at=at)))


def renew_lease(session: Session, run_id: str, state: RunState, token: str, at: datetime) -> bool:
    """Renew a lease; return False where the run has another state or token."""
    statement = update(Run).where(Run.id == run_id, Run.state == state, Run.lease_token == token)
    return bool(changed(session, statement.values(lease_renewed_at=at)))


def release_lease(session: Session, run_id: str, **values: object) -> None:
    """Release the lease of a run, and set these columns."""
    statement = update(Run).where(Run.id == run_id)
    changed(session, statement.values(lease_token=None, lease_renewed_at=None, **values))


def insert_cases(session: Session, run_id: str, cases: Sequence[PlannedCase], *, stop_failed: bool) -> None:
    """Insert cases.

    stop_failed: whether the cases of failed builds are stopped, which get no rounds.
    """
    rows = []
    for one in cases:
        stop_reason = "failing" if stop_failed and one.build.failure is not None else None
        rows.append(_case_columns(run_id, one) | {"stop_reason": stop_reason})
    session.execute(insert(Case), numbered(session, Case, rows))


def _case_columns(run_id: str, one: PlannedCase) -> dict[str, object]:
    columns: dict[str, object] = {
        "run_id": run_id,
        "number": one.number,
        "agent_id": one.agent_id,
        "build_id": one.build.build_id,
        "operation": one.operation,
        "message_operations": one.message_operations,
        "provider": one.implementation.provider,
        "algorithm": one.implementation.algorithm,
        "variant": one.implementation.variant,
        **one.implementation.form.fields,
        "copy": one.copy,
    }
    # All rows have the same columns, so that one statement inserts them.
    return columns | (_message_columns(one, one.input) if isinstance(one.input, MessageInput) else _chunk_columns(one))


def _chunk_columns(one: PlannedCase) -> dict[str, object]:
    chunk = one.chunk
    return dict.fromkeys(("fill", "key_fill", "key_setup", "timings", "min_timing_ms")) | {
        "protocol": "process",
        "chunk_id": chunk.chunk_id if chunk else None,
        "input_sha256": chunk.sha256 if chunk else None,
        "input_kind": chunk.kind if chunk else None,
        "message_bytes": one.input.length_bytes,
        "associated_data_bytes": 0,
    }


def _message_columns(one: PlannedCase, message: MessageInput) -> dict[str, object]:
    input_sha256 = None
    if one.message_operations:
        lengths = (message.length_bytes, message.associated_data_bytes)
        input_sha256 = latency_input_sha256(message.fill, message.key_fill, *lengths, message.operation)
    return {
        "protocol": "latency",
        "chunk_id": None,
        "input_sha256": input_sha256,
        "input_kind": None,
        "message_bytes": message.length_bytes,
        "associated_data_bytes": message.associated_data_bytes,
        "fill": message.fill,
        "key_fill": message.key_fill,
        "key_setup": message.key_setup,
        "timings": message.timings,
        "min_timing_ms": message.min_timing_ms,
    }


def insert_jobs(
    session: Session,
    jobs: Sequence[list[Placement]],
    *,
    run_id: str,
    agent_id: str,
    case_ids: Mapping[int, int],
    first_number: int,
) -> None:
    """Insert planned jobs with their executions."""
    rows = [
        {
            "run_id": run_id,
            "agent_id": agent_id,
            "number": number,
            "state": JobState.PLANNED,
            "executions_total": len(job),
        }
        for number, job in enumerate(jobs, first_number)
    ]
    statement = insert(Job).returning(Job.id, sort_by_parameter_order=True)
    inserted = session.scalars(statement, numbered(session, Job, rows)).all()
    session.execute(
        insert(Execution),
        [
            {
                "run_id": run_id,
                "case_id": case_ids[placement.case_number],
                "job_id": job_id,
                "repetition": placement.repetition,
                "purpose": placement.purpose,
                "position": placement.position,
            }
            for job_id, job in zip(inserted, jobs, strict=True)
            for placement in job
        ],
    )


def insert_statistics(session: Session, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert the statistics of cases."""
    session.execute(insert(CaseStatistics), [dict(row) for row in rows])


def insert_executions(session: Session, rows: Sequence[dict[str, object]]) -> None:
    """Insert executions that belong to no job."""
    session.execute(insert(Execution), rows)


def case_ids(session: Session, run_id: str) -> dict[int, int]:
    """Return the ids of a run's cases by case number."""
    rows = session.execute(select(Case.number, Case.id).where(Case.run_id == run_id))
    return {row[0]: row[1] for row in rows}


def delete_layout(session: Session, run_id: str, agent_ids: Collection[str]) -> int:
    """Delete up to `ROWS_PER_TRANSACTION` rows of these parts, dependent rows first; return the number deleted."""
    cases = select(Case.id).where(Case.run_id == run_id, Case.agent_id.in_(agent_ids))
    statistics = select(CaseStatistics.case_id).where(CaseStatistics.case_id.in_(cases)).limit(ROWS_PER_TRANSACTION)
    deleted = changed(session, delete(CaseStatistics).where(CaseStatistics.case_id.in_(statistics)))
    if not deleted:
        some = select(Execution.id).where(Execution.run_id == run_id, Execution.case_id.in_(cases))
        deleted = changed(session, delete(Execution).where(Execution.id.in_(some.limit(ROWS_PER_TRANSACTION))))
    for table in (Job, Case, Omission):
        if not deleted:
            of_agents = select(table.id).where(table.run_id == run_id, table.agent_id.in_(agent_ids))
            deleted = changed(session, delete(table).where(table.id.in_(of_agents.limit(ROWS_PER_TRANSACTION))))
    return deleted


@dataclass(frozen=True, slots=True)
class WaitingAgent:
    """An agent that waits for the next round of a run."""

    run_id: str
    agent_id: str


@dataclass(frozen=True, slots=True)
class JobsSoFar:
    """The ended jobs of one agent in one run."""

    next_number: int
    next_position: int
    lost: int
    seconds: float
    """Sum of their durations."""


def waiting_for_rounds(session: Session) -> list[WaitingAgent]:
    """Return the agents of running runs that have open cases and no open job, in the order of the runs.

    The jobs of a part that is being laid out are not open either.
    """
    is_open = case((Job.state.in_(OPEN_JOBS), 1), else_=0)
    is_laid_out = ~exists().where(
        RunAgent.run_id == Job.run_id, RunAgent.agent_id == Job.agent_id, RunAgent.laid_out_at.is_(None)
    )
    rows = session.execute(
        select(Job.run_id, Job.agent_id)
        .join(Run, Run.id == Job.run_id)
        .where(Run.state == RunState.RUNNING, Run.rounds_open, is_laid_out)
        .group_by(Job.run_id, Job.agent_id, Run.priority, Run.submitted_at)
        .having(func.sum(is_open) == 0)
        .order_by(Run.priority, Run.submitted_at, Job.run_id, Job.agent_id)
    )
    found = [WaitingAgent(run_id, agent_id) for run_id, agent_id in rows]
    return [one for one in found if session.scalar(select(exists().where(_open_cases(one))))]


def is_waiting(session: Session, one: WaitingAgent) -> bool:
    """Return whether the agent still waits for a round: another scheduler may have laid one out."""
    of_agent = (Job.run_id == one.run_id, Job.agent_id == one.agent_id)
    return not session.scalar(select(exists().where(*of_agent, Job.state.in_(OPEN_JOBS))))


def cases_so_far(session: Session, one: WaitingAgent) -> list[CaseSoFar]:
    """Return the progress of the agent's open cases, in the planner's order."""
    timed = (
        select(
            Execution.case_id,
            func.max(Execution.repetition).label("repetitions"),
            func.sum(case((Execution.state == "ok", 1), else_=0)).label("ok"),
            func.sum(func.coalesce(Execution.process_wall_ns, 0)).label("wall_ns"),
        )
        .join(Case, Case.id == Execution.case_id)
        .where(_open_cases(one), Execution.purpose == "timing", Execution.state != "waiting")
        .group_by(Execution.case_id)
        .subquery()
    )
    rows = session.execute(
        select(Case.id, Case.number, timed.c.repetitions, timed.c.ok, timed.c.wall_ns, CaseStatistics.relative_interval)
        .outerjoin(timed, timed.c.case_id == Case.id)
        .outerjoin(CaseStatistics, CaseStatistics.case_id == Case.id)
        .where(_open_cases(one))
        .order_by(Case.number)
    )
    return [
        CaseSoFar(case_id, number, repetitions or 0, ok or 0, interval, (wall_ns or 0) / 1e9)
        for case_id, number, repetitions, ok, wall_ns, interval in rows
    ]


def jobs_so_far(session: Session, one: WaitingAgent) -> JobsSoFar:
    """Return the number and position at which the agent's next job starts, and a summary of its ended jobs."""
    rows = session.execute(
        select(Job.id, Job.number, Job.state, Job.started_at, Job.finished_at)
        .where(Job.run_id == one.run_id, Job.agent_id == one.agent_id, Job.state != JobState.PLANNED)
        .order_by(Job.number)
    ).all()
    # Positions continue from job to job.
    last = session.scalar(select(func.max(Execution.position)).where(Execution.job_id == rows[-1].id))
    spans = ((row.finished_at - row.started_at).total_seconds() for row in rows if row.started_at and row.finished_at)
    return JobsSoFar(
        next_number=rows[-1].number + 1,
        next_position=(last or 0) + 1,
        lost=sum(row.state == JobState.LOST for row in rows),
        seconds=sum(spans),
    )


def stop_cases(session: Session, case_ids: Sequence[int], reason: str) -> None:
    """Set why these cases get no more repetitions."""
    changed(session, update(Case).where(Case.id.in_(case_ids)).values(stop_reason=reason))


def has_open_cases(session: Session, run_id: str) -> bool:
    """Return whether some case of the run may get more repetitions."""
    return bool(session.scalar(select(exists().where(Case.run_id == run_id, Case.stop_reason.is_(None)))))


def extend_run(session: Session, run_id: str, *, executions: int, estimated_seconds: float) -> None:
    """Add the executions of a round to a run, and raise its estimate to at least these seconds."""
    run = session.get_one(Run, run_id, populate_existing=True)
    run.executions_total += executions
    run.estimated_seconds = max(run.estimated_seconds or 0.0, estimated_seconds)
    session.flush()


def release_planned_jobs(session: Session, one: WaitingAgent) -> None:
    """Let the planned jobs of a round wait for dispatch."""
    changed(session, update(Job).where(_planned_jobs(one)).values(state=JobState.WAITING))


def delete_planned_jobs(session: Session, one: WaitingAgent) -> int:
    """Delete up to `ROWS_PER_TRANSACTION` rows of an incomplete round, executions first; return the number deleted."""
    jobs = select(Job.id).where(_planned_jobs(one))
    executions = select(Execution.id).where(Execution.job_id.in_(jobs)).limit(ROWS_PER_TRANSACTION)
    deleted = changed(session, delete(Execution).where(Execution.id.in_(executions)))
    return deleted or changed(session, delete(Job).where(Job.id.in_(jobs.limit(ROWS_PER_TRANSACTION))))


def _open_cases(one: WaitingAgent) -> ColumnElement[bool]:
    return and_(Case.run_id == one.run_id, Case.agent_id == one.agent_id, Case.stop_reason.is_(None))


def _planned_jobs(one: WaitingAgent) -> ColumnElement[bool]:
    return and_(Job.run_id == one.run_id, Job.agent_id == one.agent_id, Job.state == JobState.PLANNED)
