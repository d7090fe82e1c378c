"""Readings of counters for the cipher phases of ``process`` and the timings of ``latency``.

A count that the kernel refused, or that covers only a part of the time (multiplexed), is null with the reason; scaling
it up would be an estimate.
"""

from collections.abc import Iterable

from orchestrator.wire.metrics.counters import CIPHER_PHASES, COUNTERS
from orchestrator.wire.runners import FURTHER_COUNTERS, LatencyReport, PhaseCounts, ProcessReport

_NOT_REPORTED = "this runner does not report it"
_NO_REASON = "the runner gave no reason"

Readings = dict[str, int | float | None]


def read_phase_counters(report: ProcessReport) -> tuple[Readings, dict[str, str]]:
    """Return the readings of both cipher phases' counters, and the reasons for null ones."""
    every = {"cycles": report.cycles, "instructions": report.instructions, **report.counters}
    readings: Readings = {}
    reasons: dict[str, str | None] = {}
    for name in COUNTERS:
        counts = every.get(name, PhaseCounts(reason=_NOT_REPORTED))
        for phase in CIPHER_PHASES:
            readings[f"{phase}_{name}"] = getattr(counts, phase)
            reasons[f"{phase}_{name}"] = counts.reason
    readings["cycles_per_instruction"] = _cycles_per_instruction(report)
    reasons["cycles_per_instruction"] = report.cycles.reason or report.instructions.reason
    derived, derived_reasons = _derived(report)
    readings |= derived
    reasons |= derived_reasons
    return readings, {name: reasons[name] or _NO_REASON for name, value in readings.items() if value is None}


def _derived(report: ProcessReport) -> tuple[Readings, dict[str, str | None]]:
    clock, cycles = report.core_clock, report.derived_cycles
    readings: Readings = {
        "core_clock_hz": clock.hz if clock else None,
        "derived_encrypt_cycles": cycles.encrypt if cycles else None,
        "derived_decrypt_cycles": cycles.decrypt if cycles else None,
        "clock_probe_wall_ns": report.clock_probe_wall_ns,
    }
    reasons: dict[str, str | None] = dict.fromkeys(readings, clock.reason if clock else _NOT_REPORTED)
    return readings, reasons


def _cycles_per_instruction(report: ProcessReport) -> float | None:
    """Return the ratio over both cipher phases together, or None if a count is missing or 0."""
    cycles = _sum((report.cycles.encrypt, report.cycles.decrypt))
    instructions = _sum((report.instructions.encrypt, report.instructions.decrypt))
    return cycles / instructions if cycles is not None and instructions else None


def read_timed_counters(report: LatencyReport) -> tuple[Readings, dict[str, str]]:
    """Return the sums over the timings, null if a timing lacks the count, and the reasons for null ones."""
    readings: Readings = {
        f"timed_{name}": _sum(timing.counters.get(name) for timing in report.timings) for name in FURTHER_COUNTERS
    }
    reasons = {f"timed_{name}": report.counter_reasons.get(name, _NOT_REPORTED) for name in FURTHER_COUNTERS}
    return readings, {name: reasons[name] or _NO_REASON for name, value in readings.items() if value is None}


def _sum(counts: Iterable[int | None]) -> int | None:
    """Return the sum, or None if a count is unknown."""
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total
