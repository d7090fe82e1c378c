"""Readings of counters for the phases of ``process`` and the timings of ``latency``.

A count that the kernel refused, or that covers only a part of the time (multiplexed), is null with the reason; scaling
it up would be an estimate.
"""

from collections.abc import Iterable, Sequence

from orchestrator.wire.metrics.counters import PHASE_COUNTERS
from orchestrator.wire.metrics.phases import counted_phases
from orchestrator.wire.runners import FURTHER_COUNTERS, LatencyReport, PhaseCounts, ProcessReport

_NOT_REPORTED = "this runner does not report it"
_NO_REASON = "the runner gave no reason"

Readings = dict[str, int | float | None]


def read_phase_counters(report: ProcessReport, phases: Sequence[str]) -> tuple[Readings, dict[str, str]]:
    """Return the readings of the counters of the phases that they cover, and the reasons for null ones."""
    counted = counted_phases(phases)
    every = {"cycles": report.cycles, "instructions": report.instructions, **report.counters}
    readings: Readings = {}
    reasons: dict[str, str | None] = {}
    for name in PHASE_COUNTERS:
        counts = every.get(name, PhaseCounts(reason=_NOT_REPORTED))
        for phase in counted:
            readings[f"{phase}_{name}"] = counts.by_phase.get(phase)
            reasons[f"{phase}_{name}"] = counts.reason
    readings["cycles_per_instruction"] = _cycles_per_instruction(report, counted)
    reasons["cycles_per_instruction"] = report.cycles.reason or report.instructions.reason
    derived, derived_reasons = _derived(report, counted)
    readings |= derived
    reasons |= derived_reasons
    return readings, {name: reasons[name] or _NO_REASON for name, value in readings.items() if value is None}


def _derived(report: ProcessReport, phases: Sequence[str]) -> tuple[Readings, dict[str, str | None]]:
    clock, cycles = report.core_clock, report.derived_cycles
    readings: Readings = {
        "core_clock_hz": clock.hz if clock else None,
        **{f"derived_{phase}_cycles": cycles.by_phase.get(phase) if cycles else None for phase in phases},
        "clock_probe_wall_ns": report.clock_probe_wall_ns,
    }
    reasons: dict[str, str | None] = dict.fromkeys(readings, clock.reason if clock else _NOT_REPORTED)
    return readings, reasons


def _cycles_per_instruction(report: ProcessReport, phases: Sequence[str]) -> float | None:
    """Return the ratio over all phases together, or None if a count is missing or 0."""
    cycles = _sum(report.cycles.by_phase.get(phase) for phase in phases)
    instructions = _sum(report.instructions.by_phase.get(phase) for phase in phases)
    return cycles / instructions if cycles is not None and instructions else None


def read_timed_counters(report: LatencyReport) -> tuple[Readings, dict[str, str]]:
    """Return the sums over the timings, null if a timing lacks the count, and the reasons for null ones."""
    readings: Readings = {
        f"timed_{name}": _sum(timing.counters.get(name) for timing in report.timings) for name in FURTHER_COUNTERS
    }
    reasons = {f"timed_{name}": report.counter_reasons.get(name, _NOT_REPORTED) for name in FURTHER_COUNTERS}
    return readings, {name: reasons[name] or _NO_REASON for name, value in readings.items() if value is None}


def _sum(counts: Iterable[int | float | None]) -> int | float | None:
    """Return the sum, or None if a count is unknown."""
    total: int | float = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total
