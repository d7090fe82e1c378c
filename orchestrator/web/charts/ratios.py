"""Chart of a comparison: the ratio of each case with its interval, largest significant differences first."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query, Response

from orchestrator.results.comparisons.endpoints import SidesQuery
from orchestrator.results.comparisons.imported import compare
from orchestrator.results.comparisons.schemas import ComparisonPart, ComparisonRow
from orchestrator.results.comparisons.sides import MAX_SIDES
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.units import format_size
from orchestrator.shared.values.forms import variant_label
from orchestrator.shared.values.parameters import WholeNumber
from orchestrator.web.charts.points import parse_ranking_measure
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import finish, label_width
from orchestrator.web.charts.vega_lite import (
    Spec,
    category,
    end,
    layers,
    mark,
    number_tip,
    quantity,
    rows,
    text_tip,
    where,
)
from orchestrator.web.routing import Choice
from orchestrator.wire.messages import operation_label

MAX_CASES = 60
"""Charts with more rows are unreadable; the table contains all cases."""
WIDTH = 420
ROW_HEIGHT = 17
VERDICTS = {
    "better": ("#0072b2", "triangle-right"),
    "worse": ("#d55e00", "triangle-left"),
    "undecided": ("#cc79a7", "diamond"),
    "tie": ("#777777", "circle"),
}
"""Color and shape of each verdict; the colors are those of Okabe and Ito, and the shape is a second code."""
Part = Annotated[WholeNumber, Query(ge=1, lt=MAX_SIDES, description="Number of the side that is not the first one.")]

router = chart_router()


@router.get("/compare/charts/ratios.{form}")
def ratio_chart(
    *,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    form: ChartFormat,
    run: SidesQuery,
    part: Part = 1,
    measure: Choice = "",
) -> Response:
    """Draw the ratios of one of the other sides to the first one; all sides are corrected together."""
    if part >= len(run):
        raise InvalidRequest(f"There is no part {part} of {len(run)} sides.", remedy=f"Parts: 1 to {len(run) - 1}.")
    found = compare(database, cache, run, parse_ranking_measure(measure), MAX_CASES)
    return chart_response(spec(found.parts[part - 1]), form)


def spec(part: ComparisonPart) -> Spec:
    """Return the chart of the first cases of a part."""
    marks = [_mark(row, words) for row, words in zip(part.rows, _names(part.rows), strict=True)]
    order = [one["case"] for one in marks]
    labels = label_width(order)
    base = {"y": category("case", title=None, sort=order, axis={"grid": True, "labelLimit": labels})}
    names = [name for name in VERDICTS if any(one["verdict"] == name for one in marks)]
    colors = {"domain": names, "range": [VERDICTS[name][0] for name in names]}
    shapes = {"domain": names, "range": [VERDICTS[name][1] for name in names]}
    color = {"color": category("verdict", scale=colors, title="Result")}
    shape = {"shape": category("verdict", scale=shapes, title="Result")}
    x = quantity("ratio", scale={"type": "log", "nice": False, "padding": 12}, axis={"format": ".3~f"}, title="Ratio")
    interval = {"x": quantity("low"), "x2": end("high")}
    chart = layers(
        mark("rule", {"x": {"datum": 1}}, strokeDash=[2, 4], color="#888"),
        where("datum.low", mark("rule", base | interval | color, strokeWidth=2)),
        mark("point", base | {"x": x, "tooltip": _TOOLTIP} | color | shape, size=46, filled=True),
        width=WIDTH,
        height={"step": ROW_HEIGHT},
        data=rows(marks),
    )
    return finish(chart, panels=1, labels=labels)


_TOOLTIP = [
    text_tip("case", "case"),
    number_tip("ratio", "ratio", ".4~g"),
    number_tip("low", "95 % from", ".4~g"),
    number_tip("high", "to", ".4~g"),
    text_tip("method", "method"),
]


def _names(found: Sequence[ComparisonRow]) -> list[str]:
    """Return the name of each case: its algorithm, and of the rest what is not the same for all cases."""
    words = [_words(row) for row in found]
    varies = [len(set(column)) > 1 for column in zip(*words, strict=True)]
    return [" ".join(word for place, word in enumerate(own) if word and (place == 0 or varies[place])) for own in words]


def _words(row: ComparisonRow) -> tuple[str, ...]:
    associated = f"+ {format_size(row.associated_data_bytes)}" if row.associated_data_bytes else ""
    key_setup = "with key setup" if row.key_setup == "included" else ""
    return (
        row.algorithm, operation_label(row.operation), format_size(row.length_bytes), associated, row.input_kind,
        key_setup, row.provider, variant_label(row), f"#{row.copy_number}" if row.copy_number > 1 else "",
        row.toolchain, row.agent_name,
    )  # fmt: skip


def _mark(row: ComparisonRow, case: str) -> dict[str, Any]:
    return {
        "case": case,
        "ratio": row.ratio,
        "low": row.interval.low if row.interval else None,
        "high": row.interval.high if row.interval else None,
        "verdict": row.verdict,
        "method": row.method,
    }
