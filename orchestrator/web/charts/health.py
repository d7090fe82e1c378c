"""Chart of an agent's health checks: time of the control workload, and noise floor."""

from collections.abc import Sequence
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
    with database.read() as session:
        checks = health.list_checks(session, agent_id, None, CHECKS_DRAWN).items
    return chart_response(spec(checks[::-1]), form)


def spec(checks: Sequence[HealthCheckSummary]) -> Spec:
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
    values = [row for check in checks for row in _rows(check)]
    panels = list(dict.fromkeys(str(row["panel"]) for row in values))
    chart = facets(panel, rows(values), "panel", 2, panels)
    return finish(chart | {"resolve": {"scale": {"y": "independent"}}}, panels=len(panels))


def _rows(check: HealthCheckSummary) -> list[dict[str, Any]]:
    common = {"at": check.checked_at.isoformat(), "when": moment(check.checked_at), "state": check.state}
    low, high = check.control.low_work_wall_ns, check.control.high_work_wall_ns
    control = {
        "panel": CONTROL_TIME,
        "value": check.control.median_work_wall_ns / 1e6,
        "low": None if low is None else low / 1e6,
        "high": None if high is None else high / 1e6,
    }
    if check.noise_floor is None:
        return [common | control]
    return [
        common | control,
        common | {"panel": NOISE_FLOOR, "value": 100 * check.noise_floor, "low": None, "high": None},
    ]
