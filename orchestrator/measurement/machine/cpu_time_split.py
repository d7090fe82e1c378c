"""Resolution of the kernel's split of CPU time into user and system time.

Most kernels sample at each timer tick (1 to 10 ms) whether user or kernel code is executing, and split the time by
these samples (CONFIG_TICK_CPU_ACCOUNTING, and CONFIG_VIRT_CPU_ACCOUNTING_GEN on cores without nohz_full). The sum of
both times is exact nevertheless: it comes from the scheduler's clock, and the samples only divide it. Source: the
kernel's kernel/sched/cputime.c (cputime_adjust) and kernel/time/Kconfig.
"""

import gzip
import platform
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from orchestrator.measurement.machine.core_lists import parse_core_list
from orchestrator.measurement.machine.roots import KERNEL, Roots, read_text

CpuTimeSplit = Literal["precise", "sampled", "unknown"]

_CLOCK_MONOTONIC_COARSE = 6  # <linux/time.h>; its step is the kernel's tick
_RUSAGE_STEP_NS = 1000


@dataclass(frozen=True)
class SplitFacts:
    """Split of CPU time in one kernel."""

    split: CpuTimeSplit
    tick_ns: int
    reason: str = ""
    """Why the split is unknown; empty if it is known."""

    @property
    def resolution_ns(self) -> int:
        """Resolution of the split; if the split is unknown, that of a kernel that samples."""
        return _RUSAGE_STEP_NS if self.split == "precise" else self.tick_ns


def parse_split(config: str, full_cores: frozenset[int], core: int | None) -> CpuTimeSplit:
    """Return the kind of split that a kernel configuration gives on one core.

    config: text of the kernel's .config. full_cores: cores of nohz_full. core: the measured core, or None if it is not
    known; the split is then unknown on a kernel with nohz_full cores.
    """
    options = set(config.split())
    if "CONFIG_VIRT_CPU_ACCOUNTING_NATIVE=y" in options:
        return "precise"
    if "CONFIG_TICK_CPU_ACCOUNTING=y" in options:
        return "sampled"
    if "CONFIG_VIRT_CPU_ACCOUNTING_GEN=y" not in options:
        return "unknown"
    if full_cores and core is None:
        return "unknown"
    return "precise" if core in full_cores else "sampled"


def find_split(core: int | None = None, roots: Roots = KERNEL, boot: Path = Path("/boot")) -> SplitFacts:
    """Return the facts of this kernel from its configuration: /proc/config.gz, or /boot/config-<release>."""
    tick_ns = round(time.clock_getres(_CLOCK_MONOTONIC_COARSE) * 1e9)
    packed, plain = roots.proc / "config.gz", boot / f"config-{platform.release()}"
    config = _unpacked(packed) or read_text(plain)
    if config is None:
        return SplitFacts("unknown", tick_ns, f"neither {packed} nor {plain} has the configuration of this kernel")
    split = parse_split(config, _full_cores(roots), core)
    reason = "the kernel's configuration does not decide it for this core" if split == "unknown" else ""
    return SplitFacts(split, tick_ns, reason)


@cache
def split_of_this_kernel() -> SplitFacts:
    """Return the facts of the running kernel, which are read only once."""
    return find_split()


def read_split(cpu_ns: int, facts: SplitFacts) -> tuple[dict[str, int | float | None], dict[str, str]]:
    """Return the readings on the split of an execution's CPU time, and the reasons for null ones."""
    resolution_ns = facts.resolution_ns
    if facts.split == "precise":
        reason = "this kernel records the time at each change between user and kernel code and does not sample"
        return {"user_system_split_resolution_ns": resolution_ns, "cpu_split_ticks": None}, {"cpu_split_ticks": reason}
    return {"user_system_split_resolution_ns": resolution_ns, "cpu_split_ticks": cpu_ns / resolution_ns}, {}


def _unpacked(path: Path) -> str | None:
    try:
        return gzip.decompress(path.read_bytes()).decode(errors="replace")
    except (OSError, EOFError):
        return None


def _full_cores(roots: Roots) -> frozenset[int]:
    """Return the cores of nohz_full, whose ticks stop while one task executes; the kernel writes "(null)" for none."""
    text = read_text(roots.cpu / "nohz_full") or ""
    return frozenset(parse_core_list(text)) if text[:1].isdigit() else frozenset()
