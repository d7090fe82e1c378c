"""What can be asked of runs: look, cancel, pause, resume."""

from datetime import datetime

from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import CaseStatistics, Run, now
from orchestrator.errors import NotFound, TransitionRefused
from orchestrator.pagination import Page, decode_cursor, page_of
from orchestrator.runs import jobs, repository
from orchestrator.runs.completion import end_if_complete, move_run
from orchestrator.runs.precision import precision_shown
from orchestrator.runs.progress import measure_progress
from orchestrator.runs.repository import CaseFilter, CaseRow
from orchestrator.runs.schemas import (
    CaseDetail,
    CaseFigures,
    CaseSummary,
    JobSummary,
    OmissionSummary,
    Progress,
    RunDetail,
    RunSummary,
)
from orchestrator.runs.state import RunState, RunStep, after
from orchestrator.runs.waiting import NO_WAIT, Wait, waits
from orchestrator.wire.builds import Toolchain


def list_runs(database: Database, state: str | None, cursor: str | None, limit: int) -> Page[RunSummary]:
    """Return one page of runs, newest first."""
    key = decode_cursor(cursor, (str, str))
    start = (datetime.fromisoformat(str(key[0])), str(key[1])) if key else None
    with database.read() as session:
        runs = repository.list_runs(session, start, state, limit)
        counts = repository.ended_by_state(session, runs)
        waiting = waits(session, runs, now())
    return page_of(
        runs,
        limit,
        key=lambda run: (run.submitted_at.isoformat(), run.id),
        show=lambda run: _summary(run, counts.get(run.id, {}), waiting.get(run.id, NO_WAIT)),
    )


def show_run(database: Database, run_id: str) -> RunDetail:
    """Return one run with its progress."""
    with database.read() as session:
        run = _find(session, run_id)
        progress, cases = measure_progress(session, run)
        wait = waits(session, [run], now()).get(run_id, NO_WAIT)
        precision = precision_shown(session, run)
    computed = ("cases", "progress", "precision", "waiting_for", "waiting_for_builds")
    columns = {name: getattr(run, name) for name in RunDetail.model_fields if name not in computed}
    return RunDetail(
        **columns,
        cases=cases,
        progress=progress,
        precision=precision,
        waiting_for=list(wait.agents),
        waiting_for_builds=list(wait.builds),
    )


def show_progress(database: Database, run_id: str) -> Progress:
    """Return how far a run is."""
    with database.read() as session:
        return measure_progress(session, _find(session, run_id))[0]


def cancel(database: Database, run_id: str) -> RunDetail:
    """Cancel a run: its open jobs at once, the daemons with their next heartbeat. Again is no error."""
    with database.write() as session:
        if _find(session, run_id).state != RunState.CANCELLED:
            _step(session, run_id, RunStep.CANCEL, "Cancelled by request.")
            jobs.cancel_open(session, run_id)
    return show_run(database, run_id)


def pause(database: Database, run_id: str) -> RunDetail:
    """Pause a run: nothing more is sent, jobs in work stop between two executions. Again is no error."""
    with database.write() as session:
        if _find(session, run_id).state != RunState.PAUSED:
            _step(session, run_id, RunStep.PAUSE)
            jobs.put_back_sent(session, run_id)
    return show_run(database, run_id)


def resume(database: Database, run_id: str) -> RunDetail:
    """Go on with a paused or cancelled run: everything that has no record yet. Again is no error."""
    with database.write() as session:
        if _find(session, run_id).state not in (RunState.RUNNING, RunState.PLANNED):
            _step(session, run_id, RunStep.RESUME)
            jobs.reopen_cancelled(session, run_id)
            end_if_complete(session, run_id)
    return show_run(database, run_id)


def list_cases(
    database: Database, run_id: str, wanted: CaseFilter, cursor: str | None, limit: int
) -> Page[CaseSummary]:
    """Return one page of a run's cases with their statistics."""
    start = _number(cursor)
    with database.read() as session:
        _find(session, run_id)
        rows = repository.list_cases(session, run_id, wanted, start, limit)
    return page_of(rows, limit, key=lambda row: (row[0].number,), show=_case)


def show_case(database: Database, case_id: int) -> CaseDetail:
    """Return one case with its build."""
    with database.read() as session:
        row = repository.get_case(session, case_id)
    if row is None:
        raise NotFound(f"There is no case {case_id}.", remedy="List those of a run: GET /api/v1/runs/{run_id}/cases.")
    build = row[3]
    return CaseDetail(
        **_case(row).model_dump(),
        build_key=build.build_key,
        toolchain=build.toolchain,
        compiler_version=build.compiler_version,
        build_failure=build.failure,
    )


def list_omissions(database: Database, run_id: str, cursor: str | None, limit: int) -> Page[OmissionSummary]:
    """Return one page of what a run leaves out, and why."""
    start = _number(cursor)
    with database.read() as session:
        _find(session, run_id)
        rows = repository.list_omissions(session, run_id, start, limit)
    names = [name for name in OmissionSummary.model_fields if name != "agent_name"]
    return page_of(
        rows,
        limit,
        key=lambda row: (row[0].id,),
        show=lambda row: OmissionSummary(agent_name=row[1], **{name: getattr(row[0], name) for name in names}),
    )


def list_jobs(database: Database, run_id: str, state: str | None, cursor: str | None, limit: int) -> Page[JobSummary]:
    """Return one page of a run's jobs."""
    start = _number(cursor)
    with database.read() as session:
        _find(session, run_id)
        rows = repository.list_jobs(session, run_id, state, start, limit)
    return page_of(
        rows,
        limit,
        key=lambda job: (job.id,),
        show=lambda job: JobSummary.model_validate(job, from_attributes=True),
    )


def _find(session: Session, run_id: str) -> Run:
    run = repository.get_run(session, run_id)
    if run is None:
        raise NotFound(f"There is no run {run_id[:40]!r}.", remedy="List them: ciphermark runs list.")
    return run


def _step(session: Session, run_id: str, step: RunStep, reason: str = "") -> None:
    # Says why where the step is not possible; the write transaction keeps the state from changing in between.
    after(_find(session, run_id).state, step)
    if not move_run(session, run_id, step, reason):
        raise TransitionRefused(f"Run {run_id} changed its state meanwhile.", remedy="Look again.")


def _summary(run: Run, counts: dict[str, int], wait: Wait) -> RunSummary:
    counted = ("executions_done", "wrong", "disputed", "failed", "waiting_for", "waiting_for_builds")
    return RunSummary(
        **{name: getattr(run, name) for name in RunSummary.model_fields if name not in counted},
        executions_done=sum(counts.values()),
        wrong=counts.get("wrong", 0),
        disputed=counts.get("disputed", 0),
        failed=counts.get("failed", 0),
        waiting_for=list(wait.agents),
        waiting_for_builds=list(wait.builds),
    )


def _case(row: CaseRow) -> CaseSummary:
    case, summary, agent_name, build = row
    joined = ("agent_name", "toolchain_words", "copy_number", "summary")
    columns = {name: getattr(case, name) for name in CaseSummary.model_fields if name not in joined}
    words = Toolchain.model_validate(build.toolchain).words
    return CaseSummary(
        **columns,
        agent_name=agent_name,
        toolchain_words=words,
        copy_number=case.copy,
        summary=_summary_of_case(summary),
    )


def _summary_of_case(summary: CaseStatistics | None) -> CaseFigures | None:
    return None if summary is None else CaseFigures.model_validate(summary, from_attributes=True)


def _number(cursor: str | None) -> int | None:
    key = decode_cursor(cursor, (int,))
    return int(key[0]) if key else None
