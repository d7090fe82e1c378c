"""Chart of each provider relative to the fastest one of the same algorithm and length.

It shows differences of a few percent, which are invisible on the logarithmic axis of the throughput chart.
"""

from collections.abc import Sequence
from typing import Any

from fastapi import Response

from orchestrator.units import format_size
from orchestrator.web.charts import dots
from orchestrator.web.charts.dots import Dots
from orchestrator.web.charts.leading import MANY, Top, TopDep, leading, spread
from orchestrator.web.charts.points import Point, PointsDep
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import provider_color, provider_shape
from orchestrator.web.charts.vega_lite import Spec, number_tip, text_tip

router = chart_router()


@router.get("/runs/{run_id}/charts/relative.{form}")
def relative_chart(points: PointsDep, top: TopDep, form: ChartFormat) -> Response:
    """Draw each provider relative to the fastest one of the same algorithm and length."""
    return chart_response(spec(points, top), form)


def spec(points: Sequence[Point], top: Top | None = None) -> Spec:
    """Return the chart of these points, the algorithms with the largest differences first."""
    ratios = _relative(points)
    found = leading(
        ratios, name=lambda row: str(row["series"]), place=lambda row: None, value=lambda row: float(row["value"]),
        top=top or Top(), largest=False,
    )  # fmt: skip
    lengths = [format_size(length) for length in spread(sorted({point.length_bytes for point in points}))]
    providers = sorted({point.provider for point in points})
    codes = provider_color("provider", providers, title="Provider")
    codes |= provider_shape("provider", providers, title="Provider")
    title = "" if found.total <= MANY else f"{len(found.names)} of {found.total} algorithms, largest differences first"
    return dots.spec(
        Dots(
            data=[row for row in ratios if row["series"] in found.names and row["panel"] in lengths],
            names=found.names,
            panels=lengths,
            title=title,
            axis_title="of the fastest provider's median",
            scale={"domainMin": 0},
            axis={"format": "%", "tickCount": 5},
            codes=codes,
            tooltip=_TOOLTIP,
        )
    )


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
                "series": point.algorithm,
                "panel": format_size(point.length_bytes),
                "value": point.median / best,
                "low": None if point.low is None else point.low / best,
                "high": None if point.high is None else point.high / best,
                "median": point.median,
            }
        )
    return found


_TOOLTIP = [
    text_tip("provider", "provider"),
    text_tip("series", "algorithm"),
    number_tip("value", "of the fastest", ".1%"),
    number_tip("low", "95 % from", ".1%"),
    number_tip("high", "95 % to", ".1%"),
    number_tip("median", "median MiB/s", ",.4~g"),
]
