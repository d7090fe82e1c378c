"""Chart of the resident memory, the CPU and the threads of one execution over time, with the phases of its work."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fastapi import Response

from orchestrator.results import service as results
from orchestrator.results.schemas import CurveDetail, ExecutionDetail
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import RowId
from orchestrator.shared.units import MIB
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import finish
from orchestrator.web.charts.vega_lite import Spec, category, end, layers, mark, number_tip, quantity, rows, text_tip

WIDTH = 760
HEIGHT = 260
SMALL_HEIGHT = 90
RSS_COLOR, PEAK_COLOR, CPU_COLOR, THREADS_COLOR = "#3b7ded", "#e0601a", "#0f8a7e", "#a0569b"
PHASE_COLORS = {
    "start and load": "#9aa5b1", "start": "#c7ccd1", "load": "#9aa5b1", "key setup": "#e3b341", "encrypt": "#0f8a7e",
    "decrypt": "#7a5af5", "report": "#d0d4da",
}  # fmt: skip
OTHER_COLORS = ("#0f8a7e", "#7a5af5")
"""Colors of operations that are not those of a cipher, in turn."""

router = chart_router()


@dataclass(frozen=True)
class Span:
    """A phase on the time line of an execution, in ns after the spawn."""

    name: str
    start_ns: int
    end_ns: int


@router.get("/executions/{execution_id}/charts/memory.{form}")
def memory_chart(database: DatabaseDep, execution_id: RowId, form: ChartFormat) -> Response:
    """Draw the resident memory, the CPU and the threads of an execution over time."""
    with database.read() as session:
        detail, curve = results.get_execution(session, execution_id), results.get_curve(session, execution_id)
    return chart_response(spec(curve, spans(detail), detail.peak_rss_bytes), form)


def spans(detail: ExecutionDetail) -> list[Span]:
    """Return the phases in order from the spawn to the end of work; empty for an execution without work.

    Operations are placed backwards from the end of work. The time before them is start and load, which are
    separate spans where the runner's own stamps were stored.
    """
    if detail.work_wall_ns is None:
        return []
    end, found = detail.work_wall_ns, []
    for one in reversed(detail.phases):
        found.append(Span(one.phase.replace("_", " "), end - one.wall_ns, end))
        end -= one.wall_ns
    start_ns = next((reading.value for reading in detail.readings if reading.name == "start_wall_ns"), None)
    if start_ns is not None and 0 <= start_ns <= end:
        found += [Span("load", int(start_ns), end), Span("start", 0, int(start_ns))]
    else:
        found.append(Span("start and load", 0, end))
    return found[::-1]


def spec(curve: CurveDetail, spans: Sequence[Span], peak_rss_bytes: int | None) -> Spec:
    """Return the chart; the peak is the high-water mark that the runner reads itself.

    CPU has a panel where it was sampled, and threads where a sample has more than one.
    """
    samples = [
        {"at_ms": at_ns / 1e6, "rss_mib": rss / MIB} for at_ns, rss in zip(curve.at_ns, curve.rss_bytes, strict=False)
    ]
    last_ns = max([*curve.at_ns, *(span.end_ns for span in spans)], default=0)
    domain = {"domain": [0, last_ns / 1e6], "nice": False}
    axis = {"grid": False, "tickCount": 10}
    x = {"x": quantity("at_ms", scale=domain, axis=axis, title="Time since the spawn, ms")}
    bands = _bands(_band_rows(spans, last_ns), x)
    line = x | {"y": quantity("rss_mib", title="Resident memory, MiB")}
    tooltip = {"tooltip": [number_tip("at_ms", "ms", ".2f"), number_tip("rss_mib", "MiB", ".3f")]}
    data = {"data": rows(samples)}
    parts = [
        bands,
        mark("area", line, opacity=0.18, interpolate="linear", color=RSS_COLOR) | data,
        mark("line", line, strokeWidth=1.8, interpolate="linear", color=RSS_COLOR) | data,
        mark("point", line | tooltip, size=26, filled=True, color=RSS_COLOR) | data,
    ]
    if peak_rss_bytes is not None:
        parts += _peak(peak_rss_bytes)
    used, small = _cpu_rows(curve), []
    if used:
        small.append(_steps(bands, x, used, field="cpu_percent", title="CPU, % of a core", color=CPU_COLOR))
    if max(curve.threads, default=0) > 1:
        threads = [{"at_ms": at / 1e6, "threads": n} for at, n in zip(curve.at_ns, curve.threads, strict=False)]
        small.append(_steps(bands, x, threads, field="threads", title="Threads", color=THREADS_COLOR))
    return finish({"vconcat": [layers(*parts, width=WIDTH, height=HEIGHT), *small]}, panels=1)


def _cpu_rows(curve: CurveDetail) -> list[dict[str, Any]]:
    """Return the CPU time between neighboring samples as a share of the time between them."""
    samples = list(zip(curve.at_ns, curve.cpu_ns, strict=False))
    return [
        {"at_ms": at_ns / 1e6, "cpu_percent": 100 * (cpu_ns - cpu_before) / (at_ns - at_before)}
        for (at_before, cpu_before), (at_ns, cpu_ns) in pairwise(samples)
        if at_ns > at_before
    ]


def _steps(bands: Spec, x: Spec, values: list[dict[str, Any]], *, field: str, title: str, color: str) -> Spec:
    """Return a small panel of values that each hold since the sample before."""
    y = {"y": quantity(field, title=title, scale={"domainMin": 0}, axis={"tickCount": 3})}
    tooltip = {"tooltip": [number_tip("at_ms", "until ms", ".2f"), number_tip(field, title, ".4~g")]}
    data = {"data": rows(values)}
    step = mark("line", x | y, strokeWidth=1.5, interpolate="step-before", color=color) | data
    return layers(
        bands, step, mark("point", x | y | tooltip, size=14, filled=True, color=color) | data,
        width=WIDTH, height=SMALL_HEIGHT,
    )  # fmt: skip


def _band_rows(spans: Sequence[Span], last_ns: int) -> list[dict[str, Any]]:
    rows = [{"phase": span.name, "at_ms": span.start_ns / 1e6, "end_ms": span.end_ns / 1e6} for span in spans]
    if spans and last_ns > spans[-1].end_ns:
        rows.append({"phase": "report", "at_ms": spans[-1].end_ns / 1e6, "end_ms": last_ns / 1e6})
    return rows


def _bands(bands: list[dict[str, Any]], x: Spec) -> Spec:
    shown = list(dict.fromkeys(band["phase"] for band in bands))
    colors = [PHASE_COLORS.get(name, OTHER_COLORS[place % 2]) for place, name in enumerate(shown)]
    scale = {"domain": shown, "range": colors}
    color = category("phase", sort=shown, scale=scale, title="Phase", legend={"symbolOpacity": 0.7})
    tooltip = [text_tip("phase", "phase"), number_tip("at_ms", "from ms", ".3f"), number_tip("end_ms", "to ms", ".3f")]
    encoding = x | {"x2": end("end_ms"), "color": color, "tooltip": tooltip}
    return mark("rect", encoding, opacity=0.24) | {"data": rows(bands)}


def _peak(peak_rss_bytes: int) -> list[Spec]:
    peak_mib = peak_rss_bytes / MIB
    data = {"data": rows([{"rss_mib": peak_mib, "label": f"peak {peak_mib:.2f} MiB (VmHWM)"}])}
    y = {"y": quantity("rss_mib")}
    place = {"align": "left", "baseline": "bottom", "dx": 6, "dy": -4, "x": 0}
    return [
        mark("rule", y, strokeDash=[5, 4], strokeWidth=1.2, color=PEAK_COLOR) | data,
        mark("text", y | {"text": category("label")}, color=PEAK_COLOR, fontSize=11, **place) | data,
    ]
