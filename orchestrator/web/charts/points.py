"""The medians that the throughput charts draw: of all kinds of input together, or of one kind."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlalchemy.orm import Session

from orchestrator.database.models import Case, CaseSummary
from orchestrator.errors import InvalidRequest
from orchestrator.results.readings import Measure
from orchestrator.results.schemas import ThroughputChart
from orchestrator.units import MIB
from orchestrator.web import repository
from orchestrator.web.repository import CaseFilter
from orchestrator.wire.base import NOOP

MEASURE_TITLES: dict[Measure, str] = {
    "encrypt": "Encryption throughput (input ÷ encryption phase), MiB/s",
    "pass": "Pass throughput (input ÷ whole work, start-up included), MiB/s",
}
MAX_POINTS = 2000
"""More would be a cloud and not a chart; the table holds all of them."""


@dataclass(frozen=True)
class Point:
    """A median throughput with the limits of its 95 % interval, MiB/s."""

    provider: str
    algorithm: str
    """With its variant, where the run has several of one provider's algorithm."""
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
    for known in MEASURE_TITLES:
        if text == known:
            return known
    raise InvalidRequest(f"There is no throughput {text[:40]!r}.", remedy="Use encrypt or pass.", field="measure")


def of_kind(session: Session, cases: CaseFilter, measure: Measure) -> list[Point]:
    """Return the medians of single cases, for one agent and one kind of input as the filter says."""
    rows = repository.measured_cases(session, cases, MAX_POINTS)
    found = [_of_case(row.case, row.summary, measure) for row in rows]
    return _named([named for named in found if named is not None])


def pooled(chart: ThroughputChart, agent_id: str | None) -> list[Point]:
    """Return the medians over all kinds of input together, for one agent."""
    found = [
        (
            point.variant,
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


def _of_case(case: Case, summary: CaseSummary, measure: Measure) -> tuple[str, Point] | None:
    median, low, high = (getattr(summary, f"{part}_{measure}_bytes_per_second") for part in ("median", "low", "high"))
    if median is None:
        return None
    return case.variant, Point(
        provider=case.provider,
        algorithm=case.algorithm,
        length_bytes=case.message_bytes,
        median=median / MIB,
        low=None if low is None else low / MIB,
        high=None if high is None else high / MIB,
        executions=summary.ok,
    )


def _named(points: list[tuple[str, Point]]) -> list[Point]:
    """Add the variant to the algorithm where a provider has several."""
    variants: dict[tuple[str, str], set[str]] = {}
    for variant, point in points:
        variants.setdefault((point.provider, point.algorithm), set()).add(variant)
    return [
        replace(point, algorithm=f"{point.algorithm} {variant}")
        if len(variants[point.provider, point.algorithm]) > 1
        else point
        for variant, point in points
    ]
