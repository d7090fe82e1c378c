"""Queries of runs, their agents, cases and omissions, and guarded changes of a run's state."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, case, delete, exists, func, or_, select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import (
    Agent,
    Case,
    CaseStatistics,
    Execution,
    IdempotencyKey,
    Job,
    Omission,
    Run,
    RunAgent,
    RunTag,
)
from orchestrator.database.rows import changed, lock
from orchestrator.runs.parts.repository import executions_not_laid_out
from orchestrator.runs.selection import Order, RunSelection
from orchestrator.runs.state import OPEN_JOBS, JobState, RunState
from orchestrator.service.keyset import Rows, rows_after
from orchestrator.shared.errors import NotFound

_IS_KEPT = Run.deleted_at.is_(None)


def get_run(session: Session, run_id: str) -> Run | None:
    """Return a run, or None if it does not exist or is deleted."""
    run = session.get(Run, run_id)
    return None if run is None or run.deleted_at is not None else run


def require_run(session: Session, run_id: str) -> Run:
    """Return a run; raise NotFound if it does not exist or is deleted."""
    run = session.get(Run, run_id)
    if run is None:
        raise NotFound(f"There is no run {run_id[:40]!r}.", remedy="List them: ciphermark runs list.")
    if run.deleted_at is not None:
        raise NotFound(
            f"Run {run_id} ({run.name}) was deleted on {run.deleted_at:%Y-%m-%d %H:%M} UTC, {run.state} after "
            f"{run.executions_ended} of {run.executions_total} executions.",
            remedy="Its results are gone. List the others: ciphermark runs list.",
        )
    return run


class OtherRun(NamedTuple):
    """Another run of the same measurement."""

    id: str
    submitted_at: datetime
    state: str
    deleted_at: datetime | None
    resumptions: int
    registered_repetitions: int | None


def list_others(session: Session, run: Run) -> list[OtherRun]:
    """Return the other runs of what a run measures, also deleted ones, in the order of their submission."""
    columns = [getattr(Run, name) for name in OtherRun._fields]
    same = (Run.measurement_sha256 == run.measurement_sha256, Run.measurement_sha256 != "", Run.id != run.id)
    query = select(*columns).where(*same).order_by(Run.submitted_at, Run.id)
    return [OtherRun(*row) for row in session.execute(query)]


def note_first_look(session: Session, run_id: str, executions: int) -> None:
    """Store that the answer of a registered run was returned before its end, unless it was before."""
    first = update(Run).where(Run.id == run_id, Run.first_look_executions.is_(None))
    changed(session, first.values(first_look_executions=executions))


def list_runs(session: Session, selection: RunSelection, cursor: str | None, limit: int) -> Rows[Run]:
    """Return a page of the selected runs, newest first."""
    return rows_after(session, select(Run).where(*_conditions(selection)), _ORDERS["-submitted"], cursor, limit)


def reopen_cases(session: Session, run_id: str) -> None:
    """Let the cases that got no more repetitions because of a lost job have rounds again."""
    lost = update(Case).where(Case.run_id == run_id, Case.stop_reason == "lost")
    if changed(session, lost.values(stop_reason=None)):
        changed(session, update(Run).where(Run.id == run_id).values(rounds_open=True))


def selected_runs(session: Session, selection: RunSelection, order: Order, offset: int, limit: int) -> Sequence[Run]:
    """Return a part of the list of the selected runs."""
    query = select(Run).where(*_conditions(selection)).order_by(*_ORDERS[order])
    return session.scalars(query.offset(offset).limit(limit)).all()


def _conditions(selection: RunSelection) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [_IS_KEPT]
    if selection.text is not None:
        tagged = select(RunTag.run_id).where(RunTag.tag.icontains(selection.text, autoescape=True))
        found.append(
            or_(
                Run.name.icontains(selection.text, autoescape=True),
                Run.id == selection.text,
                Run.plan["description"].as_string().icontains(selection.text, autoescape=True),
                Run.id.in_(tagged),
            )
        )
    if selection.state is not None:
        found.append(Run.state == selection.state)
    if selection.agent_id is not None:
        found.append(exists().where(RunAgent.run_id == Run.id, RunAgent.agent_id == selection.agent_id))
    if selection.tag is not None:
        found.append(exists().where(RunTag.run_id == Run.id, RunTag.tag == selection.tag))
    if selection.since is not None:
        found.append(Run.submitted_at >= selection.since)
    if selection.until is not None:
        found.append(Run.submitted_at < selection.until)
    if selection.archived != "include":
        found.append(Run.archived_at.is_(None) if selection.archived == "exclude" else Run.archived_at.is_not(None))
    return found


_ORDERS: dict[Order, tuple[Any, ...]] = {
    "-submitted": (Run.submitted_at.desc(), Run.id),
    "submitted": (Run.submitted_at, Run.id),
    "name": (Run.name, Run.submitted_at.desc(), Run.id),
    "-executions": (Run.executions_total.desc(), Run.submitted_at.desc(), Run.id),
    "-finished": (Run.finished_at.desc().nulls_last(), Run.submitted_at.desc(), Run.id),
}


def tags_of(session: Session, run_ids: Collection[str]) -> dict[str, list[str]]:
    """Return the tags of these runs by id, sorted; runs without tags are missing."""
    rows = session.execute(select(RunTag.run_id, RunTag.tag).where(RunTag.run_id.in_(run_ids)).order_by(RunTag.tag))
    found: dict[str, list[str]] = {}
    for run_id, tag in rows:
        found.setdefault(run_id, []).append(tag)
    return found


def all_tags(session: Session, limit: int) -> Sequence[str]:
    """Return the tags that runs have, sorted."""
    return session.scalars(select(RunTag.tag).distinct().order_by(RunTag.tag).limit(limit)).all()


def replace_tags(session: Session, run_id: str, tags: Collection[str]) -> None:
    """Replace the tags of a run by these."""
    session.execute(delete(RunTag).where(RunTag.run_id == run_id))
    session.add_all(RunTag(run_id=run_id, tag=tag) for tag in dict.fromkeys(tags))


def latest_runs_named(session: Session, names: Collection[str], limit: int) -> Sequence[Run]:
    """Return the latest runs with one of these names."""
    named = select(Run).where(_IS_KEPT, Run.name.in_(names)).order_by(Run.submitted_at.desc(), Run.id)
    return session.scalars(named.limit(limit)).all()


def count_runs(session: Session, selection: RunSelection) -> int:
    """Return the number of selected runs."""
    return session.scalar(select(func.count()).select_from(Run).where(*_conditions(selection))) or 0


def runs_of_agent(session: Session, agent_id: str, limit: int) -> Sequence[Run]:
    """Return the latest runs of this agent."""
    with_jobs = select(Job.run_id).where(Job.agent_id == agent_id)
    of_agent = select(RunAgent.run_id).where(RunAgent.agent_id == agent_id)
    runs = select(Run).where(Run.id.in_(with_jobs.union(of_agent)), _IS_KEPT)
    return session.scalars(runs.order_by(Run.submitted_at.desc()).limit(limit)).all()


class OfCases(NamedTuple):
    """Figures of the list of runs over the cases of a run."""

    disturbed: int = 0
    fastest_call_ns: float | None = None
    fastest_encryption_bytes_per_second: float | None = None


def of_cases(session: Session, run_ids: Sequence[str]) -> dict[str, OfCases]:
    """Return for each run its disturbed ok executions and its fastest encryption, without withdrawn results."""
    shown = Case.operation.contains("encrypt") & Agent.distrusted_at.is_(None)
    throughput = CaseStatistics.phases["encrypt", "median_bytes_per_second"].as_float()
    fastest = (func.min(CaseStatistics.median_call_wall_ns).filter(shown), func.max(throughput).filter(shown))
    rows = session.execute(
        select(Case.run_id, func.sum(CaseStatistics.disturbed), *fastest)
        .join(CaseStatistics, CaseStatistics.case_id == Case.id)
        .join(Agent, Agent.id == Case.agent_id)
        .where(Case.run_id.in_(run_ids))
        .group_by(Case.run_id)
    )
    return {row[0]: OfCases(*row[1:]) for row in rows}


def find_submission(session: Session, key: str) -> IdempotencyKey | None:
    """Return the run that was submitted with this key."""
    return session.get(IdempotencyKey, key)


def ended_by_state(session: Session, runs: Sequence[Run]) -> dict[str, dict[str, int]]:
    """Return for several runs the number of ended executions by state, of every purpose.

    Nearly all are ok, so they are computed from the total and the counts of the others, which is fast for large runs.
    """
    laid_out = {run.id: run.executions_total for run in runs if run.laid_out_at is not None}
    partial = [run for run in runs if run.laid_out_at is None and run.state != RunState.PLANNED]
    missing = executions_not_laid_out(session, [run.id for run in partial])
    laid_out |= {run.id: run.executions_total - missing[run.id] for run in partial if run.id in missing}
    other = ("waiting", "failed", "wrong", "disputed", "skipped")
    rows = session.execute(
        select(Execution.run_id, Execution.state, func.count())
        .where(Execution.run_id.in_(laid_out), Execution.state.in_(other))
        .group_by(Execution.run_id, Execution.state)
    )
    found: dict[str, dict[str, int]] = {run_id: {} for run_id in laid_out}
    for run_id, state, count in rows:
        found[run_id][state] = count
    planned = _executions_of_planned_jobs(session, laid_out)
    for run_id, total in laid_out.items():
        waiting = found[run_id].pop("waiting", 0) - planned.get(run_id, 0)
        # While a part is laid out, its skipped executions are stored before it counts.
        found[run_id]["ok"] = max(0, total - waiting - sum(found[run_id].values()))
    return found


def _executions_of_planned_jobs(session: Session, run_ids: Collection[str]) -> dict[str, int]:
    """Return for each run the executions of incomplete rounds, which its total does not include yet."""
    rows = session.execute(
        select(Job.run_id, func.sum(Job.executions_total))
        .where(Job.run_id.in_(run_ids), Job.state == JobState.PLANNED)
        .group_by(Job.run_id)
    )
    return {row[0]: row[1] for row in rows}


def agents_of_runs(session: Session, run_ids: Sequence[str]) -> dict[str, dict[str, tuple[Agent, bool]]]:
    """Return for each run its agents by id, by name, each with whether it has open jobs of the run."""
    is_open = func.max(case((Job.state.in_(OPEN_JOBS), 1), else_=0))
    with_jobs = session.execute(
        select(Job.run_id, Agent, is_open)
        .join(Agent, Agent.id == Job.agent_id)
        .where(Job.run_id.in_(run_ids))
        .group_by(Job.run_id, Agent.id)
    )
    of_runs = session.execute(
        select(RunAgent.run_id, Agent).join(Agent, Agent.id == RunAgent.agent_id).where(RunAgent.run_id.in_(run_ids))
    )
    rows = [
        *((run_id, agent, False) for run_id, agent in of_runs),
        *((run_id, agent, is_open) for run_id, agent, is_open in with_jobs),
    ]
    found: dict[str, dict[str, tuple[Agent, bool]]] = {}
    for run_id, agent, has_open_jobs in sorted(rows, key=lambda row: row[1].name):
        known = found.setdefault(run_id, {}).get(agent.id, (agent, False))[1]
        found[run_id][agent.id] = (agent, known or has_open_jobs)
    return found


def list_omissions(session: Session, run_id: str, cursor: str | None, limit: int) -> Rows[tuple[Omission, str | None]]:
    """Return a page of omissions with the name of their agent."""
    query = select(Omission, Agent.name).outerjoin(Agent, Agent.id == Omission.agent_id)
    return rows_after(session, query.where(Omission.run_id == run_id), (Omission.id,), cursor, limit)


def change_state(session: Session, run_id: str, before: str, **values: object) -> bool:
    """Set columns of a run that is in this state; return False where it is in another one."""
    return bool(changed(session, update(Run).where(Run.id == run_id, Run.state == before).values(**values)))


def lock_runs(session: Session, run_ids: Collection[str]) -> None:
    """Lock runs until the end of the write transaction.

    Changes of a run's jobs and records lock the run first, in the order of the ids. Without that, two transactions
    that each complete one of the last two jobs would both see the other one open.
    """
    lock(session, select(Run.id).where(Run.id.in_(run_ids)).order_by(Run.id))


def has_open_job(session: Session, run_id: str) -> bool:
    """Return whether a job of the run is open; reads one row, however many jobs the run has."""
    return bool(session.scalar(select(exists().where(Job.run_id == run_id, Job.state.in_(OPEN_JOBS)))))


def jobs_by_state(session: Session, run_id: str) -> dict[str, int]:
    """Return the number of a run's jobs in each state."""
    rows = session.execute(select(Job.state, func.count()).where(Job.run_id == run_id).group_by(Job.state))
    return {row[0]: row[1] for row in rows}
