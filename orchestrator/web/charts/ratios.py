"""Chart of a comparison: the ratio of each case with its interval, largest significant differences first."""

from typing import Annotated, Any

from fastapi import Query, Response

from orchestrator.results.comparisons.endpoints import SidesQuery
from orchestrator.results.comparisons.imported import catch_up_sides, compare
from orchestrator.results.comparisons.schemas import MAX_SIDES, ComparisonPart, ComparisonRow
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.units import format_size
from orchestrator.shared.values.forms import variant_label
from orchestrator.shared.values.parameters import WholeNumber
from orchestrator.web.charts.points import parse_ranking_measure
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import coded, color_of, distinct_names, finish, label_width, limits
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
from orchestrator.web.codes import Code
from orchestrator.web.routing import Choice
from orchestrator.wire.messages import operation_label

MAX_CASES = 60
"""Charts with more rows are unreadable; the table contains all cases."""
WIDTH = 420
ROW_HEIGHT = 17
VERDICTS = {
    "better": Code("#0072b2", "triangle-right"),
    "worse": Code("#d55e00", "triangle-left"),
    "undecided": Code("#cc79a7", "diamond"),
    "tie": Code("#777777", "circle"),
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
    catch_up_sides(database, run)
    with database.read() as session:
        found = compare(session, cache, run, parse_ranking_measure(measure), MAX_CASES)
    return chart_response(spec(found.parts[part - 1]), form)


def spec(part: ComparisonPart) -> Spec:
    """Return the chart of the first cases of a part."""
    names = distinct_names([_words(row) for row in part.rows])
    marks = [_mark(row, words) for row, words in zip(part.rows, names, strict=True)]
    order = [one["case"] for one in marks]
    labels = label_width(order)
    base = {"y": category("case", title=None, sort=order, axis={"grid": True, "labelLimit": labels})}
    verdicts = [name for name in VERDICTS if any(one["verdict"] == name for one in marks)]
    codes = coded("verdict", verdicts, [VERDICTS[name] for name in verdicts], title="Result")
    x = quantity("ratio", scale={"type": "log", "nice": False, "padding": 12}, axis={"format": ".3~f"}, title="Ratio")
    interval = {"x": quantity("low"), "x2": end("high")}
    chart = layers(
        mark("rule", {"x": {"datum": 1}}, strokeDash=[2, 4], color="#888"),
        where("datum.low", mark("rule", base | interval | color_of(codes), strokeWidth=2)),
        mark("point", base | {"x": x, "tooltip": _TOOLTIP} | codes, size=46, filled=True),
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


def _words(row: ComparisonRow) -> tuple[str, ...]:
    length = format_size(row.length_bytes) if row.has_message else ""
    associated = f"+ {format_size(row.associated_data_bytes)}" if row.associated_data_bytes else ""
    key_setup = "with key setup" if row.key_setup == "included" else ""
    return (
        row.algorithm, operation_label(row.operation), length, associated, row.input_kind,
        key_setup, row.provider, variant_label(row), f"#{row.copy_number}" if row.copy_number > 1 else "",
        row.toolchain, row.agent_name,
    )  # fmt: skip


def _mark(row: ComparisonRow, case: str) -> dict[str, Any]:
    return {
        "case": case,
        "ratio": row.ratio,
        **limits(row.interval),
        "verdict": row.verdict,
        "method": row.method,
    }
