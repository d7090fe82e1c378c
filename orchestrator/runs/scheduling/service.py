"""Laying a submitted run out: cases, jobs and executions into the database, in transactions of at most 1000 rows.

A run that waits for builds is left alone until they are settled. The cases of a toolchain that could not be built get
their executions too, skipped from the beginning, and never a job.

Nothing of a run is dispatched before all of it is there. A scheduler that dies half-way leaves the run planned; the
next one removes what there is and starts anew, and gets the same order, because the seed is the run's.
"""

import time
from collections.abc import Iterator, Sequence
from itertools import islice

import structlog
from sqlalchemy import delete, insert, select, update

from orchestrator.builds import requests
from orchestrator.database.engine import Database
from orchestrator.database.models import Case, CaseStatistics, Execution, Job, Omission, Run, now
from orchestrator.database.rows import changed
from orchestrator.errors import PlanRefused
from orchestrator.runs.completion import end_if_complete, move_run
from orchestrator.runs.planning.expansion import Expansion, PlannedCase
from orchestrator.runs.planning.preparation import PreparedPlan, prepare
from orchestrator.runs.repository import case_ids, next_planned
from orchestrator.runs.scheduling.cases import case_row, omission_row, skipped_failure
from orchestrator.runs.scheduling.jobs import ROWS_A_TRANSACTION, JobPlace, groups, write_jobs
from orchestrator.runs.scheduling.lease import RELEASED, Hold, NotOurs, take
from orchestrator.runs.scheduling.order import Placement, agent_seed, layout, slice_jobs
from orchestrator.runs.state import RunState, RunStep
from orchestrator.settings import ServiceSettings
from orchestrator.wire.plans import Plan

_log = structlog.get_logger(__name__)


def lay_out_next(database: Database, settings: ServiceSettings) -> bool:
    """Lay out the next planned run; return whether there was one."""
    hold, run = _take(database)
    if hold is None or run is None:
        return False
    started = time.monotonic()
    try:
        prepared = _prepare(database, settings, run)
        expansion = prepared.expansion
        if _waits(hold, expansion):
            return True
        _lay_out(hold, prepared, run.seed, settings.job_seconds)
    except PlanRefused as error:
        # What the plan needs was there at its submission and went away since.
        with database.write() as session:
            move_run(session, run.id, RunStep.FAIL, str(error))
    except NotOurs:
        _log.info("layout left to others", run_id=run.id)
    else:
        wall_seconds = round(time.monotonic() - started, 3)
        _log.info("run laid out", run_id=run.id, executions=expansion.executions_total, wall_seconds=wall_seconds)
    return True


def _take(database: Database) -> tuple[Hold | None, Run | None]:
    with database.read() as session:
        found = next_planned(session)
    if found is None:
        return None, None
    with database.write() as session:
        return take(session, database, found.id, RunState.PLANNED), found


def _prepare(database: Database, settings: ServiceSettings, run: Run) -> PreparedPlan:
    """Expand the plan again: a run executes what its agents have at its layout, not what they had at its submission."""
    prepared = prepare(database, settings, Plan.model_validate(run.plan), accept_failed_builds=True)
    if prepared.expansion.missing_chunks:
        first = prepared.expansion.missing_chunks[0]
        detail = (
            f"The chunk {first.kind} of {first.length_bytes} bytes was removed from the corpus after the submission."
        )
        raise PlanRefused(detail, remedy=f"Build it ({first.remedy}) and submit the plan again.")
    return prepared


def _waits(hold: Hold, expansion: Expansion) -> bool:
    """Tell whether builds went away since the submission, after asking for them again; the run then stays planned."""
    if all(case.build.build_id is not None for case in expansion.cases):
        return False
    with hold.batch() as session:
        requests.request_builds(session, hold.run_id, expansion.build_ids())
        changed(session, update(Run).where(Run.id == hold.run_id).values(RELEASED))
    _log.info("run waits for builds", run_id=hold.run_id)
    return True


