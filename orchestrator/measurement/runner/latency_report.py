"""Reports of ``latency``, as the fields and readings of a record."""

from collections.abc import Callable, Iterable
from statistics import median

from orchestrator.measurement.machine.cpu_time_split import SplitFacts, read_split
from orchestrator.measurement.runner.counters import read_timed_counters
from orchestrator.measurement.runner.masking import read_masking
from orchestrator.measurement.runner.readings import RunnerReadings
from orchestrator.wire.launcher import Ended
from orchestrator.wire.messages import OutputCheck, check_of
from orchestrator.wire.records import TimingSeries
from orchestrator.wire.runners import LatencyReport, LatencyTiming

_OF_PROCESS = ("work_wall_ns", "work_cpu_ns", "input_bytes")


def read_report(report: LatencyReport, ended: Ended, split: SplitFacts) -> RunnerReadings:
    """Return the readings of a report; those of a call are of one message of its batch.

    split: how this kernel splits user and system time.
    """
    report = _by_message(report)
    columns: dict[str, int | float | None] = {
        "process_wall_ns": ended.end_ns - ended.spawn_ns,
        "call_wall_ns": _per_call(report, lambda timing: timing.wall_ns),
        "call_cpu_ns": _per_call(report, lambda timing: timing.cpu_ns),
        "peak_rss_bytes": report.peak_rss_bytes,
        **dict.fromkeys(_OF_PROCESS),
    }
    readings = _sums(report) | _first_calls(report) | _cycles(report) | _surroundings(report, ended)
    readings |= read_masking(report.masking) | _adaptation(report)
    absent = _reasons(report, columns | readings)
    cpu_ns = (ended.user_us + ended.system_us) * 1000
    for part in (read_timed_counters(report), read_split(cpu_ns, split)):
        readings |= part[0]
        absent |= part[1]
    return RunnerReadings(
        columns=columns,
        readings=readings,
        absent=absent,
        major_faults=ended.major_faults,
        involuntary_switches=ended.involuntary_switches,
        output_sha256=report.output_sha256 if _check(report) == "digest" else None,
        verified=report.verified,
        timings=_timings(report),
        impossible=_impossible(report),
        garbage_collections=sum(timing.garbage_collections or 0 for timing in report.timings),
    )


