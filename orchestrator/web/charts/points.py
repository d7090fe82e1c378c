"""The medians that the throughput charts draw: of all kinds of input together, or of one kind."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from sqlalchemy.orm import Session

from orchestrator.errors import InvalidRequest
from orchestrator.results.schemas import Measure, ThroughputChart
from orchestrator.units import MIB
from orchestrator.web import repository
from orchestrator.web.assemble import toolchain_text
from orchestrator.web.repository import CaseFilter, MeasuredCase
from orchestrator.wire.base import NOOP

Throughput = Literal["encrypt", "pass"]
MEASURE_TITLES: dict[Throughput, str] = {
    "encrypt": "Encryption throughput (input ÷ encryption phase), MiB/s",
    "pass": "Pass throughput (input ÷ whole work, start-up included), MiB/s",
}
Told = tuple[str, str, str]
"""Variant, copy (``#2``) and toolchain."""
MAX_POINTS = 2000
"""More would be a cloud and not a chart; the table holds all of them."""


@dataclass(frozen=True)
class Point:
    """A median throughput with the limits of its 95 % interval, MiB/s."""

    provider: str
    algorithm: str
    """With its variant, copy and toolchain, where the run has several of one provider's algorithm."""
    length_bytes: int
    median: float
    low: float | None
    high: float | None
    executions: int

    def as_row(self) -> dict[str, Any]:
        """Return the point as the chart's data."""
        return asdict(self)


def measure_of(text: str) -> Measure:
    """Return the measure of this name; raises InvalidRequest."""
    known: tuple[Measure, ...] = get_args(Measure)
    for measure in known:
        if text == measure:
            return measure
    raise InvalidRequest(f"There is no measure {text[:40]!r}.", remedy=f"Use {', '.join(known)}.", field="measure")


def throughput_of(text: str) -> Throughput:
    """Return the throughput of this name; raises InvalidRequest."""
    for known in MEASURE_TITLES:
        if text == known:
            return known
    raise InvalidRequest(f"There is no throughput {text[:40]!r}.", remedy="Use encrypt or pass.", field="measure")


def of_kind(session: Session, cases: CaseFilter, measure: Throughput) -> list[Point]:
    """Return the medians of single cases, for one agent and one kind of input as the filter says."""
    rows = repository.measured_cases(session, cases, MAX_POINTS)
    found = [_of_case(row, measure) for row in rows]
    return _named([named for named in found if named is not None])


def pooled(chart: ThroughputChart, agent_id: str | None) -> list[Point]:
    """Return the medians over all kinds of input together, for one agent."""
    found = [
        (
            (point.variant, f"#{point.copy_number}", point.toolchain),
            Point(
                provider=point.provider,
                algorithm=point.algorithm,
                length_bytes=point.length_bytes,
                median=point.throughput_bytes_per_second / MIB,
                low=point.interval.low / MIB if point.interval else None,
                high=point.interval.high / MIB if point.interval else None,
                executions=point.blocks * len(point.kinds),
            ),
        )
        for point in chart.points
        if point.algorithm != NOOP and agent_id in (None, point.agent_id)
    ]
    return _named(found[:MAX_POINTS])


def _of_case(row: MeasuredCase, measure: Throughput) -> tuple[Told, Point] | None:
    case, summary = row.case, row.summary
    median, low, high = (getattr(summary, f"{part}_{measure}_bytes_per_second") for part in ("median", "low", "high"))
    if median is None:
        return None
    return (case.variant, f"#{case.copy}", toolchain_text(row.toolchain)), Point(
        provider=case.provider,
        algorithm=case.algorithm,
        length_bytes=case.message_bytes,
        median=median / MIB,
        low=None if low is None else low / MIB,
        high=None if high is None else high / MIB,
        executions=summary.ok,
    )


def _named(points: list[tuple[Told, Point]]) -> list[Point]:
    """Add variant, copy and toolchain to the algorithm where a provider has several."""
    found: dict[tuple[str, str], set[Told]] = {}
    for told, point in points:
        found.setdefault((point.provider, point.algorithm), set()).add(told)
    named = []
    for told, point in points:
        same = found[point.provider, point.algorithm]
        differs = (len({one[place] for one in same}) > 1 for place in (0, 1, 2))
        words = [word for word, is_told in zip(told, differs, strict=True) if is_told]
        named.append(replace(point, algorithm=" ".join([point.algorithm, *words])))
    return named
