"""Chart of the published figures of a paper next to the measured ones, in the same axes."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from fastapi import Response

from orchestrator.papers import service as papers
from orchestrator.papers.endpoints import PaperName
from orchestrator.papers.schemas import AgentVerdicts, FigureComparison, PaperVerdicts
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import RunIdQuery
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import SHORT_LABEL, finish
from orchestrator.web.charts.vega_lite import Spec, category, layers, mark, number_tip, quantity, rows, text_tip
from orchestrator.web.routing import Choice

WIDTH = 420
ROW_HEIGHT = 17
ROWS_PER_PAGE = 42
PUBLISHED, MEASURED = "published", "measured"

router = chart_router()


@router.get("/papers/{name}/charts/published.{form}")
def published_chart(
    *,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    name: PaperName,
    form: ChartFormat,
    run: RunIdQuery,
    agent: Choice = "",
) -> Response:
    """Draw the published figures of a paper and those that an agent measured, by default the first agent."""
    found = papers.get_verdicts(database, cache, name, run)
    return chart_response(spec(found, agent), form)


def spec(found: PaperVerdicts, agent_id: str) -> Spec:
    """Return the chart of the figures that have both values: a panel for each unit, a row for each figure."""
    figures = next((one.figures for one in found.agents if agent_id in ("", one.agent_id)), [])
    panels = [_panel(of_unit, unit) for unit, of_unit in _by_unit(figures)]
    return finish({"vconcat": panels, "spacing": 18}, panels=1)


def specs(agent: AgentVerdicts) -> Iterator[Spec]:
    """Yield charts of an agent's figures, each of one unit and low enough for a printed page."""
    for unit, of_unit in _by_unit(agent.figures):
        for first in range(0, len(of_unit), ROWS_PER_PAGE):
            yield finish(_panel(of_unit[first : first + ROWS_PER_PAGE], unit), panels=1)


def _by_unit(figures: Sequence[FigureComparison]) -> list[tuple[str, list[FigureComparison]]]:
    """Return the figures that have both values, by unit."""
    found = defaultdict[str, list[FigureComparison]](list)
    for one in figures:
        if one.measured is not None:
            found[one.unit].append(one)
    return list(found.items())


def _panel(figures: list[FigureComparison], unit: str) -> Spec:
    labels = list(dict.fromkeys(one.label for one in figures))
    scale = {"type": "log", "nice": True, "padding": 12}
    base = {
        "y": category("label", sort=labels, title=None, axis={"labelLimit": 230}),
        "x": quantity("value", scale=scale, axis={"tickCount": 6, "labelExpr": SHORT_LABEL}, title=unit),
    }
    sources = [PUBLISHED, MEASURED]
    source = {
        "color": category("source", scale={"domain": sources, "range": ["#8a8f98", "#0f8a7e"]}, title="Figure"),
        "shape": category("source", scale={"domain": sources, "range": ["diamond", "circle"]}),
    }
    return layers(
        mark("line", base | {"detail": category("label")}, strokeWidth=1.5, opacity=0.4, color="#888"),
        mark("point", base | source | {"tooltip": _TOOLTIP}, size=46, filled=True, opacity=0.95),
        data=rows(row for one in figures for row in _rows(one)),
        width=WIDTH,
        height={"step": ROW_HEIGHT},
    )


_TOOLTIP = [
    text_tip("label", "figure"),
    text_tip("source", "source"),
    number_tip("value", "value", ",.4~g"),
    number_tip("ratio", "measured / published", ",.3~g"),
]


def _rows(figure: FigureComparison) -> list[dict[str, Any]]:
    common = {"label": figure.label, "ratio": figure.ratio}
    values = ((PUBLISHED, figure.published), (MEASURED, figure.measured))
    return [{"source": source, "value": value, **common} for source, value in values]
