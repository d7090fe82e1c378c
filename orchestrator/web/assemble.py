"""Rows of the database as parts of views: what several pages share."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from orchestrator.agents.liveness import is_live
from orchestrator.database.models import Agent, Build, Calibration, CaseStatistics, Inventory, Run, now
from orchestrator.runs.progress import measure_progress
from orchestrator.runs.repository import agents_of_runs, ended_by_state
from orchestrator.runs.schemas import Progress
from orchestrator.runs.state import RunState
from orchestrator.runs.waiting import NO_WAIT, Wait, waits
from orchestrator.web import repository
from orchestrator.web.repository import CaseResult
from orchestrator.web.views import AgentName, CalibrationRow, Interval, ResultRow, RunCard, Tally
from orchestrator.wire.agents import InventoryFacts
from orchestrator.wire.builds import Toolchain


def agent_name(agent: Agent) -> AgentName:
    """Return an agent as links show it."""
    return AgentName(id=agent.id, name=agent.name, live=is_live(agent, now()))


def run_cards(session: Session, runs: Sequence[Run]) -> list[RunCard]:
    """Return the cards of these runs; only for those that run now, the speed is looked up one by one."""
    ids = [run.id for run in runs]
    counts, disturbed = ended_by_state(session, runs), repository.disturbed(session, ids)
    agents = agents_of_runs(session, ids)
    waiting = waits(session, runs, now())
    speeds = {run.id: measure_progress(session, run)[0] for run in runs if run.state == RunState.RUNNING}
    return [
        _run_card(
            run,
            Tally(**counts.get(run.id, {}), disturbed=disturbed.get(run.id, 0), total=run.executions_total),
            agents.get(run.id, {}),
            speeds.get(run.id),
            waiting.get(run.id, NO_WAIT),
        )
        for run in runs
    ]


def _run_card(
    run: Run,
    tally: Tally,
    agents: Mapping[str, tuple[Agent, bool]],
    speed: Progress | None,
    wait: Wait,
) -> RunCard:
    return RunCard(
        id=run.id,
        name=run.name,
        description=str(run.plan.get("description") or ""),
        state=wait.displayed_state(run),
        awaited_builds=list(wait.builds),
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
        quarantined={
            agent.name: agent.health_reason
            for agent, has_open_jobs in agents.values()
            if has_open_jobs and agent.health == "quarantined"
        },
    )


def common_facts(result: CaseResult) -> dict[str, Any]:
    """Return what the rows of both protocols say of a case; one without a summary has no execution yet."""
    case, expected = result.case, result.expected
    found = summary_of(result)
    return {
        "case_id": case.id,
        "protocol": case.protocol,
        "agent": result.agent,
        "provider": case.provider,
        "algorithm": case.algorithm,
        "variant": case.variant,
        "copy_number": case.copy,
        "toolchain": toolchain_text(result.toolchain),
        "input_kind": case.input_kind,
        "message_bytes": case.message_bytes,
        "peak_rss_bytes": found.median_peak_rss_bytes,
        "relative_interval": found.relative_interval,
        "outliers": found.outliers,
        "warm_ups": found.warm_ups,
        "cycles_per_instruction": found.median_cycles_per_instruction,
        "energy_per_execution_joules": found.median_energy_per_execution_joules,
        "energy_per_byte_joules": found.median_energy_per_byte_joules,
        "basis": expected.basis if expected else None,
        **{name: getattr(found, name) for name in repository.COUNTS},
    }


def summary_of(result: CaseResult) -> CaseStatistics:
    """Return the statistics of a case; without any, counts of 0 and no medians."""
    return result.summary or CaseStatistics(**dict.fromkeys((*repository.COUNTS, "outliers", "warm_ups"), 0))


def result_row(result: CaseResult) -> ResultRow:
    """Return one case of the process protocol with its statistics."""
    found = summary_of(result)
    return ResultRow(
        **common_facts(result),
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
    )


def toolchain_text(toolchain: Mapping[str, Any]) -> str:
    """Return a stored toolchain in words."""
    return Toolchain.model_validate(toolchain).words


def calibration_row(calibration: Calibration, build: Build) -> CalibrationRow:
    """Return one calibration beside the toolchain it was made with."""
    return CalibrationRow(
        kind=calibration.kind,
        value=calibration.value,
        unit=calibration.unit,
        toolchain=toolchain_text(build.toolchain),
        calibrated_at=calibration.calibrated_at,
    )


def inventory_facts(inventory: Inventory | None) -> InventoryFacts | None:
    """Return the facts of an inventory as their message, or None where the agent has sent none."""
    return None if inventory is None else InventoryFacts.model_validate(inventory.facts)
