"""What each phase of ``process`` took by itself: memory, faults, CPU time, switches."""

from orchestrator.metrics.registry import Metric
from orchestrator.wire.runners import WORK_PHASES, PhaseReading, ProcessReport, Usage

_RUSAGE = "runner: getrusage right before and after the phase"
_STATUS = "runner: VmRSS right after the phase"
_TITLES = {
    "start": "the start of the program",
    "load": "loading",
    "key_setup": "key setup",
    "encrypt": "encryption",
    "decrypt": "decryption",
}
_USED = {
    "minor_faults": ("minor_faults", 1, "1", "1", "Page faults without disk during {}."),
    "major_faults": ("major_faults", 1, "1", "1", "Page faults that read a disk during {}."),
    "user_ns": ("user_us", 1000, "ns", "user_system_split_resolution_ns", "User time of {}."),
    "system_ns": ("system_us", 1000, "ns", "user_system_split_resolution_ns", "System time of {}."),
    "voluntary_switches": ("voluntary_switches", 1, "1", "1", "Times the runner waited during {}."),
    "involuntary_switches": ("involuntary_switches", 1, "1", "1", "Times the runner was preempted during {}."),
}
"""End of a metric's name → field of the report, its factor, unit, resolution and meaning."""

METRICS = tuple(
    metric
    for phase, title in _TITLES.items()
    for metric in (
        Metric(f"{phase}_rss_bytes", "bytes", _STATUS, "1 page", f"Resident size after {title}."),
        *(
            Metric(f"{phase}_{name}", unit, _RUSAGE, resolution, text.format(title))
            for name, (_, _, unit, resolution, text) in _USED.items()
        ),
    )
)

_BEFORE_ALL = Usage(
    user_us=0, system_us=0, minor_faults=0, major_faults=0, voluntary_switches=0, involuntary_switches=0
)
_NOT_TOLD = "this runner does not tell what was used before a phase began"
_UNREADABLE = "the runner could not read /proc/self/status"


def read_phases(report: ProcessReport) -> tuple[dict[str, int | float | None], dict[str, str]]:
    """Return the readings of all phases, and why each absent one is.

    The kernel's sums are read on both sides of a phase, so that nothing between two phases counts in either.
    """
    readings: dict[str, int | float | None] = {}
    absent: dict[str, str] = {}
    for phase in report.phases:
        if phase.phase not in WORK_PHASES:
            continue
        readings[f"{phase.phase}_rss_bytes"] = phase.rss_bytes
        if phase.rss_bytes is None:
            absent[f"{phase.phase}_rss_bytes"] = _UNREADABLE
        used = _used(phase)
        readings |= used
        absent |= {name: _NOT_TOLD for name, value in used.items() if value is None}
    return readings, absent


def _used(phase: PhaseReading) -> dict[str, int | float | None]:
    begin = _BEFORE_ALL if phase.phase == "start" else phase.begin
    return {
        f"{phase.phase}_{name}": None if begin is None else (getattr(phase, field) - getattr(begin, field)) * factor
        for name, (field, factor, *_) in _USED.items()
    }
