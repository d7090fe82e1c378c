"""The registry of everything that one execution is described by: name, unit, source, resolution, meaning.

Each module of this package that reads something declares ``METRICS``; nothing else lists them. The service
imports the registry to check what daemons send and to print units.
"""

import importlib
import math
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal

from orchestrator import measurement


@dataclass(frozen=True)
class Metric:
    """One reading that an execution can have."""

    name: str
    """Carries the unit, as in the database: ``peak_rss_bytes``."""
    unit: str
    """``ns``, ``bytes``, ``Hz``, ``1`` for a count."""
    source: str
    """Where the figure comes from: a file, a system call, a field of the runner's report."""
    resolution: str
    """The smallest step that the source can show."""
    help: str
    """One sentence for people."""
    kind: Literal["integer", "real"] = "integer"
    """``integer`` for counters and quantities as counted, ``real`` for ratios."""
    signed: bool = False
    """True for differences, which may be negative."""
    column: bool = False
    """True for the typed fields of a record, false for what travels in its ``readings``."""

    def refusal(self, value: object) -> str | None:
        """Say why the value cannot be one of this metric; None when it can (null is always possible)."""
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"{self.name} must be a number, seen {type(value).__name__}"
        if self.kind == "integer" and not isinstance(value, int):
            return f"{self.name} must be an integer in {self.unit}, seen {value!r}"
        if not math.isfinite(value):
            return f"{self.name} must be finite, seen {value!r}"
        if value < 0 and not self.signed:
            return f"{self.name} must be 0 or more, seen {value!r}"
        return None


@cache
def registry() -> Mapping[str, Metric]:
    """Return every metric of the package by its name; two of one name are a programming error."""
    found: dict[str, Metric] = {}
    for module_info in pkgutil.walk_packages(measurement.__path__, f"{measurement.__name__}."):
        module = importlib.import_module(module_info.name)
        for metric in getattr(module, "METRICS", ()):
            if metric.name in found:
                raise ValueError(f"metric {metric.name} is declared twice, the second time by {module.__name__}")
            found[metric.name] = metric
    return MappingProxyType(found)


def reading_refusal(name: str, value: object) -> str | None:
    """Say why this cannot stand among the readings of a record; None when it can."""
    metric = registry().get(name)
    if metric is None or metric.column:
        return f"{name} is no reading that this version knows"
    return metric.refusal(value)