def _by_message(report: LatencyReport) -> LatencyReport:
    """Return the report as if each message of a batch had been a call."""
    if report.messages == 1:
        return report
    timings = [one.model_copy(update={"iterations": one.iterations * report.messages}) for one in report.timings]
    call = report.cold.call
    if call is not None:
        update = {name: getattr(call, name) // report.messages for name in ("wall_ns", "cpu_ns")}
        call = call.model_copy(update=update)
    cold = report.cold.model_copy(update={"call": call})
    return report.model_copy(update={"timings": timings, "cold": cold})


def _check(report: LatencyReport) -> OutputCheck:
    return report.output_check or check_of(report.operation) or "digest"


def _sums(report: LatencyReport) -> dict[str, int | float | None]:
    return {
        "iterations": min(timing.iterations for timing in report.timings),
        "timed_calls": sum(timing.iterations for timing in report.timings),
        "timed_wall_ns": sum(timing.wall_ns for timing in report.timings),
        "timed_cpu_ns": sum(timing.cpu_ns for timing in report.timings),
    }


def _first_calls(report: LatencyReport) -> dict[str, int | float | None]:
    call, key_setup = report.cold.call, report.cold.key_setup
    return {
        "cold_call_wall_ns": call.wall_ns if call else None,
        "cold_call_cpu_ns": call.cpu_ns if call else None,
        "cold_key_setup_wall_ns": key_setup.wall_ns if key_setup else None,
        "cold_key_setup_cpu_ns": key_setup.cpu_ns if key_setup else None,
    }


def _adaptation(report: LatencyReport) -> dict[str, int | float | None]:
    """Return the readings of an interpreter or a just-in-time compiler that adapts; a native runner has none."""
    if report.warm is None or report.settling is None:
        return {}
    counts = [timing.garbage_collections for timing in report.timings]
    known = [count for count in counts if count is not None]
    return {
        "warm_call_wall_ns": _median(report.warm.wall_ns),
        "settling_calls": report.settling.calls,
        "settling_wall_ns": report.settling.wall_ns,
        "settled": int(report.settling.settled),
        "timed_garbage_collections": sum(known) if len(known) == len(counts) else None,
    }


def _cycles(report: LatencyReport) -> dict[str, int | float | None]:
    return {
        "call_cycles": _per_call(report, lambda timing: timing.cycles),
        "call_instructions": _per_call(report, lambda timing: timing.instructions),
        "cycles_per_instruction": _median(
            timing.cycles / timing.instructions
            for timing in report.timings
            if timing.cycles is not None and timing.instructions
        ),
        "derived_call_cycles": _per_call(report, lambda timing: timing.derived_cycles),
        "core_clock_hz": _median(timing.core_clock.hz for timing in report.timings),
        "min_call_cycles": report.min_cycles,
    }


def _surroundings(report: LatencyReport, ended: Ended) -> dict[str, int | float | None]:
    return {
        "clock_resolution_ns": report.clock.resolution_ns,
        "clock_reading_ns": report.clock.reading_ns,
        "process_user_ns": ended.user_us * 1000,
        "process_system_ns": ended.system_us * 1000,
        "launcher_max_rss_bytes": ended.max_rss_bytes,
        "baseline_rss_bytes": report.baseline_rss_bytes,
    }


def _per_call(report: LatencyReport, value: Callable[[LatencyTiming], float | None]) -> float | None:
    """Return the median over those timings that have the value, each divided by its calls."""
    found = ((value(timing), timing.iterations) for timing in report.timings)
    return _median(total / iterations for total, iterations in found if total is not None)


def _median(values: Iterable[float | None]) -> float | None:
    found = [value for value in values if value is not None]
    return float(median(found)) if found else None


def _timings(report: LatencyReport) -> TimingSeries:
    return TimingSeries(
        iterations=[timing.iterations for timing in report.timings],
        wall_ns=[timing.wall_ns for timing in report.timings],
        cpu_ns=[timing.cpu_ns for timing in report.timings],
        cycles=[timing.cycles for timing in report.timings],
        instructions=[timing.instructions for timing in report.timings],
        core_clock_hz=[timing.core_clock.hz for timing in report.timings],
        derived_cycles=[timing.derived_cycles for timing in report.timings],
    )


def _impossible(report: LatencyReport) -> str:
    """Return how many timings took fewer cycles than the cipher's lower bound, or an empty text."""
    bad = [timing for timing in report.timings if timing.impossible]
    if not bad:
        return ""
    min_cycles = min(_cycles_of(timing) / timing.iterations for timing in bad)
    return (
        f"{len(bad)} of {len(report.timings)} timings took fewer cycles per call than {report.algorithm} needs on any "
        f"machine: {min_cycles:.1f} in the fastest one, expected {report.min_cycles} or more."
    )


def _cycles_of(timing: LatencyTiming) -> float:
    """Return the cycles of an impossible timing: counted if the kernel counts them, otherwise derived."""
    return (timing.derived_cycles or 0.0) if timing.cycles is None else timing.cycles


def _reasons(report: LatencyReport, values: dict[str, int | float | None]) -> dict[str, str]:
    counters = report.counters_reason or "the runner gave no reason"
    clock = next((timing.core_clock.reason for timing in report.timings if timing.core_clock.reason), None)
    reasons = {
        **dict.fromkeys(_OF_PROCESS, "the latency protocol times calls, not the phases of a process"),
        **dict.fromkeys(("call_cycles", "call_instructions", "cycles_per_instruction"), counters),
        **dict.fromkeys(("derived_call_cycles", "core_clock_hz"), clock or "the runner gave no reason"),
        **dict.fromkeys(
            ("cold_call_wall_ns", "cold_call_cpu_ns"), "the timed operation is key setup: see cold_key_setup"
        ),
        **dict.fromkeys(("cold_key_setup_wall_ns", "cold_key_setup_cpu_ns"), "the timed operation takes no key"),
        "min_call_cycles": "no lower bound is known for this algorithm",
        "timed_garbage_collections": report.garbage_collections_reason or "the runner gave no reason",
    }
    unreadable = "the runner could not read /proc/self/status"
    return {name: reasons.get(name, unreadable) for name, value in values.items() if value is None}
