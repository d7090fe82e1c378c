"""Readings of each phase of ``process``: memory, faults, CPU time, switches."""

from orchestrator.wire.metrics.phases import USAGES
from orchestrator.wire.runners import PhaseReading, ProcessReport, Usage

BEFORE_ALL = Usage(user_us=0, system_us=0, minor_faults=0, major_faults=0, voluntary_switches=0, involuntary_switches=0)
_NOT_REPORTED = "this runner does not report the usage before a phase"
_UNREADABLE = "the runner could not read /proc/self/status"


def read_phases(report: ProcessReport) -> tuple[dict[str, int | float | None], dict[str, str]]:
    """Return the readings of all phases, and the reasons for null ones.

    The runner reads the kernel's sums before and after each phase, so that the time between two phases counts in
    neither.
    """
    readings: dict[str, int | float | None] = {}
    absent: dict[str, str] = {}
    for phase in report.phases:
        readings[f"{phase.phase}_rss_bytes"] = phase.rss_bytes
        if phase.rss_bytes is None:
            absent[f"{phase.phase}_rss_bytes"] = _UNREADABLE
        used = _used(phase)
        readings |= used
        absent |= {name: _NOT_REPORTED for name, value in used.items() if value is None}
    return readings, absent


def _used(phase: PhaseReading) -> dict[str, int | float | None]:
    begin = BEFORE_ALL if phase.phase == "start" else phase.begin
    return {
        f"{phase.phase}_{name}": None
        if begin is None
        else (getattr(phase, usage.field) - getattr(begin, usage.field)) * usage.factor
        for name, usage in USAGES.items()
    }
