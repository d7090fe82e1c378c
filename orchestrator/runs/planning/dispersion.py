"""What the agents' noise floors say of single executions, for previews and estimates."""

from collections.abc import Mapping, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Calibration
from orchestrator.runs.planning.estimate import Workload
from orchestrator.runs.planning.expectation import Spread, expected_repetitions, spread_of
from orchestrator.runs.planning.purposes import Passes
from orchestrator.wire.plans import Plan


def spreads(session: Session, agent_ids: Sequence[str]) -> dict[str, Spread]:
    """Return for each of these agents the spread that its latest noise floor tells."""
    latest = (
        select(func.max(Calibration.id))
        .where(Calibration.agent_id.in_(agent_ids), Calibration.kind == "noise-floor")
        .group_by(Calibration.agent_id)
    )
    rows = session.execute(select(Calibration.agent_id, Calibration.detail).where(Calibration.id.in_(latest)))
    details = {row.agent_id: row.detail for row in rows}
    return {agent_id: spread_of(details.get(agent_id)) for agent_id in agent_ids}


def workload(plan: Plan, of_agents: Mapping[str, Spread]) -> Workload:
    """Return what a plan does with each case, as far as it can be foreseen."""
    passes = Passes.of(plan)
    return Workload(
        passes=passes,
        timed={agent_id: expected_repetitions(plan, spread) or passes.timing for agent_id, spread in of_agents.items()},
        window_seconds=plan.energy.window_seconds if plan.energy is not None else 0.0,
        **({"budget_seconds": plan.precision.seconds_per_case} if plan.precision is not None else {}),
    )
