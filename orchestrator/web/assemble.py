"""Rows of the database as parts of views: what several pages share."""

from collections.abc import Mapping, Sequence

from sqlalchemy.orm import Session

from orchestrator.agents.heartbeats import is_live
from orchestrator.database.models import Agent, Build, Calibration, CaseSummary, Inventory, Run, now
from orchestrator.results.agent_facts import toolchain_words
from orchestrator.runs.progress_view import measure_progress
from orchestrator.runs.schemas import Progress
from orchestrator.runs.state import RunState
from orchestrator.web import repository
from orchestrator.web.repository import CaseResult
from orchestrator.web.views import AgentName, CalibrationRow, Interval, ResultRow, RunCard, Tally
from orchestrator.wire.agents import Inventory as InventoryFacts
from orchestrator.wire.builds import Toolchain

WAITING_FOR_AGENT = "waiting for agent"


def agent_name(agent: Agent) -> AgentName:
    """Return an agent as links show it."""
    return AgentName(id=agent.id, name=agent.name, live=is_live(agent, now()))


def run_cards(session: Session, runs: Sequence[Run]) -> list[RunCard]:
    """Return the cards of these runs; only for those that run now, the speed is looked up one by one."""
    ids = [run.id for run in runs]
    counts = repository.counts(session, ids)
    agents = repository.agents_of_runs(session, ids)
    speeds = {run.id: measure_progress(session, run)[0] for run in runs if run.state == RunState.RUNNING}
    return [_run_card(run, counts.get(run.id, {}), agents.get(run.id, {}), speeds.get(run.id)) for run in runs]


def _run_card(
    run: Run, counts: Mapping[str, int], agents: Mapping[str, tuple[Agent, bool]], speed: Progress | None
) -> RunCard:
    tally = Tally(**counts, total=run.executions_total)
    needed = [agent for agent, has_open_jobs in agents.values() if has_open_jobs]
    silent = run.state == RunState.RUNNING and bool(needed) and not any(is_live(agent, now()) for agent in needed)
    return RunCard(
        id=run.id,
        name=run.name,
        description=str(run.plan.get("description") or ""),
        state=WAITING_FOR_AGENT if silent else run.state,
        reason=run.reason,
        submitted_at=run.submitted_at,
        submitted_by=run.submitted_by,
        started_at=run.started_at,
        finished_at=run.finished_at,
        seed=run.seed,
        repetitions=int(run.plan.get("repetitions") or 0),
        tally=tally,
        estimated_seconds=run.estimated_seconds,
        remaining_seconds=speed.seconds_left if speed else None,
        executions_per_second=speed.executions_per_second if speed else None,
        input_bytes_per_second=speed.input_bytes_per_second if speed else None,
        agents=[agent_name(agent) for agent, _ in agents.values()],
    )


def result_row(result: CaseResult) -> ResultRow:
    """Return one case with its statistics; a case without a summary has no execution yet."""
    case, expected = result.case, result.expected
    found = result.summary or CaseSummary(ok=0, failed=0, wrong=0, disputed=0, disturbed=0)
    return ResultRow(
        case_id=case.id,
        agent=result.agent,
        provider=case.provider,
        algorithm=case.algorithm,
        variant=case.variant,
        input_kind=case.input_kind,
        message_bytes=case.message_bytes,
        encrypt_bytes_per_second=Interval(
            median=found.median_encrypt_bytes_per_second,
            low=found.low_encrypt_bytes_per_second,
            high=found.high_encrypt_bytes_per_second,
        ),
        decrypt_bytes_per_second=found.median_decrypt_bytes_per_second,
        pass_bytes_per_second=Interval(
            median=found.median_pass_bytes_per_second,
            low=found.low_pass_bytes_per_second,
            high=found.high_pass_bytes_per_second,
        ),
        work_wall_ns=found.median_work_wall_ns,
        work_cpu_ns=found.median_work_cpu_ns,
        peak_rss_bytes=found.median_peak_rss_bytes,
        basis=expected.basis if expected else None,
        ok=found.ok,
        failed=found.failed,
        wrong=found.wrong,
        disputed=found.disputed,
        disturbed=found.disturbed,
    )


def toolchain_text(build: Build) -> str:
    """Return the toolchain of a build in one line."""
    return toolchain_words(Toolchain.model_validate(build.toolchain))


def calibration_row(calibration: Calibration, build: Build) -> CalibrationRow:
    """Return one calibration beside the toolchain it was made with."""
    return CalibrationRow(
        kind=calibration.kind,
        value=calibration.value,
        unit=calibration.unit,
        toolchain=toolchain_text(build),
        calibrated_at=calibration.calibrated_at,
    )


def inventory_facts(inventory: Inventory | None) -> InventoryFacts | None:
    """Return the facts of an inventory as their message, or None where the agent has sent none."""
    return None if inventory is None else InventoryFacts.model_validate(inventory.facts)
