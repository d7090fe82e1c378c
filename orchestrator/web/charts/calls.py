"""Marks of the charts of calls: one for each implementation, toolchain, kind of call and length."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Depends

from orchestrator.results.answers.by_length.schemas import LatencyChart, LatencyPoint
from orchestrator.results.answers.by_length.service import get_latency
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.shared.values.forms import variant_label
from orchestrator.web.charts.panels import ChartMark
from orchestrator.web.charts.theme import distinct_names, limits
from orchestrator.web.routing import Choice
from orchestrator.wire.messages import operation_label

MAX_POINTS = 3000
"""Charts with more points are unreadable; the table contains all of them."""


def of_run(chart: LatencyChart, agent_id: str | None, algorithm: str | None) -> list[ChartMark]:
    """Return the calls of one agent, of one algorithm or of all, in nanoseconds."""
    points = [
        point for point in chart.points if agent_id in (None, point.agent_id) and algorithm in (None, point.algorithm)
    ]
    return [
        ChartMark(
            series=name,
            coded=point.toolchain,
            operation=operation_label(point.operation, point.key_setup),
            length_bytes=point.length_bytes,
            value=point.call_wall_ns,
            **limits(point.interval),
            executions=point.blocks,
            ratio=point.of_base,
        )
        for point, name in zip(points[:MAX_POINTS], _series_names(points), strict=False)
    ]


def _calls(
    database: DatabaseDep, cache: ReadingsCacheDep, run_id: str, *, agent: Choice = "", algorithm: Choice = ""
) -> list[ChartMark]:
    return of_run(get_latency(database, cache, run_id), agent or None, algorithm or None)


CallsDep = Annotated[list[ChartMark], Depends(_calls)]
"""The marks of the charts of calls: of one algorithm, or of all."""


def _series_names(points: Sequence[LatencyPoint]) -> list[str]:
    """Return the name of each point's implementation: its algorithm, and the other properties where they differ."""
    words = [(one.algorithm, one.provider, variant_label(one), f"#{one.copy_number}") for one in points]
    # A call without a message has no associated data; that does not make it another series.
    several = len({point.associated_data_bytes for point in points if point.has_message}) > 1
    return [
        f"{name} + {point.associated_data_bytes} B AD" if several else name
        for point, name in zip(points, distinct_names(words, common=1), strict=True)
    ]
