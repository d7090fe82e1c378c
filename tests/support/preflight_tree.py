"""A kernel's files in a folder, as few as a check needs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from orchestrator.measurement.machine.kernel_clock import KernelClock
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import PreflightContext

KEPT_CLOCK = KernelClock(kept=True, frequency_ppm=-12.3, wall_minus_boot_ns=1_700_000_000_000_000_000)


def plant(folder: Path, files: Mapping[str, str]) -> Roots:
    """Write files (``sys/…``, ``proc/…`` → content) and return the roots of that tree."""
    for name in ("sys", "proc"):
        (folder / name).mkdir(exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return Roots(proc=folder / "proc", sys=folder / "sys")


def context(folder: Path, **changes: Any) -> PreflightContext:
    """Return what a check has to know; core 3 is measured, and nobody waits."""
    facts: dict[str, Any] = {"measured_core": 3, "data_folder": folder, "clock": KEPT_CLOCK, "look_seconds": 0.0}
    return PreflightContext(**(facts | changes))
