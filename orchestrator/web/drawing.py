"""Positions of the small SVG marks that templates draw inside tables and pages."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from orchestrator.web.views import Interval, Phase, Tally

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

    def whisker(self, interval: Interval) -> Whisker | None:
        """Return the mark of an interval; None where there is no median."""
        if not interval.median:
            return None
        left = self.at(interval.low or interval.median)
        right = self.at(interval.high or interval.median)
        return Whisker(middle=self.at(interval.median), left=left, width=right - left)


WIDTHS = LogScale(0.001, 1.0)
"""Scale of relative intervals: ± 0.1 % to ± 100 %."""


@dataclass(frozen=True)
class Segment:
    """A part of a bar, in percent of its width."""

    name: str
    left: float
    width: float


def interval_scale(intervals: Iterable[Interval]) -> LogScale:
    """Return the scale from the smallest to the largest limit of these intervals."""
    values: list[float] = []
    for interval in intervals:
        values += [value for value in (interval.median, interval.low, interval.high) if value]
    return LogScale(min(values, default=1.0), max(values, default=1.0))


def tally_segments(tally: Tally) -> list[Segment]:
    """Return the parts of a progress bar by outcome; waiting executions take the empty rest."""
    return _segments([(name, getattr(tally, name)) for name in OUTCOMES], max(1, tally.total))


def phase_segments(phases: Iterable[Phase]) -> list[Segment]:
    """Return the phases of an execution as parts of a bar."""
    return _segments([(phase.name.replace(" ", "-"), phase.share) for phase in phases], 1.0)


def _segments(parts: list[tuple[str, float]], whole: float) -> list[Segment]:
    segments, left = [], 0.0
    for name, part in parts:
        width = 100 * part / whole
        if width > 0:
            segments.append(Segment(name, left, width))
        left += width
    return segments
