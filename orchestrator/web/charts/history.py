"""Chart of the cases of a watch over its looks."""

from collections.abc import Sequence
from itertools import count
from textwrap import wrap
from typing import Any

from fastapi import Response

from orchestrator.service.dependencies import DatabaseDep
from orchestrator.watches import service as watches
from orchestrator.watches.endpoints import WatchId
from orchestrator.watches.schemas import CaseHistory
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import coded, finish
from orchestrator.web.charts.vega_lite import (
    Spec,
    end,
    facets,
    layers,
    mark,
    number_tip,
    quantity,
    rows,
    text_tip,
)
from orchestrator.web.codes import Code

PANEL_WIDTH = 380
PANEL_HEIGHT = 130
COLUMNS = 2
MAX_TITLE = 27
"""Characters of a line of a panel's title; longer ones are cut on a phone."""
_RESULTS = ["no change reported", "change reported"]
_CODES = [Code("#0f8a7e", "circle"), Code("#c9304b", "diamond")]
_NEUTRAL = "#8a94a3"
"""Color of intervals, in both color schemes."""

router = chart_router()


@router.get("/watches/{watch_id}/charts/history.{form}")
def history_chart(database: DatabaseDep, watch_id: WatchId, form: ChartFormat) -> Response:
    """Draw the values of cases over the looks of a watch, relative to their means."""
    return chart_response(spec(watches.get_histories(database, watch_id)), form)


def spec(found: Sequence[CaseHistory]) -> Spec:
    """Return the chart with one panel for each case with values; bands behind the line are intervals of a run."""
    drawn = [one for one in found if not one.reason]
    # Some of Vega's own ticks are between looks when there are two or three of them.
    ticks = look_ticks([point.look for one in drawn for point in one.points])
    base = {"x": quantity("look", title="Look", axis={"values": ticks, "format": "d"}, scale={"zero": False})}
    y = {"y": quantity("ratio", scale={"zero": False}, title=None)}
    result = coded("result", _RESULTS, _CODES, sort=_RESULTS, title=None, legend={"orient": "bottom"})
    tooltip = [
        text_tip("case", "case"), number_tip("look", "look", "d"), number_tip("ratio", "relative to its mean", ".4f"),
        number_tip("low", "interval from", ".4f"), number_tip("high", "to", ".4f"),
    ]  # fmt: skip
    panel = layers(
        mark("area", base | {"y": quantity("low"), "y2": end("high")}, opacity=0.22, color=_NEUTRAL),
        mark("line", base | y, strokeWidth=1.6, color=_CODES[0].color),
        mark("point", base | y | result | {"tooltip": tooltip}, size=45, filled=True, opacity=1),
        width=PANEL_WIDTH,
        height=PANEL_HEIGHT,
    )
    common, titles = _titles([one.case_words for one in drawn])
    values = [row for title, one in zip(titles, drawn, strict=True) for row in _rows(title, one)]
    chart = facets(panel, rows(values), "panel", COLUMNS, titles)
    chart["facet"]["header"] = {"labelExpr": "split(datum.label, '\\n')", "labelLimit": 0}
    reasons = {f"Not drawn: {one.case.agent_name}, whose results are {one.reason}" for one in found if one.reason}
    if common or reasons:
        chart["title"] = [*common, *sorted(reasons)]
    return finish(chart | {"resolve": {"scale": {"y": "independent"}}}, panels=len(titles))


def look_ticks(looks: Sequence[int]) -> list[int]:
    """Return at most 9 numbers of looks for the axis: all of them, or each 2nd, 5th, 10th and so on."""
    if not looks:
        return []
    first, last = min(looks), max(looks)
    step = next(
        step for power in count() for step in (10**power, 2 * 10**power, 5 * 10**power) if last - first <= 8 * step
    )
    return list(range(first if step == 1 else -(-first // step) * step, last + 1, step))


def _titles(cases: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return what all cases share, for the title of the chart, and for each panel the rest, or its number before it."""
    phrases = [words.split(", ") for words in cases]
    common = [one for one in phrases[0] if all(one in own for own in phrases)] if len(phrases) > 1 else []
    own = [", ".join(one for one in some if one not in common) for some in phrases]
    named = [words if own.count(words) == 1 else f"{place}. {words}" for place, words in enumerate(own, start=1)]
    return common, ["\n".join(wrap(words, MAX_TITLE)) for words in named]


def _rows(title: str, one: CaseHistory) -> list[dict[str, Any]]:
    return [
        {
            "panel": title,
            "case": one.case_words,
            "look": point.look,
            "ratio": point.ratio,
            # A point without an interval gets a rule of no length, because Vega warns of a panel without rules.
            "low": point.ratio if point.low is None else point.low,
            "high": point.ratio if point.high is None else point.high,
            "result": _RESULTS[point.reported],
        }
        for point in one.points
    ]
