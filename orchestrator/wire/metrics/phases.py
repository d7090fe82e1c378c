"""Metrics of each phase of ``process``: time, memory, page faults, CPU time, context switches, counters.

The registry has those of a cipher's phases. Every other operation that a runner declares is a phase with the same
metrics, which ``metric_of`` returns.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from orchestrator.wire.messages import CIPHER_SEQUENCE, phases_of
from orchestrator.wire.metrics.counters import PHASE_COUNTERS, counter
from orchestrator.wire.metrics.registry import RESIDENT_SIZE, STAMPS, Metric, registry
from orchestrator.wire.runners import FIRST_PHASES

_RUSAGE = "runner: getrusage right before and after the phase"
_STATUS = "runner: VmRSS right after the phase"
_SPLIT = "user_system_split_resolution_ns"
_COLLECTIONS = "runner: the language's memory management"
_DERIVED = "wall time or task clock of the phase, the shorter one, × core_clock_hz"
_TITLES = {
    "start": "the start of the program",
    "load": "loading",
    "key_setup": "key setup",
    "encrypt": "encryption",
    "decrypt": "decryption",
}


_UNCOUNTED = "key_setup"
"""Phase of a cipher during which its runner reads no counters."""


def phase_title(phase: str) -> str:
    """Return a phase in words: ``encryption``."""
    return _TITLES.get(phase, phase.replace("_", " "))


class PhaseUsage(NamedTuple):
    """One resource that the kernel counts for a process."""

    field: str
    """Field of the runner's report."""
    factor: int
    """Factor from the report's unit to the metric's."""
    unit: str
    resolution: str
    help: str


USAGES = {
    "minor_faults": PhaseUsage("minor_faults", 1, "1", "1", "Page faults without disk access during {}."),
    "major_faults": PhaseUsage("major_faults", 1, "1", "1", "Page faults that read a disk during {}."),
    "user_ns": PhaseUsage("user_us", 1000, "ns", _SPLIT, "User time of {}."),
    "system_ns": PhaseUsage("system_us", 1000, "ns", _SPLIT, "System time of {}."),
    "voluntary_switches": PhaseUsage("voluntary_switches", 1, "1", "1", "Times that the runner waited during {}."),
    "involuntary_switches": PhaseUsage(
        "involuntary_switches", 1, "1", "1", "Times that the runner was preempted during {}."
    ),
}
"""Resources by the end of their metrics' names."""


def _of_first_phase(phase: str, title: str) -> Iterator[Metric]:
    """Yield what is known of each phase."""
    yield Metric(f"{phase}_rss_bytes", "bytes", _STATUS, RESIDENT_SIZE, f"Resident size after {title}.")
    for name, usage in USAGES.items():
        yield Metric(f"{phase}_{name}", usage.unit, _RUSAGE, usage.resolution, usage.help.format(title))


def _of_operation(phase: str) -> Iterator[Metric]:
    """Yield the metrics of an operation's phase."""
    title = phase_title(phase)
    yield Metric(f"{phase}_wall_ns", "ns", STAMPS, "1 ns", f"Wall time of {title}.", column=True)
    yield from _of_first_phase(phase, title)
    if phase == _UNCOUNTED:
        return
    for name in PHASE_COUNTERS:
        yield counter(phase, name, title)
    yield Metric(f"derived_{phase}_cycles", "1", _DERIVED, "core_clock_hz",
                 f"Core cycles of {title}, derived from time and clock.", kind="real")  # fmt: skip
    yield Metric(f"{phase}_garbage_collections", "1", _COLLECTIONS, "1", f"Garbage collections during {title}.")


METRICS = tuple(
    metric
    for metrics in (
        *(_of_first_phase(phase, _TITLES[phase]) for phase in FIRST_PHASES),
        *map(_of_operation, phases_of(CIPHER_SEQUENCE)),
    )
    for metric in metrics
)

_OF_OTHERS = re.compile(
    r"(?:derived_)?([a-z0-9_]{1,16})_(?:"
    + "|".join(("wall_ns", "rss_bytes", *USAGES, *PHASE_COUNTERS, "garbage_collections"))
    + ")"
)


def counted_phases(phases: Iterable[str]) -> list[str]:
    """Return the phases of operations that the counters of a runner cover."""
    return [phase for phase in phases if phase != _UNCOUNTED]


def further_metrics(phases: Iterable[str]) -> list[Metric]:
    """Return the metrics of those phases that a cipher does not have."""
    of_cipher = phases_of(CIPHER_SEQUENCE)
    return [metric for phase in dict.fromkeys(phases) if phase not in of_cipher for metric in _of_operation(phase)]


def metric_of(name: str) -> Metric | None:
    """Return the metric of a reading: that of the registry, or of the phase of another operation."""
    found = registry().get(name)
    match = None if found else _OF_OTHERS.fullmatch(name)
    if match is None:
        return found
    return next((one for one in _of_operation(match[1]) if one.name == name), None)


def reading_refusal(name: str, value: object, phases: Collection[str] = ()) -> str | None:
    """Return why a record with these phases must not carry this reading, or None if it may."""
    found = registry().get(name)
    metric = found or next((one for one in further_metrics(phases) if one.name == name), None)
    if metric is None or metric.column:
        return f"{name} is not a reading that this version knows"
    return metric.refusal(value)
