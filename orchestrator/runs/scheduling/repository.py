"""What rounds read: agents that have executed everything so far, their open cases, where their next job begins."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, case, exists, func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Case, CaseStatistics, Execution, Job, Run
from orchestrator.runs.state import OPEN_JOBS, JobState, RunState
from orchestrator.statistics.stopping import CaseSoFar


@dataclass(frozen=True, slots=True)
class Candidate:
    """An agent that waits for the next round of a run."""

    run_id: str
    agent_id: str


@dataclass(frozen=True, slots=True)
class JobsSoFar:
    """The jobs of one agent in one run that ended."""

    next_number: int
    next_position: int
    lost: int
    seconds: float
    """From start to end of each, summed up."""


def waiting_for_rounds(session: Session) -> list[Candidate]:
    """Return the agents of running runs that have open cases and no open job, in the order of the runs."""
    rows = session.execute(
        select(Job.run_id, Job.agent_id)
        .join(Run, Run.id == Job.run_id)
        .where(Run.state == RunState.RUNNING, Run.rounds_open)
        .group_by(Job.run_id, Job.agent_id, Run.priority, Run.submitted_at)
        .having(func.sum(_is_open()) == 0)
        .order_by(Run.priority, Run.submitted_at, Job.run_id, Job.agent_id)
    )
    found = [Candidate(run_id, agent_id) for run_id, agent_id in rows]
    return [one for one in found if session.scalar(select(exists().where(open_cases(one))))]


def is_waiting(session: Session, one: Candidate) -> bool:
    """Tell whether the agent still waits for a round: nobody has laid one out meanwhile."""
    of_agent = (Job.run_id == one.run_id, Job.agent_id == one.agent_id)
    return not session.scalar(select(exists().where(*of_agent, Job.state.in_(OPEN_JOBS))))


def open_cases(one: Candidate) -> ColumnElement[bool]:
    """Return the condition of the cases that may get more repetitions."""
    return and_(Case.run_id == one.run_id, Case.agent_id == one.agent_id, Case.stop_reason.is_(None))


def so_far(session: Session, one: Candidate) -> list[CaseSoFar]:
    """Return what is known of the agent's open cases, in the planner's order."""
    timed = (
        select(
            Execution.case_id,
            func.max(Execution.repetition).label("repetitions"),
            func.sum(case((Execution.state == "ok", 1), else_=0)).label("ok"),
            func.sum(func.coalesce(Execution.process_wall_ns, 0)).label("wall_ns"),
        )
        .join(Case, Case.id == Execution.case_id)
        .where(open_cases(one), Execution.purpose == "timing", Execution.state != "waiting")
        .group_by(Execution.case_id)
        .subquery()
    )
    rows = session.execute(
        select(Case.id, Case.number, timed.c.repetitions, timed.c.ok, timed.c.wall_ns, CaseStatistics.relative_interval)
        .outerjoin(timed, timed.c.case_id == Case.id)
        .outerjoin(CaseStatistics, CaseStatistics.case_id == Case.id)
        .where(open_cases(one))
        .order_by(Case.number)
    )
    return [
        CaseSoFar(case_id, number, repetitions or 0, ok or 0, interval, (wall_ns or 0) / 1e9)
        for case_id, number, repetitions, ok, wall_ns, interval in rows
    ]


def jobs_so_far(session: Session, one: Candidate) -> JobsSoFar:
    """Return where the agent's next job begins, and what became of its jobs."""
    rows = session.execute(
        select(Job.id, Job.number, Job.state, Job.started_at, Job.finished_at)
        .where(Job.run_id == one.run_id, Job.agent_id == one.agent_id, Job.state != JobState.PLANNED)
        .order_by(Job.number)
    ).all()
    # Positions count on from job to job.
    last = session.scalar(select(func.max(Execution.position)).where(Execution.job_id == rows[-1].id))
    spans = ((row.finished_at - row.started_at).total_seconds() for row in rows if row.started_at and row.finished_at)
    return JobsSoFar(
        next_number=rows[-1].number + 1,
        next_position=(last or 0) + 1,
        lost=sum(row.state == JobState.LOST for row in rows),
        seconds=sum(spans),
    )


def drafts(one: Candidate) -> ColumnElement[bool]:
    """Return the condition of the jobs that a scheduler left in the middle of a round."""
    return and_(Job.run_id == one.run_id, Job.agent_id == one.agent_id, Job.state == JobState.PLANNED)


def _is_open() -> ColumnElement[int]:
    return case((Job.state.in_(OPEN_JOBS), 1), else_=0)
