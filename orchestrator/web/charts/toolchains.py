"""Chart of each toolchain relative to one of them, for the same call of the same implementation, paired by block.

It shows differences of a few percent, which are invisible on the logarithmic axis of the latency chart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import Response

from orchestrator.web.charts import panels
from orchestrator.web.charts.calls import CallsDep
from orchestrator.web.charts.compared import TIPS, caption, hollow, ratio_fields
from orchestrator.web.charts.leading import Top, TopDep
from orchestrator.web.charts.panels import ChartContents, ChartMark
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.vega_lite import Spec

router = chart_router()


@router.get("/runs/{run_id}/charts/toolchains.{form}")
def toolchain_chart(calls: CallsDep, top: TopDep, form: ChartFormat) -> Response:
    """Draw each toolchain relative to one of them."""
    return chart_response(spec(calls, top), form)


def spec(calls: Sequence[ChartMark], top: Top | None = None) -> Spec:
    """Return the chart of these calls; it has no marks where there is only one toolchain."""
    drawn = panels.shown(calls)
    return panels.spec(
        ChartContents(
            marks=relative(drawn),
            title=_title({call.ratio.reference for call in drawn if call.ratio.ratio is not None}),
            scale={"zero": False},
            axis={"format": ".2f"},
            unit="ratio",
            words="most reduced",
            even=1.0,
            caption=caption([call.ratio for call in drawn]),
            hollow=hollow([call.ratio for call in drawn]),
            tips=TIPS,
        ),
        top,
    )


@dataclass(frozen=True)
class _Ratio(ChartMark):
    """A mark whose value is the ratio to the base."""

    def as_row(self) -> dict[str, Any]:
        """Return the mark with the fields of its ratio."""
        return super().as_row() | ratio_fields(self.ratio)


def relative(calls: Sequence[ChartMark]) -> list[ChartMark]:
    """Return each call relative to that of the base toolchain; calls that are not compared are left out."""
    return [
        _Ratio(**vars(call) | {"value": ratio, "low": None, "high": None})
        for call in calls
        if (ratio := call.ratio.ratio) is not None
    ]


def _title(bases: set[str]) -> str:
    return f"time ÷ time with {bases.pop()}" if len(bases) == 1 else "time ÷ time with the base toolchain"
