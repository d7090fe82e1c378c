"""Positions of the small SVG marks that templates draw inside tables and pages."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.results.cases.schemas import CaseSummary
from orchestrator.runs.schemas import RunSummary

OUTCOMES = ("ok", "skipped", "failed", "disputed", "wrong")


@dataclass(frozen=True)
class Whisker:
    """An interval and its median on a common scale, in percent of the width."""

    middle: float
    left: float
    width: float


@dataclass(frozen=True)
class LogScale:
    """A logarithmic scale from the smallest to the largest value of a table."""

    smallest: float
    largest: float

    def at(self, value: float) -> float:
        """Return the position of a value, 2 to 98 percent."""
        if self.largest <= self.smallest:
            return 50.0
        share = math.log(max(value, self.smallest) / self.smallest) / math.log(self.largest / self.smallest)
        return 2 + 96 * min(1.0, max(0.0, share))

    def whisker(self, median: float | None, low: float | None, high: float | None) -> Whisker | None:
        """Return the mark of an interval; None where there is no median."""
        if not median:
            return None
        left = self.at(low or median)
        return Whisker(middle=self.at(median), left=left, width=self.at(high or median) - left)


WIDTHS = LogScale(0.001, 1.0)
"""Scale of relative intervals: ± 0.1 % to ± 100 %."""


@dataclass(frozen=True)
class Segment:
    """A part of a bar, in percent of its width."""

    name: str
    left: float
    width: float


def throughput_scale(cases: Iterable[CaseSummary], phase: str) -> LogScale:
    """Return the scale from the smallest to the largest limit of the intervals of a phase's throughputs."""
    values: list[float] = []
    for case in cases:
        if case.summary and (found := (case.summary.phases or {}).get(phase)):
            limits = (found.low_bytes_per_second, found.high_bytes_per_second)
            values += [value for value in (found.median_bytes_per_second, *limits) if value]
    return LogScale(min(values, default=1.0), max(values, default=1.0))


def outcome_segments(run: RunSummary) -> list[Segment]:
    """Return the parts of a progress bar by outcome; waiting executions take the empty rest."""
    return _segments([(name, getattr(run, name)) for name in OUTCOMES], max(1, run.executions_total))


def phase_segments(phases: Iterable[Mapping[str, Any]], work_wall_ns: int) -> list[Segment]:
    """Return the phases of an execution, name and wall_ns of each, as parts of a bar."""
    return _segments([(phase["name"].replace(" ", "-"), phase["wall_ns"]) for phase in phases], work_wall_ns or 1)


def _segments(parts: list[tuple[str, float]], whole: float) -> list[Segment]:
    segments, left = [], 0.0
    for name, part in parts:
        width = 100 * part / whole
        if width > 0:
            segments.append(Segment(name, left, width))
        left += width
    return segments
