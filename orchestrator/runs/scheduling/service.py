"""Layout of submitted runs: cases, jobs and executions are written in transactions of at most 1000 rows.

A run that waits for builds and chunks is laid out when they are settled. The cases of a toolchain that could not be
built get executions in the state skipped, and no job. A run whose chunks could not be made fails.

No job of a run is dispatched before the layout is complete. If a scheduler stops during a layout, the run stays
planned; the next scheduler deletes the incomplete layout and starts again, with the same order, because the seed is
stored with the run.
"""

import time
from collections.abc import Iterator, Mapping, Sequence

import structlog

from orchestrator.builds.requests import request_builds
from orchestrator.chunks.requests import get_failure, request_chunks
from orchestrator.database.engine import Database
from orchestrator.database.models import Run, now
from orchestrator.errors import PlanRefused
from orchestrator.runs.planning.expansion import Expansion, PlannedCase
from orchestrator.runs.planning.preparation import PreparedPlan, prepare
from orchestrator.runs.repository import next_planned
from orchestrator.runs.scheduling import repository
from orchestrator.runs.scheduling.jobs import write_jobs
from orchestrator.runs.scheduling.lease import Lease, LeaseLost, acquire
from orchestrator.runs.scheduling.order import Placement, agent_seed, layout, slice_jobs
from orchestrator.runs.state import RunState, RunStep
from orchestrator.runs.transitions import end_if_complete, move_run
from orchestrator.settings import ServiceSettings
from orchestrator.wire.plans import Plan
from orchestrator.wire.records import Failure

MAX_DETAIL_CHARACTERS = 4000
"""Maximum length of a failure's detail on the wire."""

_log = structlog.get_logger(__name__)


def lay_out_next(database: Database, settings: ServiceSettings) -> bool:
    """Lay out the next planned run; return whether there was one."""
    lease, run = _acquire_next(database)
    if lease is None or run is None:
        return False
    started = time.monotonic()
    try:
        # Expanded on what the agents and the corpus have now, which may differ from what they had at the submission.
        prepared = prepare(database, settings, Plan.model_validate(run.plan), accept_failed_builds=True)
        if _waits(lease, prepared.expansion):
            return True
        _lay_out(lease, prepared, run.seed, settings.job_seconds)
    except PlanRefused as error:
        # The plan was valid at its submission; an agent, a build or a chunk was removed since.
        with database.write() as session:
            move_run(session, run.id, RunStep.FAIL, str(error))
    except LeaseLost:
        _log.info("layout left to another scheduler", run_id=run.id)
    else:
        wall_seconds = round(time.monotonic() - started, 3)
        executions = prepared.expansion.executions_total
        _log.info("run laid out", run_id=run.id, executions=executions, wall_seconds=wall_seconds)
    return True


def _acquire_next(database: Database) -> tuple[Lease | None, Run | None]:
    with database.read() as session:
        found = next_planned(session)
    if found is None:
        return None, None
    with database.write() as session:
        return acquire(session, database, found.id, RunState.PLANNED), found


def _waits(lease: Lease, expansion: Expansion) -> bool:
    """Request builds and chunks that were removed since the submission; return whether there are any.

    Raises PlanRefused if a chunk could not be made.
    """
    needs_builds = any(case.build.build_id is None for case in expansion.cases)
    if not needs_builds and not expansion.missing_chunks:
        return False
    with lease.transaction() as session:
        if expansion.missing_chunks and (failure := get_failure(session, lease.run_id)):
            raise PlanRefused(failure, remedy="Then submit the plan again.")
        request_builds(session, lease.run_id, expansion.build_ids())
        request_chunks(session, lease.run_id, expansion.missing_inputs())
        repository.release_lease(session, lease.run_id)
    _log.info("run waits for builds or chunks", run_id=lease.run_id)
    return True


def _lay_out(lease: Lease, prepared: PreparedPlan, seed: int, job_seconds: float) -> None:
    run_id, expansion = lease.run_id, prepared.expansion
    has_rounds = prepared.plan.precision is not None
    # An earlier scheduler may have stopped during the layout.
    lease.repeat(lambda session: repository.delete_layout(session, run_id))
    lease.write(
        expansion.cases,
        lambda session, cases: repository.insert_cases(session, run_id, cases, stop_failed=has_rounds),
    )
    lease.write(expansion.omissions, lambda session, omissions: repository.insert_omissions(session, run_id, omissions))
    with lease.database.read() as session:
        ids = repository.case_ids(session, run_id)
    executable = 0
    for agent_id, cases in expansion.by_agent().items():
        numbers = [case.number for case in cases if case.build.failure is None]
        executable += len(numbers)
        order = layout(numbers, expansion.purposes, agent_seed(seed, agent_id))
        jobs = slice_jobs(order, lambda placement: _seconds(prepared, placement), job_seconds)
        write_jobs(lease, jobs, agent_id=agent_id, case_ids=ids)
    _write_skipped(lease, expansion, ids)
    with lease.transaction() as session:
        repository.release_lease(
            session,
            run_id,
            laid_out_at=now(),
            executions_total=expansion.executions_total,
            estimated_seconds=prepared.estimated_seconds,
            rounds_open=has_rounds and executable > 0,
        )
        move_run(session, run_id, RunStep.LAY_OUT)
        # The run ends here if every build failed.
        end_if_complete(session, run_id)


def _seconds(prepared: PreparedPlan, placement: Placement) -> float:
    """Return the estimated seconds of one execution; an energy window ends with the execution that fills it."""
    energy = prepared.plan.energy
    window = energy.window_seconds if energy is not None and placement.purpose == "energy" else 0.0
    return window + prepared.execution_seconds[placement.case_number]


def _write_skipped(lease: Lease, expansion: Expansion, ids: Mapping[int, int]) -> None:
    """Write the skipped executions of failed builds, and the statistics of their cases."""
    skipped = [case for case in expansion.cases if case.build.failure is not None]
    purposes = expansion.purposes
    counts = {"skipped": purposes.total - purposes.warm_up, "warm_ups": purposes.warm_up}
    lease.write([{"case_id": ids[case.number], **counts} for case in skipped], repository.insert_statistics)
    lease.write(_skipped_rows(lease.run_id, skipped, expansion, ids), repository.insert_executions)


def _skipped_rows(
    run_id: str, cases: Sequence[PlannedCase], expansion: Expansion, ids: Mapping[int, int]
) -> Iterator[dict[str, object]]:
    at = now()
    for case in cases:
        # The end of the reason has the compiler's last lines.
        failure = Failure(error="build-failed", detail=(case.build.failure or "")[-MAX_DETAIL_CHARACTERS:])
        for placement in layout([case.number], expansion.purposes, seed=0):
            yield {
                "run_id": run_id,
                "case_id": ids[case.number],
                "repetition": placement.repetition,
                "purpose": placement.purpose,
                "state": "skipped",
                "stored_at": at,
                "failure": failure.model_dump(mode="json"),
            }
