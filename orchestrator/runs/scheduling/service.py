"""Laying a submitted run out: cases, jobs and executions into the database, in transactions of at most 1000 rows.

A run that waits for builds is left alone until they are settled. The cases of a toolchain that could not be built get
their executions too, skipped from the beginning, and never a job.

Nothing of a run is dispatched before all of it is there. A scheduler that dies half-way leaves the run planned; the
next one removes what there is and starts anew, and gets the same order, because the seed is the run's.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import structlog
from sqlalchemy import delete, insert, select, update

from orchestrator.chunks.service import register
from orchestrator.database.engine import Database
from orchestrator.database.models import Case, CaseStatistics, Execution, Job, Omission, Run, now
from orchestrator.database.rows import changed
from orchestrator.errors import PlanRefused
from orchestrator.runs.completion import end_if_complete, move_run
from orchestrator.runs.planning.dispersion import spreads, workload
from orchestrator.runs.planning.estimate import Estimate, estimate, measured_key, seconds_of
from orchestrator.runs.planning.planner import Expansion, PlannedCase, expand
from orchestrator.runs.planning.repository import agent_offers, chunk_index, measured
from orchestrator.runs.planning.required_builds import ask_for_builds
from orchestrator.runs.repository import case_ids, next_planned
from orchestrator.runs.scheduling.cases import case_row, omission_row, skipped_failure
from orchestrator.runs.scheduling.jobs import ROWS_A_TRANSACTION, JobPlace, groups, write_jobs
from orchestrator.runs.scheduling.lease import RELEASED, Hold, NotOurs, take
from orchestrator.runs.scheduling.order import Placement, agent_seed, layout, slice_jobs
from orchestrator.runs.state import RunState, RunStep
from orchestrator.settings import ServiceSettings
from orchestrator.wire.plans import Plan

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _Drawn:
    """A plan as it is laid out now."""

    plan: Plan
    seed: int
    expansion: Expansion
    seconds: dict[int, float]
    """Case number → estimated seconds of one execution."""
    estimates: dict[str, Estimate]
    job_seconds: float

    def lasts(self, placement: Placement) -> float:
        """Return the estimated seconds of one execution; an energy window ends with the execution that fills it."""
        window = self.plan.energy.window_seconds if self.plan.energy and placement.purpose == "energy" else 0.0
        return window + self.seconds[placement.case_number]


def lay_out_next(database: Database, settings: ServiceSettings) -> bool:
    """Lay out the next planned run; return whether there was one."""
    hold, run = _take(database)
    if hold is None or run is None:
        return False
    started = time.monotonic()
    try:
        drawn = _draw(database, settings, run)
        if _waits(hold, drawn.expansion):
            return True
        _lay_out(hold, drawn)
    except PlanRefused as error:
        # What the plan needs was there at its submission and went away since.
        with database.write() as session:
            move_run(session, run.id, RunStep.FAIL, str(error))
    except NotOurs:
        _log.info("layout left to others", run_id=run.id)
    else:
        wall_seconds = round(time.monotonic() - started, 3)
        _log.info("run laid out", run_id=run.id, executions=drawn.expansion.executions_total, wall_seconds=wall_seconds)
    return True


def _take(database: Database) -> tuple[Hold | None, Run | None]:
    with database.read() as session:
        found = next_planned(session)
    if found is None:
        return None, None
    with database.write() as session:
        return take(session, database, found.id, RunState.PLANNED), found


def _draw(database: Database, settings: ServiceSettings, run: Run) -> _Drawn:
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
    agent_ids = sorted(expansion.by_agent())
    with database.read() as session:
        known = measured(session, agent_ids)
        work = workload(plan, spreads(session, agent_ids))
    seconds = {case.number: seconds_of(measured_key(case), known)[0] for case in expansion.cases}
    return _Drawn(plan, run.seed, expansion, seconds, estimate(expansion.cases, work, known), settings.job_seconds)


def _waits(hold: Hold, expansion: Expansion) -> bool:
    """Tell whether builds went away since the submission, after asking for them again; the run then stays planned."""
    if all(case.build.build_id is not None for case in expansion.cases):
        return False
    with hold.batch() as session:
        ask_for_builds(session, hold.run_id, expansion)
        changed(session, update(Run).where(Run.id == hold.run_id).values(RELEASED))
    _log.info("run waits for builds", run_id=hold.run_id)
    return True


def _lay_out(hold: Hold, drawn: _Drawn) -> None:
    expansion = drawn.expansion
    _remove_earlier(hold)
    for cases in groups(expansion.cases):
        with hold.batch() as session:
            session.execute(insert(Case), [_case_row(hold.run_id, case, drawn.plan) for case in cases])
    for omissions in groups(expansion.omissions):
        with hold.batch() as session:
            session.execute(insert(Omission), [omission_row(hold.run_id, omission) for omission in omissions])
    with hold.database.read() as session:
        ids = case_ids(session, hold.run_id)
    executable = 0
    for agent_id, cases in expansion.by_agent().items():
        numbers = [case.number for case in cases if case.build.failure is None]
        executable += len(numbers)
        order = layout(numbers, expansion.passes, agent_seed(drawn.seed, agent_id))
        write_jobs(hold, JobPlace(agent_id, ids), slice_jobs(order, drawn.lasts, drawn.job_seconds))
    _write_skipped(hold, expansion, ids)
    with hold.batch() as session:
        values = {
            "laid_out_at": now(),
            "executions_total": expansion.executions_total,
            "estimated_seconds": max(part.seconds for part in drawn.estimates.values()),
            "rounds_open": drawn.plan.precision is not None and executable > 0,
        }
        changed(session, update(Run).where(Run.id == hold.run_id).values(RELEASED | values))
        move_run(session, hold.run_id, RunStep.LAY_OUT)
        # Where every build failed there is nothing to wait for.
        end_if_complete(session, hold.run_id)


def _case_row(run_id: str, case: PlannedCase, plan: Plan) -> dict[str, object]:
    # What cannot be executed is never repeated until it is precise.
    stopped = "failing" if plan.precision is not None and case.build.failure is not None else None
    return case_row(run_id, case) | {"stop_reason": stopped}


def _write_skipped(hold: Hold, expansion: Expansion, ids: dict[int, int]) -> None:
    """Write the executions of failed builds as they will stay, and the summaries of their cases."""
    skipped = [case for case in expansion.cases if case.build.failure is not None]
    passes = expansion.passes
    counts = {"skipped": passes.executions - passes.warm_up, "warm_ups": passes.warm_up}
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
        for placement in layout([case.number], expansion.passes, seed=0):
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
