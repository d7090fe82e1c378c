"""Marks of the charts of calls: one for each implementation, toolchain, kind of call and length."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated

from fastapi import Depends

from orchestrator.results.answers.by_length.schemas import LatencyChart, LatencyPoint
from orchestrator.results.answers.by_length.service import get_latency
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.shared.values.forms import variant_label
from orchestrator.web.charts.panels import ChartMark
from orchestrator.web.formats import call_label
from orchestrator.web.routing import Choice

MAX_POINTS = 3000
"""Charts with more points are unreadable; the table contains all of them."""


def of_run(chart: LatencyChart, agent_id: str | None, algorithm: str | None) -> list[ChartMark]:
    """Return the calls of one agent, of one algorithm or of all, in nanoseconds."""
    points = [
        point for point in chart.points if agent_id in (None, point.agent_id) and algorithm in (None, point.algorithm)
    ]
    names = _series_names(points)
    return [
        ChartMark(
            series=names[_implementation(point)],
            toolchain=point.toolchain,
            operation=call_label(point.operation, point.key_setup),
            length_bytes=point.length_bytes,
            value=point.call_wall_ns,
            low=point.interval.low if point.interval else None,
            high=point.interval.high if point.interval else None,
            executions=point.blocks,
            of_base=point.of_base,
        )
        for point in points[:MAX_POINTS]
    ]


def _calls(
    database: DatabaseDep, cache: ReadingsCacheDep, run_id: str, *, agent: Choice = "", algorithm: Choice = ""
) -> list[ChartMark]:
    return of_run(get_latency(database, cache, run_id), agent or None, algorithm or None)


CallsDep = Annotated[list[ChartMark], Depends(_calls)]
"""The marks of the charts of calls: of one algorithm, or of all."""

_Implementation = tuple[str, str, str, int, int]


def _implementation(point: LatencyPoint) -> _Implementation:
    return point.algorithm, point.provider, variant_label(point), point.copy_number, point.associated_data_bytes


def _series_names(points: Sequence[LatencyPoint]) -> dict[_Implementation, str]:
    """Return a name for each implementation: its algorithm, and the other properties where they differ."""
    same: dict[str, list[_Implementation]] = defaultdict(list)
    for implementation in dict.fromkeys(_implementation(point) for point in points):
        same[implementation[0]].append(implementation)
    # A call without a message has no associated data; that does not make it another series.
    lengths = {point.associated_data_bytes for point in points if point.has_message}
    names = {}
    for algorithm, found in same.items():
        several_providers, several_variants, several_copies = (
            len({one[place] for one in found}) > 1 for place in (1, 2, 3)
        )
        for one in found:
            _, provider, variant, copy, associated_data_bytes = one
            parts = [algorithm]
            parts += [provider] if several_providers else []
            parts += [variant] if several_variants else []
            parts += [f"#{copy}"] if several_copies else []
            parts += [f"+ {associated_data_bytes} B AD"] if len(lengths) > 1 else []
            names[one] = " ".join(parts)
    return names
