"""Chart of an agent's health checks: time of the control workload, and noise floor."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastapi import Response

from orchestrator.agents.health import service as health
from orchestrator.agents.schemas import HealthCheckSummary
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import AgentId
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import finish, moments
from orchestrator.web.charts.vega_lite import (
    LIMITS_OR_VALUE,
    Spec,
    category,
    end,
    facets,
    layers,
    mark,
    number_tip,
    quantity,
    rows,
    text_tip,
)
from orchestrator.web.formats import moment

PANEL_WIDTH = 380
PANEL_HEIGHT = 170
CONTROL_TIME = "Control workload, ms"
NOISE_FLOOR = "Noise floor, %"
_STATES = ["healthy", "degraded", "quarantined"]
_COLORS = ["#0f8a7e", "#d9822b", "#c9304b"]
CHECKS_DRAWN = 200

router = chart_router()


@router.get("/agents/{agent_id}/charts/health.{form}")
def health_chart(database: DatabaseDep, agent_id: AgentId, form: ChartFormat) -> Response:
    """Draw an agent's health checks over time: the control workload and the noise floor."""
    checks = health.list_checks(database, agent_id, None, CHECKS_DRAWN).items
    return chart_response(spec([_point(check) for check in reversed(checks)]), form)


@dataclass(frozen=True)
class HealthPoint:
    """One check."""

    at: datetime
    state: str
    control_wall_ns: float
    low_wall_ns: float | None
    """Limits of the 95 % interval of the median."""
    high_wall_ns: float | None
    noise_floor: float | None


def _point(check: HealthCheckSummary) -> HealthPoint:
    return HealthPoint(
        at=check.checked_at,
        state=check.state,
        control_wall_ns=check.control.median_work_wall_ns,
        low_wall_ns=check.control.low_work_wall_ns,
        high_wall_ns=check.control.high_work_wall_ns,
        noise_floor=check.noise_floor,
    )


def spec(points: Sequence[HealthPoint]) -> Spec:
    """Return the chart with one panel for each quantity; colors show the result of each check."""
    base = {"x": moments("at")}
    y = {"y": quantity("value", scale={"zero": False}, title=None)}
    interval = {"y": quantity("from"), "y2": end("to")}
    color = category("state", sort=_STATES, scale={"domain": _STATES, "range": _COLORS}, title="Result")
    tooltip = [text_tip("when", "checked"), text_tip("state", "result"), number_tip("value", "value", ",.4~g")]
    panel = layers(
        mark("rule", base | interval, strokeWidth=3, opacity=0.35) | {"transform": LIMITS_OR_VALUE},
        mark("line", base | y, strokeWidth=1.2, opacity=0.5),
        mark("point", base | y | {"color": color, "tooltip": tooltip}, size=45, filled=True, opacity=1),
        width=PANEL_WIDTH,
        height=PANEL_HEIGHT,
    )
    values = [row for point in points for row in _rows(point)]
    panels = list(dict.fromkeys(str(row["panel"]) for row in values))
    chart = facets(panel, rows(values), "panel", 2, panels)
    return finish(chart | {"resolve": {"scale": {"y": "independent"}}}, panels=len(panels))


def _rows(point: HealthPoint) -> list[dict[str, Any]]:
    common: dict[str, Any] = {"at": point.at.isoformat(), "when": moment(point.at), "state": point.state}
    low, high = point.low_wall_ns, point.high_wall_ns
    rows = [
        common
        | {
            "panel": CONTROL_TIME,
            "value": point.control_wall_ns / 1e6,
            "low": None if low is None else low / 1e6,
            "high": None if high is None else high / 1e6,
        }
    ]
    if point.noise_floor is not None:
        rows.append(common | {"panel": NOISE_FLOOR, "value": 100 * point.noise_floor, "low": None, "high": None})
    return rows
