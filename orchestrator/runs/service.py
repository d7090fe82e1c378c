"""Run operations: list, get, change, cancel, pause, resume."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import structlog
from sqlalchemy.orm import Session

from orchestrator.agents.liveness import is_live
from orchestrator.database.engine import Database
from orchestrator.database.models import Run, now
from orchestrator.runs import repository
from orchestrator.runs.jobs import repository as jobs
from orchestrator.runs.ownership import lock_own
from orchestrator.runs.progress.precision import precision_summary
from orchestrator.runs.progress.queue import RunActivities, RunAgents, activities
from orchestrator.runs.progress.service import measure_progress
from orchestrator.runs.schemas import (
    JobSummary,
    OmissionSummary,
    Progress,
    RunAgent,
    RunChange,
    RunDetail,
    RunSummary,
)
from orchestrator.runs.selection import Order, RunSelection
from orchestrator.runs.state import ENDED_EXECUTIONS, ENDED_RUNS, RunState, RunStep, after
from orchestrator.runs.transitions import end_if_complete, move_run
from orchestrator.runs.waiting import NO_WAIT, chunk_labels, waits
from orchestrator.service.pagination import Page
from orchestrator.service.security.callers import Caller
from orchestrator.shared.errors import TransitionRefused

MAX_TAGS_LISTED = 500
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class SelectedRuns:
    """A part of a list of runs."""

    items: list[RunSummary]
    total: int
    """Selected runs."""
    tags: list[str]
    """Tags of all runs, at most `MAX_TAGS_LISTED`."""


def list_runs(database: Database, selection: RunSelection, cursor: str | None, limit: int) -> Page[RunSummary]:
    """Return one page of the selected runs, newest first."""
    with database.read() as session:
        runs = repository.list_runs(session, selection, cursor, limit)
        summaries = _summaries(session, runs.items)
    return runs.page(lambda run: summaries[run.id])


def list_selected_runs(
    session: Session, selection: RunSelection, order: Order, offset: int, limit: int
) -> SelectedRuns:
    """Return up to `limit` of the selected runs, from an offset."""
    runs = repository.selected_runs(session, selection, order, offset, limit)
    return SelectedRuns(
        list(_summaries(session, runs).values()),
        repository.count_runs(session, selection),
        list(repository.all_tags(session, MAX_TAGS_LISTED)),
    )


def list_runs_named(session: Session, names: Collection[str], limit: int) -> list[RunSummary]:
    """Return the latest runs with one of these names."""
    return list(_summaries(session, repository.latest_runs_named(session, names, limit)).values())


def list_runs_of_agent(session: Session, agent_id: str, limit: int) -> list[RunSummary]:
    """Return the latest runs that have jobs for an agent."""
    return list(_summaries(session, repository.runs_of_agent(session, agent_id, limit)).values())


def summary_of(session: Session, run: Run) -> RunSummary:
    """Return a run as the list of runs shows it."""
    return _summaries(session, [run])[run.id]


def get_run(database: Database, run_id: str) -> RunDetail:
    """Return one run with its progress; raises NotFound."""
    with database.read() as session:
        run = repository.require_run(session, run_id)
        progress, cases = measure_progress(session, run)
        summary = _summaries(session, [run], {run_id: progress})[run_id]
        precision = precision_summary(session, run)
    return RunDetail(
        **dict(summary),
        plan=run.plan,
        cases=cases,
        laid_out_at=run.laid_out_at,
        progress=progress,
        precision=precision,
    )


def change_run(database: Database, caller: Caller, run_id: str, change: RunChange) -> RunDetail:
    """Change the tags of a run, or archive it.

    Raises NotFound; Forbidden where the caller is no admin and another token submitted the run; TransitionRefused for
    the archiving of a run that has not ended.
    """
    with database.write() as session:
        run = lock_own(session, caller, run_id, "Change")
        if change.archived and run.state not in ENDED_RUNS:
            raise TransitionRefused(
                f"Run {run_id} is {run.state}; only finished, cancelled and failed runs can be archived.",
                remedy=f"Cancel it first: ciphermark runs cancel {run_id}.",
            )
        if change.tags is not None:
            repository.replace_tags(session, run_id, change.tags)
        if change.archived is not None and change.archived != (run.archived_at is not None):
            run.archived_at = now() if change.archived else None
    _log.info("run changed", run_id=run_id, by=caller.name, changed=sorted(change.model_fields_set))
    return get_run(database, run_id)


def cancel(database: Database, caller: Caller, run_id: str) -> RunDetail:
    """Cancel a run and its open jobs; daemons receive the stop order with their next heartbeat. May be repeated."""
    with database.write() as session:
        if lock_own(session, caller, run_id, "Cancel").state != RunState.CANCELLED:
            _step(session, run_id, RunStep.CANCEL, "Cancelled by request.")
            jobs.cancel_open(session, run_id)
    return get_run(database, run_id)


def pause(database: Database, caller: Caller, run_id: str) -> RunDetail:
    """Pause a run: no more jobs are sent, and running jobs stop between two executions. May be repeated."""
    with database.write() as session:
        if lock_own(session, caller, run_id, "Pause").state != RunState.PAUSED:
            _step(session, run_id, RunStep.PAUSE)
            jobs.requeue_sent(session, run_id)
    return get_run(database, run_id)


def resume(database: Database, caller: Caller, run_id: str) -> RunDetail:
    """Resume a paused, cancelled or failed run with the executions that have no record yet. May be repeated."""
    with database.write() as session:
        if lock_own(session, caller, run_id, "Resume").state not in (RunState.RUNNING, RunState.PLANNED):
            _step(session, run_id, RunStep.RESUME)
            jobs.reopen(session, run_id, now())
            repository.reopen_cases(session, run_id)
            run = repository.require_run(session, run_id)
            run.archived_at = None  # A run that continues is in the lists again.
            run.resumptions += 1
            end_if_complete(session, run_id)
    return get_run(database, run_id)


def list_omissions(session: Session, run_id: str, cursor: str | None, limit: int) -> Page[OmissionSummary]:
    """Return one page of a run's omissions."""
    rows = repository.list_omissions(session, run_id, cursor, limit)
    return rows.page(lambda row: OmissionSummary.from_row(row[0], agent_name=row[1]))


