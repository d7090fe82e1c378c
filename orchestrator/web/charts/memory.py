"""Chart of the resident memory of one execution over time, with the phases of its work."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
from fastapi import Response

from orchestrator.dependencies import DatabaseDep
from orchestrator.results import service as results
from orchestrator.results.schemas import CurveDetail, ExecutionDetail
from orchestrator.security.dependencies import RowId
from orchestrator.units import MIB
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import Spec, finish

WIDTH = 760
HEIGHT = 260
PHASES = ["start and load", "start", "load", "key setup", "encrypt", "decrypt", "report"]
PHASE_COLORS = ["#9aa5b1", "#c7ccd1", "#9aa5b1", "#e3b341", "#0f8a7e", "#7a5af5", "#d0d4da"]

router = chart_router()


@dataclass(frozen=True)
class Span:
    """A phase on the time line of an execution, in ns after the spawn."""

    name: str
    start_ns: int
    end_ns: int


@router.get("/executions/{execution_id}/charts/memory.{form}")
def memory_chart(database: DatabaseDep, execution_id: RowId, form: ChartFormat) -> Response:
    """Draw the resident memory of an execution over time."""
    detail = results.get_execution(database, execution_id)
    curve = results.get_curve(database, execution_id)
    return chart_response(lambda: spec(curve, spans(detail), detail.peak_rss_bytes), form)


def spans(detail: ExecutionDetail) -> list[Span]:
    """Return the phases in order from the spawn to the end of work; empty for an execution without work.

    The cipher phases are placed backwards from the end of work. The time before them is start and load, which are
    separate spans where the runner's own stamps were stored.
    """
    cipher = [
        ("decrypt", detail.decrypt_wall_ns),
        ("encrypt", detail.encrypt_wall_ns),
        ("key setup", detail.key_setup_wall_ns),
    ]
    if detail.work_wall_ns is None:
        return []
    end, found = detail.work_wall_ns, []
    for name, wall_ns in cipher:
        if wall_ns is not None:
            found.append(Span(name, end - wall_ns, end))
            end -= wall_ns
    start_ns = next((reading.value for reading in detail.readings if reading.name == "start_wall_ns"), None)
    if start_ns is not None and 0 <= start_ns <= end:
        found += [Span("load", int(start_ns), end), Span("start", 0, int(start_ns))]
    else:
        found.append(Span("start and load", 0, end))
    return found[::-1]


def spec(curve: CurveDetail, spans: Sequence[Span], peak_rss_bytes: int | None) -> Spec:
    """Return the chart; the peak is the high-water mark that the runner reads itself."""
    samples = [
        {"at_ms": at_ns / 1e6, "rss_mib": rss / MIB} for at_ns, rss in zip(curve.at_ns, curve.rss_bytes, strict=False)
    ]
    last_ns = max([*curve.at_ns, *(span.end_ns for span in spans)], default=0)
    x = (
        alt.X("at_ms:Q")
        .scale(domain=[0, last_ns / 1e6], nice=False)
        .axis(grid=False, tickCount=10)
        .title("Time since the spawn, ms")
    )
    y = alt.Y("rss_mib:Q").title("Resident memory, MiB")
    line = alt.Chart(alt.InlineData(values=samples)).encode(x=x, y=y)
    layers: list[alt.Chart] = [
        _bands(_band_rows(spans, last_ns), x),
        line.mark_area(opacity=0.18, interpolate="linear", color="#3b7ded"),
        line.mark_line(strokeWidth=1.8, interpolate="linear", color="#3b7ded"),
        line.mark_point(size=26, filled=True, color="#3b7ded").encode(
            tooltip=[
                alt.Tooltip("at_ms:Q", title="ms", format=".2f"),
                alt.Tooltip("rss_mib:Q", title="MiB", format=".3f"),
            ]
        ),
    ]
    if peak_rss_bytes is not None:
        layers += _peak(peak_rss_bytes)
    return finish(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT), panels=1)


def _band_rows(spans: Sequence[Span], last_ns: int) -> list[dict[str, Any]]:
    rows = [{"phase": span.name, "at_ms": span.start_ns / 1e6, "end_ms": span.end_ns / 1e6} for span in spans]
    if spans and last_ns > spans[-1].end_ns:
        rows.append({"phase": "report", "at_ms": spans[-1].end_ns / 1e6, "end_ms": last_ns / 1e6})
    return rows


def _bands(rows: list[dict[str, Any]], x: alt.X) -> alt.Chart:
    shown = [name for name in PHASES if any(row["phase"] == name for row in rows)]
    colors = [PHASE_COLORS[PHASES.index(name)] for name in shown]
    bands: alt.Chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rect(opacity=0.24)
        .encode(
            x=x,
            x2="end_ms:Q",
            color=alt.Color("phase:N", sort=shown)
            .scale(domain=shown, range=colors)
            .title("Phase")
            .legend(symbolOpacity=0.7),
            tooltip=[
                alt.Tooltip("phase:N", title="phase"),
                alt.Tooltip("at_ms:Q", title="from ms", format=".3f"),
                alt.Tooltip("end_ms:Q", title="to ms", format=".3f"),
            ],
        )
    )
    return bands


def _peak(peak_rss_bytes: int) -> list[alt.Chart]:
    peak_mib = peak_rss_bytes / MIB
    base = alt.Chart(alt.InlineData(values=[{"rss_mib": peak_mib, "label": f"peak {peak_mib:.2f} MiB (VmHWM)"}]))
    y = alt.Y("rss_mib:Q")
    return [
        base.mark_rule(strokeDash=[5, 4], strokeWidth=1.2, color="#e0601a").encode(y=y),
        base.mark_text(align="left", baseline="bottom", dx=6, dy=-4, color="#e0601a", x=0, fontSize=11).encode(
            y=y, text="label:N"
        ),
    ]
