"""What counters say of the cipher phases of ``process`` and of the timings of ``latency``.

A count that the kernel refused, or that covers a part of the time alone (multiplexed), is null with the reason: scaled
up it would be an estimate.
"""

from collections.abc import Iterable

from orchestrator.metrics.counters import CIPHER_PHASES, COUNTERS
from orchestrator.wire.runners import FURTHER_COUNTERS, LatencyReport, PhaseCounts, ProcessReport

_NOT_TOLD = "this runner does not tell"
_NO_REASON = "the runner gave no reason"

Readings = dict[str, int | float | None]


def read_phase_counters(report: ProcessReport) -> tuple[Readings, dict[str, str]]:
    """Return the counters of both cipher phases, cycles per instruction and derived cycles; and why some are absent."""
    every = {"cycles": report.cycles, "instructions": report.instructions, **report.counters}
    readings: Readings = {}
    reasons: dict[str, str | None] = {}
    for name in COUNTERS:
        counts = every.get(name, PhaseCounts(reason=_NOT_TOLD))
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
    reasons: dict[str, str | None] = dict.fromkeys(readings, clock.reason if clock else _NOT_TOLD)
    return readings, reasons


def _cycles_per_instruction(report: ProcessReport) -> float | None:
    """Return the ratio over both cipher phases together; null where one count is missing or nothing was executed."""
    cycles = _sum((report.cycles.encrypt, report.cycles.decrypt))
    instructions = _sum((report.instructions.encrypt, report.instructions.decrypt))
    return cycles / instructions if cycles is not None and instructions else None


def read_timed_counters(report: LatencyReport) -> tuple[Readings, dict[str, str]]:
    """Return the sums over the timings, each null where one timing lacks it; and why."""
    readings: Readings = {
        f"timed_{name}": _sum(timing.counters.get(name) for timing in report.timings) for name in FURTHER_COUNTERS
    }
    reasons = {f"timed_{name}": report.counter_reasons.get(name, _NOT_TOLD) for name in FURTHER_COUNTERS}
    return readings, {name: reasons[name] or _NO_REASON for name, value in readings.items() if value is None}


def _sum(counts: Iterable[int | None]) -> int | None:
    """Return the sum, or null where one is unknown: a part must not pass for the whole."""
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total