def _lay_out(hold: Hold, prepared: PreparedPlan, seed: int, job_seconds: float) -> None:
    plan, expansion = prepared.plan, prepared.expansion
    _remove_earlier(hold)
    for cases in groups(expansion.cases):
        with hold.batch() as session:
            session.execute(insert(Case), [_case_row(hold.run_id, case, plan) for case in cases])
    for omissions in groups(expansion.omissions):
        with hold.batch() as session:
            session.execute(insert(Omission), [omission_row(hold.run_id, omission) for omission in omissions])
    with hold.database.read() as session:
        ids = case_ids(session, hold.run_id)
    executable = 0
    for agent_id, cases in expansion.by_agent().items():
        numbers = [case.number for case in cases if case.build.failure is None]
        executable += len(numbers)
        order = layout(numbers, expansion.purposes, agent_seed(seed, agent_id))
        write_jobs(
            hold,
            JobPlace(agent_id, ids),
            slice_jobs(order, lambda placement: _seconds(prepared, placement), job_seconds),
        )
    _write_skipped(hold, expansion, ids)
    with hold.batch() as session:
        values = {
            "laid_out_at": now(),
            "executions_total": expansion.executions_total,
            "estimated_seconds": prepared.estimated_seconds,
            "rounds_open": plan.precision is not None and executable > 0,
        }
        changed(session, update(Run).where(Run.id == hold.run_id).values(RELEASED | values))
        move_run(session, hold.run_id, RunStep.LAY_OUT)
        # Where every build failed there is nothing to wait for.
        end_if_complete(session, hold.run_id)


def _seconds(prepared: PreparedPlan, placement: Placement) -> float:
    """Return the estimated seconds of one execution; an energy window ends with the execution that fills it."""
    energy = prepared.plan.energy
    window = energy.window_seconds if energy is not None and placement.purpose == "energy" else 0.0
    return window + prepared.execution_seconds[placement.case_number]


def _case_row(run_id: str, case: PlannedCase, plan: Plan) -> dict[str, object]:
    # What cannot be executed is never repeated until it is precise.
    stopped = "failing" if plan.precision is not None and case.build.failure is not None else None
    return case_row(run_id, case) | {"stop_reason": stopped}


def _write_skipped(hold: Hold, expansion: Expansion, ids: dict[int, int]) -> None:
    """Write the executions of failed builds as they will stay, and the summaries of their cases."""
    skipped = [case for case in expansion.cases if case.build.failure is not None]
    purposes = expansion.purposes
    counts = {"skipped": purposes.total - purposes.warm_up, "warm_ups": purposes.warm_up}
    for cases in groups(skipped):
        with hold.batch() as session:
            session.execute(insert(CaseStatistics), [{"case_id": ids[case.number], **counts} for case in cases])
    executions = _skipped_rows(hold.run_id, skipped, expansion, ids)
    while some := list(islice(executions, ROWS_A_TRANSACTION)):
        with hold.batch() as session:
            session.execute(insert(Execution), some)


def _skipped_rows(
    run_id: str, cases: Sequence[PlannedCase], expansion: Expansion, ids: dict[int, int]
) -> Iterator[dict[str, object]]:
    at = now()
    for case in cases:
        for placement in layout([case.number], expansion.purposes, seed=0):
            yield {
                "run_id": run_id,
                "case_id": ids[case.number],
                "repetition": placement.repetition,
                "purpose": placement.purpose,
                "state": "skipped",
                "stored_at": at,
                "failure": skipped_failure(case.build.failure or ""),
            }


def _remove_earlier(hold: Hold) -> None:
    """Remove what an earlier attempt left, dependants first."""
    of_run = select(Case.id).where(Case.run_id == hold.run_id)
    summaries = select(CaseStatistics.case_id).where(CaseStatistics.case_id.in_(of_run)).limit(ROWS_A_TRANSACTION)
    while True:
        with hold.batch() as session:
            if not changed(session, delete(CaseStatistics).where(CaseStatistics.case_id.in_(summaries))):
                break
    for table in (Execution, Job, Case, Omission):
        some = select(table.id).where(table.run_id == hold.run_id).limit(ROWS_A_TRANSACTION)
        while True:
            with hold.batch() as session:
                if not changed(session, delete(table).where(table.id.in_(some))):
                    break
