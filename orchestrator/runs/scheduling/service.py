"""Layout of submitted runs: cases, jobs and executions are written in transactions of at most 1000 rows.

The agents of a run are those of its submission. The part of each agent is laid out when its builds and the chunks of
the run are settled, or, as the plan requires, all parts when the builds of all agents are. The cases of a toolchain
that could not be built get executions in the state skipped, and no job. A run whose chunks could not be made fails.

No job of a part is dispatched before the layout of the part is complete. If a scheduler stops during it, the next one
deletes the incomplete layout and starts again, with the same order, because the seed is stored with the run.
"""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress

import structlog

from orchestrator.builds.requests import request_builds
from orchestrator.database.engine import Database
from orchestrator.database.models import Run, now
from orchestrator.runs.chunks.requests import get_failure, request_chunks
from orchestrator.runs.jobs.repository import cancel_open
from orchestrator.runs.parts import repository as parts
from orchestrator.runs.planning.expansion import Expansion, PartSize, PlannedCase
from orchestrator.runs.planning.preparation import PreparedPlan, prepare
from orchestrator.runs.progress.repository import open_builds
from orchestrator.runs.scheduling import repository
from orchestrator.runs.scheduling.jobs import write_jobs
from orchestrator.runs.scheduling.lease import Lease, LeaseLost, acquire
from orchestrator.runs.scheduling.order import Placement, agent_seed, layout, slice_jobs
from orchestrator.runs.state import RunState, RunStep
from orchestrator.runs.transitions import end_if_complete, move_run
from orchestrator.shared.errors import AgentsPreparing, PlanRefused
from orchestrator.shared.settings import ServiceSettings
from orchestrator.wire.plans import Plan
from orchestrator.wire.records import Failure

MAX_DETAIL_CHARACTERS = 4000
"""Maximum length of a failure's detail on the wire."""

_log = structlog.get_logger(__name__)


def lay_out_next(database: Database, settings: ServiceSettings) -> bool:
    """Lay out the next parts of a run; return whether there were any."""
    waiting: list[str] = []
    while True:
        lease, run = _acquire_next(database, waiting)
        if lease is None or run is None:
            return False
        try:
            _lay_out_parts(lease, run, settings)
        except PlanRefused as error:
            # The plan was valid at its submission; an agent, a build or a chunk was removed since.
            with database.write() as session:
                if move_run(session, run.id, RunStep.FAIL, str(error)):
                    cancel_open(session, run.id)
        except AgentsPreparing:
            # A new build has no known answers yet; the next run may be one of other agents.
            with suppress(LeaseLost), lease.transaction() as session:
                repository.release_lease(session, run.id)
            waiting.append(run.id)
            continue
        except LeaseLost:
            _log.info("layout left to another scheduler", run_id=run.id)
        return True


def _lay_out_parts(lease: Lease, run: Run, settings: ServiceSettings) -> None:
    """Lay out the parts of a run that are ready, or request what they need."""
    started = time.monotonic()
    prepared = _prepare(lease.database, settings, run)
    agent_ids = _ready_agents(lease, run, prepared)
    if _waits(lease, prepared.expansion, agent_ids):
        return
    executions = _lay_out(lease, prepared, run.seed, settings.job_seconds, agent_ids)
    wall_seconds = round(time.monotonic() - started, 3)
    agents = len(agent_ids)
    _log.info("run laid out", run_id=run.id, agents=agents, executions=executions, wall_seconds=wall_seconds)


def _acquire_next(database: Database, waiting: Collection[str]) -> tuple[Lease | None, Run | None]:
    with database.read() as session:
        found = parts.next_run(session, waiting)
    if found is None:
        return None, None
    with database.write() as session:
        return acquire(session, database, found.id, RunState(found.state)), found


def _prepare(database: Database, settings: ServiceSettings, run: Run) -> PreparedPlan:
    """Expand the plan on what the agents of the run have now, which may differ from what they had at its submission.

    Agents that joined later change nothing. A run of an earlier version gets its agents now.
    """
    with database.read() as session:
        agent_ids = [part.agent_id for part in parts.list_parts(session, run.id)]
    plan = Plan.model_validate(run.plan)
    return prepare(database, settings, plan, accept_failed_builds=True, agent_ids=agent_ids)


def _ready_agents(lease: Lease, run: Run, prepared: PreparedPlan) -> list[str]:
    """Return the agents whose parts are laid out now."""
    with lease.transaction() as session:
        if not parts.list_parts(session, run.id):
            parts.store_agents(session, run.id, prepared.sizes(), prepared.expansion.omissions)
        builds = [] if run.start == parts.TOGETHER else open_builds(session, [run.id])
        waiting = {one.agent_id for one in builds}
        rows = parts.list_parts(session, run.id)
        return [part.agent_id for part in rows if part.laid_out_at is None and part.agent_id not in waiting]


def _waits(lease: Lease, expansion: Expansion, agent_ids: Collection[str]) -> bool:
    """Request builds of these agents and chunks that were removed since the submission; return whether there are any.

    Raises PlanRefused if a chunk could not be made.
    """
    needs_builds = any(case.build.build_id is None for case in expansion.cases if case.agent_id in agent_ids)
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


def _lay_out(lease: Lease, prepared: PreparedPlan, seed: int, job_seconds: float, agent_ids: Collection[str]) -> int:
    """Write the parts of these agents as planned jobs, then let all of them wait for dispatch in one transaction.

    Returns the number of their executions.
    """
    run_id = lease.run_id
    has_rounds = prepared.plan.precision is not None
    # An earlier scheduler may have stopped during the layout.
    lease.repeat(lambda session: repository.delete_layout(session, run_id, agent_ids))
    with lease.database.read() as session:
        part = prepared.part(agent_ids, parts.next_case_number(session, run_id))
    expansion = part.expansion
    lease.write(
        expansion.cases,
        lambda session, cases: repository.insert_cases(session, run_id, cases, stop_failed=has_rounds),
    )
    lease.write(expansion.omissions, lambda session, omissions: parts.insert_omissions(session, run_id, omissions))
    with lease.database.read() as session:
        ids = repository.case_ids(session, run_id)
    executable = 0
    for agent_id, cases in expansion.by_agent().items():
        numbers = [case.number for case in cases if case.build.failure is None]
        executable += len(numbers)
        order = layout(numbers, expansion.purposes, agent_seed(seed, agent_id))
        jobs = slice_jobs(order, lambda placement: _seconds(part, placement), job_seconds)
        write_jobs(lease, jobs, agent_id=agent_id, case_ids=ids)
    _write_skipped(lease, expansion, ids)
    sizes = {size.agent_id: size for size in part.sizes()}
    with lease.transaction() as session:
        run = session.get_one(Run, run_id, populate_existing=True)
        rounds_open = run.rounds_open or (has_rounds and executable > 0)
        repository.release_lease(session, run_id, rounds_open=rounds_open)
        # An agent that was revoked since the submission has an omission and no execution.
        laid_out = [sizes.get(agent_id, PartSize(agent_id, 0, 0.0)) for agent_id in agent_ids]
        parts.close_parts(session, run_id, laid_out, now())
        move_run(session, run_id, RunStep.LAY_OUT)
        # The run ends here if every build failed.
        end_if_complete(session, run_id)
    return expansion.executions_total


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
