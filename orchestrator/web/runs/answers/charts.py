"""The two charts next to a ranking: its measure against the size of the code or memory, and by length.

Both have the candidates of the ranking and mark the one that is selected in its rows.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import Depends, Response

from orchestrator.database.engine import Database
from orchestrator.results.answers import service as answers
from orchestrator.results.answers.by_length.schemas import LatencyPoint, ThroughputPoint
from orchestrator.results.answers.by_length.service import get_latency, get_throughput
from orchestrator.results.answers.decision.question import Question
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.results.freshness.service import snapshot_of
from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import AgentAnswer, FrontPoint, RunAnswer
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.shared.units import MIB
from orchestrator.shared.values.forms import candidate_label
from orchestrator.web.charts.latency import NS_AXIS
from orchestrator.web.charts.points import parse_ranking_measure
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import (
    SHORT_LABEL,
    color_of,
    finish,
    lengths_axis,
    limits,
    log_scale,
    log_ticks,
    provider_codes,
    values_with_limits,
)
from orchestrator.web.charts.vega_lite import Spec, end, layers, mark, number_tip, quantity, rows, text_tip, where
from orchestrator.web.routing import Choice
from orchestrator.web.runs.ranking import RankingQueryDep

HEIGHT = 165
MOST_CANDIDATES = 200
SIZES = ("code-size", "peak-memory")
"""Measures that a speed is drawn against; the first one that candidates have."""
_SELECTED = "datum.series === marked"

router = chart_router()


@dataclass(frozen=True)
class _Subject:
    """Answers about one agent, whose candidates the charts show."""

    database: Database
    cache: ReadingsCache
    run_id: str
    question: Question
    agent_id: str
    """Empty for the first agent of the run."""

    def answer(self, against: str | None = None) -> tuple[AgentAnswer | None, RunAnswer]:
        """Return the answer, with the front of a second measure; None without results of the agent."""
        with snapshot_of(self.database, self.run_id) as seen:
            facts = answers.read_answer(seen, self.cache, replace(self.question, against=against))
        found = facts.compute(self.database)
        return next((one for one in found.agents if self.agent_id in ("", one.agent_id)), None), found


def _subject(
    *,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    run_id: str,
    measure: Choice = "",
    ranking: RankingQueryDep,
    device: Choice = "",
) -> _Subject:
    chosen = ranking.question.measure or parse_ranking_measure(measure)
    question = replace(ranking.question, measure=chosen, rows=MOST_CANDIDATES)
    return _Subject(database, cache, run_id, question, device)


SubjectDep = Annotated[_Subject, Depends(_subject)]


@router.get("/runs/{run_id}/charts/front.{form}")
def front_chart(subject: SubjectDep, form: ChartFormat) -> Response:
    """Draw the measure of a ranking against code size, or peak memory without one, with the Pareto front as a line."""
    points: Sequence[FrontPoint] = ()
    measure, size = subject.question.measure or "encrypt", SIZES[0]
    for size in SIZES:
        agent, _ = subject.answer(size)
        measure, points = (agent.measure, agent.front.points) if agent and agent.front else (measure, ())
        if points and measure != size:
            break
    return chart_response(_front(points, measure, size), form)


@router.get("/runs/{run_id}/charts/lengths.{form}")
def lengths_chart(subject: SubjectDep, form: ChartFormat) -> Response:
    """Draw the measure of a ranking by the length of the input, a line for each of its candidates."""
    agent, answer = subject.answer()
    if agent is None:
        return chart_response(_lengths((), answer.measure), form)
    measure = agent.measure
    found: Iterable[ThroughputPoint | LatencyPoint] = ()
    if measure == "call":
        setups = set(agent.inputs.key_setups)
        associated = set(agent.inputs.associated_data_lengths_bytes)
        found = [
            one
            for one in get_latency(subject.database, subject.cache, subject.run_id).points
            if one.operation == answer.operation and one.key_setup in setups
            and one.associated_data_bytes in associated
        ]  # fmt: skip
    elif MEASURES[measure].rises:
        found = get_throughput(subject.database, subject.cache, subject.run_id, measure).points
    shown = {candidate_label(row) for row in agent.rows}
    points = [one for one in found if one.agent_id == agent.agent_id and candidate_label(one) in shown]
    return chart_response(_lengths(points, measure), form)


def _front(points: Sequence[FrontPoint], measure: str, size: str) -> Spec:
    """Return the chart; a size of 0 has no place on the logarithmic axis."""
    scale, size_title = _shown_scale(measure), MEASURES[size].title
    data = [
        {
            **_identity(one),
            "value": one.value / scale,
            **limits(one.interval, scale),
            "size": one.against_value,
            "on_front": one.on_front,
        }
        for one in points
        if one.value and one.against_value
    ]
    sizes = _powers([row["size"] for row in data])
    x = lengths_axis("size", sizes, size_title)
    if sizes:
        x["scale"]["domain"] = [sizes[0], sizes[-1]]
    steps = mark("line", {"x": x, "y": _value(data, measure)}, interpolate="step-after", color="#888", strokeWidth=1)
    tips = [number_tip("size", f"{size_title}, bytes", ",.4~g")]
    return _finished([where("datum.on_front", steps), *_marks(data, measure, {"x": x}, tips)], data)


def _lengths(points: Sequence[ThroughputPoint | LatencyPoint], measure: str) -> Spec:
    """Return the chart; length 0 has no place on the logarithmic axis."""
    scale = _shown_scale(measure)
    data = []
    for one in points:
        value = one.throughput_bytes_per_second if isinstance(one, ThroughputPoint) else one.call_wall_ns
        if value and one.length_bytes:
            row = {"value": value / scale, **limits(one.interval, scale), "length_bytes": one.length_bytes}
            data.append({**_identity(one), **row})
    lengths = sorted({row["length_bytes"] for row in data})
    x = lengths_axis("length_bytes", lengths, "length of the input")
    encoding = {"x": x, "y": _value(data, measure), "detail": {"field": "series", "type": "nominal"}}
    lines = mark("line", encoding | color_of(_codes(data)) | {"opacity": _opacity(0.5)}, strokeWidth=1.2)
    tips = [number_tip("length_bytes", "bytes", ",")]
    return _finished([lines, *_marks(data, measure, {"x": x}, tips)], data)


def _powers(sizes: Sequence[float]) -> list[int]:
    """Return powers of 4 around these sizes, or of 2 if they are close, so that an axis has round binary labels."""
    if not sizes:
        return []
    base = 4 if max(sizes) > 4 * min(sizes) else 2
    low, high = (math.log(limit, base) for limit in (min(sizes), max(sizes)))
    return [base**power for power in range(math.floor(low), max(math.ceil(high), math.floor(low) + 1) + 1)]


def _identity(row: Any) -> dict[str, Any]:
    return {"series": candidate_label(row), "provider": row.provider}


def _shown_scale(measure: str) -> float:
    """Return what the values are divided by: throughputs are shown in MiB/s."""
    return MIB if MEASURES[measure].rises else 1.0


def _value(data: Sequence[Mapping[str, Any]], measure: str) -> Spec:
    facts = MEASURES[measure]
    ticks = log_ticks(values_with_limits(data))
    axis: Spec = {"labelExpr": SHORT_LABEL} if facts.unit != "ns" else dict(NS_AXIS)
    unit = {"bytes/s": ", MiB/s", "ns": "", "J/byte": ", J/byte", "bytes": ", bytes"}.get(facts.unit, "")
    title = f"{facts.title.split(',')[0]}{unit}"
    return quantity("value", scale=log_scale(ticks), axis=axis | {"values": ticks, "labelOverlap": True}, title=title)


def _codes(data: Sequence[Mapping[str, Any]]) -> Spec:
    return provider_codes(sorted({row["provider"] for row in data}), legend=None)


def _opacity(value: float) -> Spec:
    """Return the opacity of the selected candidate, or of all without a selection, and a low one of the others."""
    return {"condition": {"test": {"or": ["marked === null", _SELECTED]}, "value": value}, "value": 0.1}


def _marks(
    data: Sequence[Mapping[str, Any]], measure: str, place: Mapping[str, Any], tips: Sequence[Spec]
) -> list[Spec]:
    """Return interval and point of each row, and a ring that is visible at the selected candidate."""
    codes = _codes(data)
    base = dict(place) | color_of(codes) | {"opacity": _opacity(0.9)}
    y = _value(data, measure)
    interval = where("datum.low", mark("rule", base | {"y": y | {"field": "low"}, "y2": end("high")}, strokeWidth=2))
    tooltip = [text_tip("series", "candidate"), number_tip("value", "median", ",.4~g"), *tips]
    point = mark("point", base | {"y": y, "tooltip": tooltip} | codes, size=42, filled=True)
    ring = {"opacity": {"condition": {"test": _SELECTED, "value": 1.0}, "value": 0.0}}
    chosen = mark("point", dict(place) | {"y": y} | ring, size=170, strokeWidth=2, color="#888")
    return [interval, point, chosen]


def _finished(parts: Sequence[Spec], data: Sequence[Mapping[str, Any]]) -> Spec:
    chart = layers(*parts, data=rows(data), height=HEIGHT) | {"params": [{"name": "marked", "value": None}]}
    return finish(chart, panels=1 if data else 0)
