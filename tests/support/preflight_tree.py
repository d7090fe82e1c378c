"""Folders with the few kernel files that a preflight check reads."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from orchestrator.measurement.machine.kernel_clock import KernelClock
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import PreflightContext

SYNCHRONIZED_CLOCK = KernelClock(synchronized=True, frequency_ppm=-12.3, wall_minus_boot_ns=1_700_000_000_000_000_000)


def plant(folder: Path, files: Mapping[str, str]) -> Roots:
    """Write files (``sys/…``, ``proc/…`` → content) and return the roots of the folder."""
    for name in ("sys", "proc"):
        (folder / name).mkdir(exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return Roots(proc=folder / "proc", sys=folder / "sys")


def context(folder: Path, **changes: Any) -> PreflightContext:
    """Return the context of a check: core 3 is measured, and other processes are watched for no time."""
    facts: dict[str, Any] = {
        "measured_core": 3,
        "data_folder": folder,
        "clock": SYNCHRONIZED_CLOCK,
        "watch_seconds": 0.0,
    }
    return PreflightContext(**(facts | changes))
