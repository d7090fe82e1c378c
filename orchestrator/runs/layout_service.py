"""Laying a submitted run out: cases, jobs and executions into the database, in transactions of at most 1000 rows.

A run that waits for builds is left alone until they are settled. The cases of a toolchain that could not be built get
their executions too, skipped from the beginning, and never a job.

Nothing of a run is dispatched before all of it is there. A scheduler that dies half-way leaves the run planned; the
next one removes what there is and starts anew, and gets the same order, because the seed is the run's.
"""

import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import islice
from typing import TypeVar

import structlog
from sqlalchemy import delete, insert, or_, select, update
from sqlalchemy.orm import Session

from orchestrator.chunks.service import register
from orchestrator.database.engine import Database
from orchestrator.database.models import Case, CaseSummary, Execution, Job, Omission, Run, now
from orchestrator.database.rows import changed
from orchestrator.errors import PlanRefused
from orchestrator.runs.builds_first import ask_for_builds
from orchestrator.runs.estimate import measured_key, seconds_of
from orchestrator.runs.layout import Placement, agent_seed, layout, slice_jobs
from orchestrator.runs.layout_rows import case_row, omission_row, skipped_failure
from orchestrator.runs.offer_repository import agent_offers, chunk_index, measured
from orchestrator.runs.planner import Expansion, expand
from orchestrator.runs.progress import end_if_complete, move_run
from orchestrator.runs.repository import case_ids, next_planned
from orchestrator.runs.state import JobState, RunState, RunStep
from orchestrator.settings import ServiceSettings
from orchestrator.wire.plans import Plan

ROWS_A_TRANSACTION = 1000
SILENT = timedelta(seconds=5)
"""A scheduler that lays a run out writes each few milliseconds; after this long it is taken for dead."""

Row = TypeVar("Row")

_log = structlog.get_logger(__name__)


class _NotOurs(Exception):
    """The run was cancelled or paused meanwhile, or another scheduler took it over."""


def lay_out_next(database: Database, settings: ServiceSettings) -> bool:
    """Lay out the next planned run; return whether there was one."""
    run = _take(database)
    if run is None:
        return False
    started = time.monotonic()
    try:
        expansion, seconds = _expand(database, settings, run)
        if _waits(database, run, expansion):
            return True
        _lay_out(database, settings, run, expansion, seconds)
    except PlanRefused as error:
        # What the plan needs was there at its submission and went away since.
        with database.write() as session:
            move_run(session, run.id, RunStep.FAIL, str(error))
    except _NotOurs:
        _log.info("layout left to others", run_id=run.id)
    else:
        wall_seconds = round(time.monotonic() - started, 3)
        _log.info("run laid out", run_id=run.id, executions=expansion.executions_total, wall_seconds=wall_seconds)
    return True


def _take(database: Database) -> Run | None:
    with database.read() as session:
        found = next_planned(session)
    if found is None:
        return None
    at = now()
    free = or_(Run.layout_touched_at.is_(None), Run.layout_touched_at < at - SILENT)
    token = secrets.token_hex(16)
    with database.write() as session:
        taken = update(Run).where(Run.id == found.id, Run.state == RunState.PLANNED, Run.laid_out_at.is_(None), free)
        if not changed(session, taken.values(layout_token=token, layout_touched_at=at)):
            return None
        return session.get_one(Run, found.id)


@contextmanager
def _batch(database: Database, run: Run) -> Iterator[Session]:
    """Give a write transaction in which the run is still ours to lay out; raise _NotOurs where it is not."""
    with database.write() as session:
        ours = update(Run).where(Run.id == run.id, Run.state == RunState.PLANNED, Run.layout_token == run.layout_token)
        if not changed(session, ours.values(layout_touched_at=now())):
            raise _NotOurs
        yield session


def _expand(database: Database, settings: ServiceSettings, run: Run) -> tuple[Expansion, dict[int, float]]:
    """Expand the plan again: what an agent has now is what it will execute, not what it had at submission."""
    register(database, settings.corpus_folder)
    plan = Plan.model_validate(run.plan)
    with database.read() as session:
        offers = agent_offers(session, plan.all_toolchains(), take_answers=True)
        chunks = chunk_index(session)
    expansion = expand(plan, offers, chunks, settings.max_executions)
    if expansion.missing_chunks:
        first = expansion.missing_chunks[0]
        detail = f"The chunk {first.kind} of {first.length_bytes} bytes left the corpus after the submission."
        raise PlanRefused(detail, remedy=f"Build it ({first.remedy}) and submit again.")
    with database.read() as session:
        known = measured(session, sorted(expansion.by_agent()))
    return expansion, {case.number: seconds_of(measured_key(case), known)[0] for case in expansion.cases}


