"""The series that a chart shows when there are many: the first ones by the chart's own measure."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Query

from orchestrator.shared.values.text import worded
from orchestrator.web.codes import SERIES_STEPS

MANY = SERIES_STEPS[0]
"""Series up to which a chart draws all of them as lines with a legend."""
MAX_PANELS = 6
"""Panels of a dot plot; the table contains all lengths."""

T = TypeVar("T")
_TOP = worded(r"^(all|[1-9][0-9]{0,2})?$", "'all' or a number from 1 to 999")
TopText = Annotated[str, Query(pattern=_TOP, alias="top")]


@dataclass(frozen=True)
class Top:
    """Number of series to show; None for all of them."""

    limit: int | None = MANY

    @classmethod
    def parse(cls, text: str) -> "Top":
        """Return the number of ``24`` or ``all``; the default for an empty text."""
        return cls() if not text else cls(None if text == "all" else int(text))

    @property
    def text(self) -> str:
        """Value of the address; empty for the default."""
        return "all" if self.limit is None else "" if self.limit == MANY else str(self.limit)


def _top(top: TopText = "") -> Top:
    return Top.parse(top)


TopDep = Annotated[Top, Depends(_top)]


@dataclass(frozen=True)
class Leading:
    """The series that are shown, best first."""

    names: list[str]
    total: int

    def title(self, words: str) -> str:
        """Return the title of a chart: ``The fastest 12 of 57 series``."""
        if len(self.names) == self.total:
            return f"All {self.total} series, {words} first"
        return f"The {words} {len(self.names)} of {self.total} series"


def leading(
    items: Sequence[T], *, name: Callable[[T], str], place: Callable[[T], object], value: Callable[[T], float],
    top: Top, largest: bool,
) -> Leading:  # fmt: skip
    """Return the first series by the mean factor to the best value at each of their places (length, kind of call).

    Values must not be negative; those that are 0 do not count, because the axes are logarithmic.
    """
    best: dict[object, float] = {}
    for one in items:
        found = value(one)
        if found > 0:
            known = best.get(place(one), found)
            best[place(one)] = max(known, found) if largest else min(known, found)
    factors = defaultdict[str, list[float]](list)
    for one in items:
        factors[name(one)] += [math.log(value(one) / best[place(one)])] if value(one) > 0 else []
    sign = -1 if largest else 1
    order = sorted(factors, key=lambda series: (sign * _mean(factors[series], sign), series))
    return Leading(order[: top.limit], len(order))


def spread(items: Iterable[T], most: int = MAX_PANELS) -> list[T]:
    """Return the first, the last and evenly spaced items between them."""
    found = list(items)
    if len(found) <= most:
        return found
    return [found[round(place * (len(found) - 1) / (most - 1))] for place in range(most)]


def _mean(factors: Sequence[float], sign: int) -> float:
    return sum(factors) / len(factors) if factors else sign * math.inf