def list_jobs(database: Database, run_id: str, state: str | None, cursor: str | None, limit: int) -> Page[JobSummary]:
    """Return one page of a run's jobs."""
    with database.read() as session:
        repository.require_run(session, run_id)
        rows = jobs.list_jobs(session, run_id, state, cursor, limit)
    return rows.page(JobSummary.from_row)


def _step(session: Session, run_id: str, step: RunStep, reason: str = "") -> None:
    # Raises with the reason where the step is not possible; in this write transaction the state cannot change.
    after(repository.require_run(session, run_id).state, step)
    if not move_run(session, run_id, step, reason):
        raise TransitionRefused(
            f"Run {run_id} changed its state during the request.", remedy="Get the run and try again."
        )


def _summaries(
    session: Session, runs: Sequence[Run], known: Mapping[str, Progress] = MappingProxyType({})
) -> dict[str, RunSummary]:
    """Return the summaries of these runs by id.

    known: progress by run id; that of other running ones is computed for each.
    """
    ids = [run.id for run in runs]
    counts, of_cases = repository.ended_by_state(session, runs), repository.of_cases(session, ids)
    agents = repository.agents_of_runs(session, ids)
    waiting = waits(session, runs, agents, now())
    tags = repository.tags_of(session, ids)
    shown = activities(session, runs, agents, chunk_labels(waiting), now())
    found = {}
    for run in runs:
        wait, ended = waiting.get(run.id, NO_WAIT), counts.get(run.id, {})
        alive = run.state in (RunState.PLANNED, RunState.RUNNING)
        progress = (known.get(run.id) or measure_progress(session, run)[0]) if alive else None
        computed = {
            "tags": tags.get(run.id, []),
            "description": str(run.plan.get("description") or ""),
            "repetitions": int(run.plan.get("repetitions") or 0),
            "waiting_for": list(wait.agents),
            "waiting_for_builds": list(wait.builds),
            "waiting_for_chunks": list(wait.chunks),
            "executions_done": sum(ended.values()),
            **{state: ended.get(state, 0) for state in ENDED_EXECUTIONS},
            **of_cases.get(run.id, repository.OfCases())._asdict(),
            "seconds_left": progress.seconds_left if progress else None,
            "executions_per_second": progress.executions_per_second if progress else None,
            "input_bytes_per_second": progress.input_bytes_per_second if progress else None,
            "activity": shown[run.id].run,
            "agents": _run_agents(agents.get(run.id, {}), shown[run.id]),
        }
        found[run.id] = RunSummary.from_row(run, **computed)
    return found


def _run_agents(agents: RunAgents, shown: RunActivities) -> list[RunAgent]:
    return [
        RunAgent.from_row(
            agent,
            live=is_live(agent, now()),
            has_open_jobs=has_open_jobs,
            activity=shown.agents[agent.id],
        )
        for agent, has_open_jobs in agents.values()
    ]
