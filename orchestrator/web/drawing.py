"""Positions of the small SVG marks that templates draw inside tables and pages."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.results.cases.schemas import CaseSummary
from orchestrator.results.schemas import AnswerRow
from orchestrator.runs.schemas import RunSummary

TIE_BAR_WIDTH = 6
ROW_HEIGHT = 24
"""Height of a row of a ranking, in units of its marks."""
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


@dataclass(frozen=True)
class TieBar:
    """Part of a bar in one row of a ranking; the candidates that a bar joins are not proven to differ."""

    left: int
    top: int
    height: int


def tie_bars(rows: Sequence[AnswerRow]) -> list[list[TieBar]]:
    """Return the bars in each row: one for each letter of its ties, joined to that of the next row if it has it."""
    letters = list(dict.fromkeys(letter for row in rows for letter in row.groups))
    found = []
    for place, row in enumerate(rows):
        above, below = (set(rows[one].groups) if 0 <= one < len(rows) else set() for one in (place - 1, place + 1))
        bars = []
        for letter in row.groups:
            top, bottom = 0 if letter in above else 6, ROW_HEIGHT if letter in below else ROW_HEIGHT - 6
            bars.append(TieBar(letters.index(letter) * TIE_BAR_WIDTH + 1, top, bottom - top))
        found.append(bars)
    return found


def ranking_scale(rows: Iterable[AnswerRow]) -> LogScale:
    """Return the scale from the smallest to the largest limit of the intervals of a ranking's figures."""
    limits = ((row.value, *((row.interval.low, row.interval.high) if row.interval else ())) for row in rows)
    values = [value for of_row in limits for value in of_row if value]
    return LogScale(min(values, default=1.0), max(values, default=1.0))


def throughput_scale(cases: Iterable[CaseSummary], phase: str) -> LogScale:
    """Return the scale from the smallest to the largest limit of the intervals of a phase's throughputs."""
    values: list[float] = []
    for case in cases:
        if case.summary and (found := (case.summary.phases or {}).get(phase)):
            limits = (found.low_bytes_per_second, found.high_bytes_per_second)
            values += [value for value in (found.median_bytes_per_second, *limits) if value]
    return LogScale(min(values, default=1.0), max(values, default=1.0))


def sparkline(values: Sequence[float]) -> list[tuple[float, float]]:
    """Return the points of a line in a box of 100 by 20; a tenth of the largest value has at least its height."""
    low, high = min(values), max(values)
    scale, step = 16 / (max(high - low, high / 10) or 1), 96 / max(1, len(values) - 1)
    middle = (low + high) / 2
    return [(round(2 + place * step, 1), round(10 - (value - middle) * scale, 1)) for place, value in enumerate(values)]


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