def _waits(database: Database, run: Run, expansion: Expansion) -> bool:
    """Tell whether builds went away since the submission, after asking for them again; the run then stays planned."""
    if all(case.build.build_id is not None for case in expansion.cases):
        return False
    with _batch(database, run) as session:
        ask_for_builds(session, run.id, expansion)
        changed(session, update(Run).where(Run.id == run.id).values(layout_token=None, layout_touched_at=None))
    _log.info("run waits for builds", run_id=run.id)
    return True


def _lay_out(
    database: Database, settings: ServiceSettings, run: Run, expansion: Expansion, seconds: dict[int, float]
) -> None:
    _remove_earlier(database, run)
    for cases in _groups(expansion.cases):
        with _batch(database, run) as session:
            session.execute(insert(Case), [case_row(run.id, case) for case in cases])
    for omissions in _groups(expansion.omissions):
        with _batch(database, run) as session:
            session.execute(insert(Omission), [omission_row(run.id, omission) for omission in omissions])
    with database.read() as session:
        ids = case_ids(session, run.id)
    duration = 0.0
    for agent_id, cases in expansion.by_agent().items():
        numbers = [case.number for case in cases if case.build.failure is None]
        order = layout(numbers, expansion.repetitions, agent_seed(run.seed, agent_id))
        _write_jobs(database, run, agent_id, slice_jobs(order, seconds, settings.job_seconds), ids)
        duration = max(duration, expansion.repetitions * sum(seconds[number] for number in numbers))
    _write_skipped(database, run, expansion, ids)
    with _batch(database, run) as session:
        finished = update(Run).where(Run.id == run.id)
        changed(
            session,
            finished.values(
                laid_out_at=now(),
                layout_token=None,
                executions_total=expansion.executions_total,
                estimated_seconds=duration,
            ),
        )
        move_run(session, run.id, RunStep.LAY_OUT)
        # Where every build failed there is nothing to wait for.
        end_if_complete(session, run.id)


def _write_jobs(
    database: Database, run: Run, agent_id: str, jobs: Iterable[list[Placement]], ids: dict[int, int]
) -> None:
    number = 0
    for group in _job_groups(jobs):
        with _batch(database, run) as session:
            rows = [
                {
                    "run_id": run.id,
                    "agent_id": agent_id,
                    "number": number + offset,
                    "state": JobState.WAITING,
                    "executions_total": len(job),
                }
                for offset, job in enumerate(group)
            ]
            inserted = session.scalars(insert(Job).returning(Job.id, sort_by_parameter_order=True), rows).all()
            session.execute(
                insert(Execution),
                [
                    {
                        "run_id": run.id,
                        "case_id": ids[placement.case_number],
                        "job_id": job_id,
                        "repetition": placement.repetition,
                        "position": placement.position,
                    }
                    for job_id, job in zip(inserted, group, strict=True)
                    for placement in job
                ],
            )
        number += len(group)


def _write_skipped(database: Database, run: Run, expansion: Expansion, ids: dict[int, int]) -> None:
    """Write the executions of failed builds as they will stay, and the summaries of their cases."""
    skipped = [case for case in expansion.cases if case.build.failure is not None]
    for cases in _groups(skipped):
        with _batch(database, run) as session:
            rows = [{"case_id": ids[case.number], "skipped": expansion.repetitions} for case in cases]
            session.execute(insert(CaseSummary), rows)
    at = now()
    executions = (
        {
            "run_id": run.id,
            "case_id": ids[case.number],
            "repetition": repetition,
            "state": "skipped",
            "stored_at": at,
            "failure": skipped_failure(case.build.failure or ""),
        }
        for case in skipped
        for repetition in range(1, expansion.repetitions + 1)
    )
    while some := list(islice(executions, ROWS_A_TRANSACTION)):
        with _batch(database, run) as session:
            session.execute(insert(Execution), some)


def _job_groups(jobs: Iterable[list[Placement]]) -> Iterator[list[list[Placement]]]:
    """Yield jobs together as long as their rows fit one transaction."""
    group: list[list[Placement]] = []
    rows = 0
    for job in jobs:
        if group and rows + len(job) + 1 > ROWS_A_TRANSACTION:
            yield group
            group, rows = [], 0
        group.append(job)
        rows += len(job) + 1
    if group:
        yield group


def _remove_earlier(database: Database, run: Run) -> None:
    """Remove what an earlier attempt left, dependants first."""
    of_run = select(Case.id).where(Case.run_id == run.id)
    summaries = select(CaseSummary.case_id).where(CaseSummary.case_id.in_(of_run)).limit(ROWS_A_TRANSACTION)
    while True:
        with _batch(database, run) as session:
            if not changed(session, delete(CaseSummary).where(CaseSummary.case_id.in_(summaries))):
                break
    for table in (Execution, Job, Case, Omission):
        some = select(table.id).where(table.run_id == run.id).limit(ROWS_A_TRANSACTION)
        while True:
            with _batch(database, run) as session:
                if not changed(session, delete(table).where(table.id.in_(some))):
                    break


def _groups(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    for start in range(0, len(rows), ROWS_A_TRANSACTION):
        yield rows[start : start + ROWS_A_TRANSACTION]
