"""Chart of each provider relative to the fastest one of the same algorithm and length, paired by block.

It shows differences of a few percent, which are invisible on the logarithmic axis of the throughput chart.
"""

from collections.abc import Sequence
from typing import Any

from fastapi import Response

from orchestrator.shared.units import format_size
from orchestrator.web.charts import dots
from orchestrator.web.charts.compared import TIPS, caption, hollow, ratio_fields
from orchestrator.web.charts.dots import Dots
from orchestrator.web.charts.leading import MANY, Top, TopDep, leading, spread
from orchestrator.web.charts.panels import ChartMark
from orchestrator.web.charts.points import PointsDep
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import provider_codes
from orchestrator.web.charts.vega_lite import Spec, number_tip, text_tip

router = chart_router()


@router.get("/runs/{run_id}/charts/relative.{form}")
def relative_chart(points: PointsDep, top: TopDep, form: ChartFormat) -> Response:
    """Draw each provider relative to the fastest one of the same algorithm and length."""
    return chart_response(spec(points, top), form)


def spec(points: Sequence[ChartMark], top: Top | None = None) -> Spec:
    """Return the chart of these points, the algorithms with the largest differences first."""
    ratios = [_row(point) for point in points if point.ratio.ratio is not None]
    found = leading(
        ratios, name=lambda row: str(row["series"]), place=lambda row: None, value=lambda row: float(row["value"]),
        top=top or Top(), largest=False,
    )  # fmt: skip
    lengths = [format_size(length) for length in spread(sorted({point.length_bytes for point in points}))]
    providers = sorted({point.coded for point in points})
    title = [f"{len(found.names)} of {found.total} algorithms, largest differences first"] * (found.total > MANY)
    return dots.spec(
        Dots(
            data=[row for row in ratios if row["series"] in found.names and row["panel"] in lengths],
            names=found.names,
            panels=lengths,
            title=[*title, *caption([point.ratio for point in points])],
            axis_title="of the fastest provider",
            scale={"domainMin": 0},
            axis={"format": "%", "tickCount": 5},
            codes=provider_codes(providers, title="Provider"),
            tooltip=_TOOLTIP,
            hollow=hollow([point.ratio for point in points]),
        )
    )


def _row(point: ChartMark) -> dict[str, Any]:
    return {
        "provider": point.coded,
        "series": point.series,
        "panel": format_size(point.length_bytes),
        **ratio_fields(point.ratio),
        "median": point.value,
    }


_TOOLTIP = [
    text_tip("provider", "provider"),
    text_tip("series", "algorithm"),
    number_tip("value", "of the fastest", ".1%"),
    number_tip("low", "95 % from", ".1%"),
    number_tip("high", "95 % to", ".1%"),
    *TIPS,
    number_tip("median", "median MiB/s", ",.4~g"),
]
