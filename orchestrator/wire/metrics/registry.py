"""Registry of metrics: name, unit, source, resolution and meaning of every reading of an execution.

Each module of this folder declares the metrics of one source in ``METRICS``. The registry finds the modules by
walking the folder, so that a new source needs no second list.
"""

import importlib
import math
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal

from orchestrator.wire import metrics

RESIDENT_SIZE = "1 page; before Linux 6.16 31 pages per counter and core"
"""Resolution of a resident size in /proc/PID/status or statm: older kernels sum their counters without the parts of
the cores (docs/measurement.md, peak memory of a whole process)."""
STAMPS = "runner: CLOCK_MONOTONIC around each phase"


@dataclass(frozen=True)
class Metric:
    """One reading that an execution can have."""

    name: str
    """Name with its unit, as in the database: ``peak_rss_bytes``."""
    unit: str
    """``ns``, ``bytes``, ``Hz``, ``1`` for a count."""
    source: str
    """Origin of the value: a file, a system call, a field of the runner's report."""
    resolution: str
    """Smallest step that the source can show."""
    help: str
    """Meaning in one sentence, for documentation and pages."""
    kind: Literal["integer", "real"] = "integer"
    """``integer`` for counters and counted quantities, ``real`` for ratios."""
    signed: bool = False
    """True for differences, which may be negative."""
    column: bool = False
    """True for the typed fields of a record, False for entries of its ``readings``."""

    def refusal(self, value: object) -> str | None:
        """Return why the value is invalid for this metric, or None if it is valid; null is always valid."""
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"{self.name} must be a number, got {type(value).__name__}"
        if self.kind == "integer" and not isinstance(value, int):
            return f"{self.name} must be an integer in {self.unit}, got {value!r}"
        if not math.isfinite(value):
            return f"{self.name} must be finite, got {value!r}"
        if value < 0 and not self.signed:
            return f"{self.name} must be 0 or more, got {value!r}"
        return None


@cache
def registry() -> Mapping[str, Metric]:
    """Return every metric by its name.

    Raises ValueError if two modules declare the same name.
    """
    by_name: dict[str, Metric] = {}
    for module_info in pkgutil.iter_modules(metrics.__path__, f"{metrics.__name__}."):
        module = importlib.import_module(module_info.name)
        for metric in getattr(module, "METRICS", ()):
            if metric.name in by_name:
                raise ValueError(f"metric {metric.name} is declared twice, the second time by {module.__name__}")
            by_name[metric.name] = metric
    return MappingProxyType(by_name)
