"""Chart of each provider relative to the fastest one of the same algorithm and length.

It shows differences of a few percent, which are invisible on the logarithmic axis of the throughput chart.
"""

from collections.abc import Sequence
from typing import Any

from fastapi import Response

from orchestrator.units import format_size
from orchestrator.web.charts.points import Point, PointsDep
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import finish, provider_scale
from orchestrator.web.charts.vega_lite import (
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
    where,
)

PANEL_WIDTH = 250
ROW_HEIGHT = 19
COLUMNS = 3

router = chart_router()


@router.get("/runs/{run_id}/charts/relative.{form}")
def relative_chart(points: PointsDep, form: ChartFormat) -> Response:
    """Draw each provider relative to the fastest one of the same algorithm and length."""
    return chart_response(spec(points), form)


def spec(points: Sequence[Point]) -> Spec:
    """Return the chart of these points."""
    lengths = [format_size(length) for length in sorted({point.length_bytes for point in points})]
    providers = sorted({point.provider for point in points})
    base = {
        "y": category("algorithm", title=None, axis={"grid": True, "labelLimit": 160}),
        "color": category("provider", scale=provider_scale(providers), title="Provider"),
    }
    title = "of the fastest provider's median"
    ratio = {"x": quantity("ratio", scale={"domainMin": 0}, axis={"format": "%"}, title=title)}
    interval = {"x": quantity("low"), "x2": end("high")}
    panel = layers(
        where("datum.low", mark("rule", base | interval, strokeWidth=5, opacity=0.35)),
        mark("point", base | ratio | {"tooltip": _TOOLTIP}, size=60, filled=True, opacity=0.95),
        width=PANEL_WIDTH,
        height={"step": ROW_HEIGHT},
    )
    return finish(facets(panel, rows(_relative(points)), "length", COLUMNS, lengths), panels=len(lengths))


def _relative(points: Sequence[Point]) -> list[dict[str, Any]]:
    fastest: dict[tuple[str, int], float] = {}
    for point in points:
        key = (point.algorithm, point.length_bytes)
        fastest[key] = max(fastest.get(key, 0.0), point.median)
    found = []
    for point in points:
        best = fastest[point.algorithm, point.length_bytes]
        found.append(
            {
                "provider": point.provider,
                "algorithm": point.algorithm,
                "length": format_size(point.length_bytes),
                "ratio": point.median / best,
                "low": None if point.low is None else point.low / best,
                "high": None if point.high is None else point.high / best,
                "median": point.median,
            }
        )
    return found


_TOOLTIP = [
    text_tip("provider", "provider"),
    text_tip("algorithm", "algorithm"),
    number_tip("ratio", "of the fastest", ".1%"),
    number_tip("low", "95 % from", ".1%"),
    number_tip("high", "95 % to", ".1%"),
    number_tip("median", "median MiB/s", ",.4~g"),
]
