"""Chart of each toolchain relative to one of them, for the same call of the same implementation.

It shows differences of a few percent, which are invisible on the logarithmic axis of the latency chart.
"""

from collections.abc import Sequence
from dataclasses import replace

from fastapi import Response

from orchestrator.web.charts import panels
from orchestrator.web.charts.calls import CallsDep
from orchestrator.web.charts.leading import Top, TopDep
from orchestrator.web.charts.panels import Drawn, Mark
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.vega_lite import Spec

router = chart_router()


@router.get("/runs/{run_id}/charts/toolchains.{form}")
def toolchain_chart(calls: CallsDep, top: TopDep, form: ChartFormat) -> Response:
    """Draw each toolchain relative to one of them."""
    return chart_response(spec(calls, top), form)


def base_of(toolchains: Sequence[str]) -> str | None:
    """Return the toolchain that the others are compared with: the first GCC, else the first; None for a single one."""
    words = sorted(set(toolchains), key=lambda text: (not text.startswith("gcc"), text))
    return words[0] if len(words) > 1 else None


def spec(calls: Sequence[Mark], top: Top | None = None) -> Spec:
    """Return the chart of these calls; it has no marks where there is only one toolchain."""
    base = base_of([call.toolchain for call in calls])
    return panels.spec(
        Drawn(
            marks=relative(panels.shown(calls), base) if base else [],
            title=f"time ÷ time with {base}" if base else "one toolchain only",
            scale={"zero": False},
            axis={"format": ".2f"},
            unit="ratio",
            words="most reduced",
            even=1.0,
        ),
        top,
    )


def relative(calls: Sequence[Mark], base: str) -> list[Mark]:
    """Return each call divided by that of the base toolchain; calls that the base lacks are left out."""
    reference = {_call(call): call.value for call in calls if call.toolchain == base}
    return [
        replace(
            call,
            value=call.value / by,
            low=None if call.low is None else call.low / by,
            high=None if call.high is None else call.high / by,
        )
        for call in calls
        if (by := reference.get(_call(call)))
    ]


def _call(call: Mark) -> tuple[str, str, int]:
    return call.series, call.operation, call.length_bytes
