"""Content of an imported file: series of readings, or the figures that the file states. Pure."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Literal

from orchestrator.shared.units import MIB
from orchestrator.statistics.median import ConfidenceInterval, median, median_interval

IMPORT_PREFIX = "import:"
"""Prefix of the id of an import where a run could be meant."""
MAX_FILE_BYTES = 8 * MIB
MAX_SERIES = 999
"""Series of an import: with the import itself the rows that one transaction may write."""
MAX_READINGS = 200_000
MAX_JSON_VALUES = 1_000_000
MAX_NAME = 1024
"""Characters of a series' name: hyperfine's names are command lines."""
MAX_FACT = 300
MAX_VALUE = 1e18
"""Largest reading in its unit: a time of 30 years in nanoseconds."""

Unit = Literal["ns", "bytes", "bytes/s", "1/s", ""]
"""Empty: the file states none."""
Statistic = Literal["median", "mean"]


@dataclass(frozen=True)
class Figures:
    """Figures of a series, computed from its readings or stated by the file. None: absent."""

    value: float
    statistic: Statistic
    n: int | None = None
    mean: float | None = None
    standard_deviation: float | None = None
    minimum: float | None = None
    maximum: float | None = None
    interval: ConfidenceInterval | None = None
    """95 % interval of the median."""


@dataclass(frozen=True)
class Series:
    """One quantity of one benchmark."""

    name: str
    quantity: str
    """Noun phrase: ``wall time``."""
    unit: Unit
    figures: Figures
    readings: tuple[float, ...] | None = None
    """Every reading in the order of the file; None if the file has none."""
    processes: tuple[int, ...] | None = None
    """Number of readings of each process in the same order; None if the file does not distinguish processes."""
    facts: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    missing: str = ""
    """Reason of the readings and figures that the file does not have."""

    @property
    def absent_because(self) -> dict[str, str]:
        """Return the reason of each absent value by its name."""
        own = self.figures
        names = ("n", "mean", "standard_deviation", "minimum", "maximum", "interval")
        absent = [name for name in names if getattr(own, name) is None]
        found = dict.fromkeys(absent, self.missing) if self.readings is None else _too_few(absent, own.n or 0)
        if self.readings is None:
            found["readings"] = self.missing
        if self.processes is None:
            found["processes"] = "The format does not distinguish processes." if self.readings else self.missing
        return found


@dataclass(frozen=True)
class ImportedFile:
    """Content of a file."""

    series: Sequence[Series]
    host: str | None = None
    """Name of the machine, if the file has it."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Further statements of the file about tool, machine and time."""
    omissions: Sequence[str] = ()
    """Sentences about parts of the file that were not imported."""

    @property
    def readings_total(self) -> int:
        """Number of readings of all series."""
        return sum(len(one.readings or ()) for one in self.series)


def figures_of(readings: Sequence[float], processes: Sequence[int] | None = None) -> Figures:
    """Return the figures of readings: at least one, finite, in any unit.

    Readings of one process resemble each other, so that median and interval are those of the processes' medians.
    """
    apart = independent(readings, processes)
    mean = math.fsum(readings) / len(readings)
    return Figures(
        value=median(apart),
        statistic="median",
        n=len(readings),
        mean=mean,
        standard_deviation=statistics.stdev(readings, mean) if len(readings) > 1 else None,
        minimum=min(readings),
        maximum=max(readings),
        interval=median_interval(apart),
    )


def independent(readings: Sequence[float], processes: Sequence[int] | None) -> list[float]:
    """Return the median of each process, or the readings where processes are not distinguished."""
    if not processes:
        return list(readings)
    return [median(readings[start:end]) for start, end in pairwise(accumulate(processes, initial=0))]


def _too_few(absent: Sequence[str], n: int) -> dict[str, str]:
    reasons = {"interval": "An interval needs 6 readings, or 6 processes where they are distinguished."}
    return {name: reasons.get(name, f"{n} reading has no dispersion.") for name in absent}
