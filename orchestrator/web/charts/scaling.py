"""Chart of time by input length with the fitted line, and of the deviation of each length from the line."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastapi import Response

from orchestrator.results.answers.scaling.schemas import ScalingAnswer, ScalingRow
from orchestrator.results.answers.scaling.service import read_scaling
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.results.freshness.service import snapshot_of
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.shared.values.forms import variant_label
from orchestrator.web.charts import dots
from orchestrator.web.charts.dots import Dots
from orchestrator.web.charts.latency import NS_AXIS
from orchestrator.web.charts.leading import MANY, Top, TopDep, leading
from orchestrator.web.charts.points import parse_measure
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import (
    color_of,
    distinct_names,
    finish,
    lengths_axis,
    log_scale,
    log_ticks,
    provider_codes,
    series_codes,
)
from orchestrator.web.charts.vega_lite import (
    Spec,
    highlight,
    layers,
    mark,
    number_tip,
    quantity,
    rows,
    singled_out,
    text_tip,
    where,
)
from orchestrator.web.routing import Choice
from orchestrator.wire.messages import operation_label

WIDTH = 560
TIME_HEIGHT = 300
MISS_HEIGHT = 110
PER_BYTE, START_UP = "Cost per byte", "Start-up"

router = chart_router()


@router.get("/runs/{run_id}/charts/scaling.{form}")
def scaling_chart(
    *,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    run_id: str,
    form: ChartFormat,
    measure: Choice = "",
    agent: Choice = "",
    top: TopDep,
) -> Response:
    """Draw time by input length with the fitted line, and the deviations from the line."""
    with snapshot_of(database, run_id) as seen:
        compute = read_scaling(seen, cache, parse_measure(measure) if measure else None)
    return chart_response(spec(compute(), agent or None, top), form)


def spec(answer: ScalingAnswer, agent_id: str | None, top: Top | None = None) -> Spec:
    """Return the chart of one agent's candidates; the logarithmic axis has no place for length 0."""
    candidates = [row for row in answer.rows if row.points and agent_id in (None, row.agent_id)]
    names = distinct_names([_words(row) for row in candidates])
    return _dots(candidates, names, top or Top()) if len(candidates) > MANY else _lines(candidates, names)


def _dots(candidates: Sequence[ScalingRow], names: Sequence[str], top: Top) -> Spec:
    """Return start-up and cost per byte of the candidates with the lowest cost per byte."""
    costs = [one for row, name in zip(candidates, names, strict=True) for one in _costs(row, name)]
    per_byte = [one for one in costs if one["panel"] == PER_BYTE]
    found = leading(
        per_byte, name=lambda one: str(one["series"]), place=lambda one: None, value=lambda one: float(one["value"]),
        top=top, largest=False,
    )  # fmt: skip
    drawn = [one for one in costs if one["series"] in found.names]
    providers = sorted({str(one["provider"]) for one in drawn})
    return dots.spec(
        Dots(
            data=drawn,
            names=found.names,
            panels=[PER_BYTE, START_UP],
            title=[found.title("cheapest")],
            axis_title="Time",
            scale=log_scale([]),
            axis=NS_AXIS | {"tickCount": 5},
            codes=provider_codes(providers, title="Provider"),
            tooltip=_COST_TOOLTIP,
            own_scales=True,
        )
    )


def _costs(row: ScalingRow, name: str) -> Iterator[dict[str, Any]]:
    values = ((PER_BYTE, row.per_byte_ns, row.per_byte_interval), (START_UP, row.start_up_ns, row.start_up_interval))
    for panel, value, interval in values:
        if value is not None and value > 0:
            low = interval.low if interval and interval.low > 0 else None
            high = interval.high if interval and low is not None else None
            yield {"series": name, "provider": row.provider, "panel": panel, "value": value, "low": low, "high": high}


def _lines(candidates: Sequence[ScalingRow], names: Sequence[str]) -> Spec:
    marks = [one for row, name in zip(candidates, names, strict=True) for one in _marks(row, name)]
    lengths = sorted({one["length_bytes"] for one in marks})
    legend = {"title": ["Candidate", "(click to single out)"], "labelLimit": 240}
    shown = list(dict.fromkeys(names))
    codes = series_codes("series", shown, legend=legend)
    base = color_of(codes) | {"opacity": singled_out("series")}
    times = _times(base, codes, marks, lengths)
    panels = [times, _misses(base, codes, lengths)]
    chart = {"data": rows(marks), "vconcat": panels, "spacing": 14}
    return finish(highlight(chart, "series", shown, times["layer"][0]), panels=1)


def _times(base: Spec, codes: Spec, marks: Sequence[Mapping[str, Any]], lengths: Sequence[int]) -> Spec:
    values = [one[name] for one in marks for name in ("time_ns", "line_ns") if one[name] and one[name] > 0]
    ticks = log_ticks(values)
    scale = log_scale(ticks)
    x = lengths_axis("length_bytes", lengths, None)
    # Both panels have the same lengths; only the lower one has labels.
    x["axis"]["labels"] = False
    line = {"x": x, "y": quantity("line_ns", scale=scale, axis=NS_AXIS | {"values": ticks}, title="Time")}
    measured = {"x": x, "y": quantity("time_ns", scale=scale), "tooltip": _TOOLTIP}
    return layers(
        where("datum.line_ns > 0", mark("line", base | line, strokeWidth=1.5)),
        mark("point", base | measured | codes, size=46, filled=True),
        width=WIDTH,
        height=TIME_HEIGHT,
    )


def _misses(base: Spec, codes: Spec, lengths: Sequence[int]) -> Spec:
    axis = {"format": "+.1%", "tickCount": 4, "domain": False, "ticks": False}
    encoding = base | {
        "x": lengths_axis("length_bytes", lengths, "Input length"),
        "y": quantity("miss", axis=axis, title="Deviation"),
    }
    return layers(
        mark("rule", {"y": {"datum": 0}}, strokeDash=[2, 4], color="#888"),
        mark("line", encoding, strokeWidth=1, opacity=0.5),
        mark("point", encoding | codes | {"tooltip": _TOOLTIP}, size=36, filled=True),
        width=WIDTH,
        height=MISS_HEIGHT,
    )


_COST_TOOLTIP = [
    text_tip("series", "candidate"),
    text_tip("panel", "cost"),
    number_tip("value", "ns", ",.4~g"),
    number_tip("low", "95 % from", ",.4~g"),
    number_tip("high", "95 % to", ",.4~g"),
]
_TOOLTIP = [
    text_tip("series", "candidate"),
    number_tip("length_bytes", "bytes", ","),
    number_tip("time_ns", "measured ns", ",.4~g"),
    number_tip("line_ns", "line ns", ",.4~g"),
    number_tip("miss", "deviation", "+.2%"),
]


def _marks(row: ScalingRow, name: str) -> list[dict[str, Any]]:
    return [{"series": name, **point.model_dump()} for point in row.points if point.length_bytes]


def _words(row: ScalingRow) -> tuple[str, ...]:
    call = operation_label(row.operation) + (" + key" if row.key_setup == "included" else "")
    return (
        row.algorithm, row.provider, variant_label(row), f"#{row.copy_number}", row.toolchain, call,
        f"+ {row.associated_data_bytes} B AD", f"on {row.agent_name}",
    )  # fmt: skip
