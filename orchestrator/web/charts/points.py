"""The medians that the throughput charts draw: of all kinds of chunk pooled, or of one kind."""

from typing import Annotated, get_args

from fastapi import Depends

from orchestrator.results.answers.by_length.schemas import ThroughputChart
from orchestrator.results.answers.by_length.service import get_throughput
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.results.measures import MEASURES, RankingMeasure, is_measure
from orchestrator.results.schemas import Measure
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.units import MIB
from orchestrator.shared.values.forms import variant_label
from orchestrator.web.charts.panels import ChartMark
from orchestrator.web.charts.theme import distinct_names, limits
from orchestrator.web.routing import Choice
from orchestrator.wire.base import NOOP

MAX_POINTS = 2000
"""Charts with more points are unreadable; the table contains all of them."""


def parse_measure(text: str) -> Measure:
    """Return the measure of this name; raises InvalidRequest."""
    known: tuple[Measure, ...] = get_args(Measure)
    for measure in known:
        if text == measure:
            return measure
    raise InvalidRequest(f"There is no measure {text[:40]!r}.", remedy=f"Use {', '.join(known)}.", field="measure")


def parse_ranking_measure(text: str, field: str = "measure") -> RankingMeasure | None:
    """Return the measure of this name, None for an empty text; raises InvalidRequest."""
    if is_measure(text):
        return text
    if text:
        known = ", ".join(MEASURES)
        raise InvalidRequest(f"There is no measure {text[:40]!r}.", remedy=f"Use {known}.", field=field)
    return None


def parse_throughput(text: str) -> RankingMeasure:
    """Return the throughput of this name; raises InvalidRequest."""
    if is_measure(text) and MEASURES[text].rises:
        return text
    raise InvalidRequest(
        f"There is no throughput {text[:40]!r}.", remedy="Use pass, or an operation such as encrypt.", field="measure"
    )


def throughput_title(measure: RankingMeasure) -> list[str]:
    """Return the two lines of the title of a throughput's axis."""
    whole = "input ÷ whole work, start-up included" if measure == "pass" else "input ÷ time of the phase"
    title = MEASURES[measure].title.split(",")[0]
    return [f"{title[0].upper()}{title[1:]}, MiB/s", f"({whole})"]


def of_run(chart: ThroughputChart, agent_id: str | None) -> list[ChartMark]:
    """Return the throughputs of one agent, or of all agents, in MiB/s.

    The name of a series has the variant, copy and toolchain where the run has several of one provider's algorithm.
    """
    found = [point for point in chart.points if point.algorithm != NOOP and agent_id in (None, point.agent_id)][
        :MAX_POINTS
    ]
    words = [
        (point.algorithm, point.provider, variant_label(point), f"#{point.copy_number}", point.toolchain)
        for point in found
    ]
    return [
        ChartMark(
            series=name,
            coded=point.provider,
            operation=chart.measure,
            length_bytes=point.length_bytes,
            value=point.throughput_bytes_per_second / MIB,
            **limits(point.interval, MIB),
            executions=point.blocks * len(point.kinds),
            ratio=point.of_fastest,
        )
        for point, name in zip(found, distinct_names(words, common=2), strict=True)
    ]


def _points(
    *,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    run_id: str,
    agent: Choice = "",
    kind: Choice = "",
    measure: Choice = "encrypt",
) -> list[ChartMark]:
    chart = get_throughput(database, cache, run_id, parse_throughput(measure), kind or None)
    return of_run(chart, agent or None)


PointsDep = Annotated[list[ChartMark], Depends(_points)]
"""The points of the throughput charts: of one kind of chunk, or of all kinds pooled."""
