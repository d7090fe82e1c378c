"""Reports of ``process`` and ``noop``, as the fields and readings of a record."""

from collections.abc import Sequence
from itertools import pairwise

from orchestrator.measurement.machine.cpu_time_split import SplitFacts, read_split
from orchestrator.measurement.runner.counters import read_phase_counters
from orchestrator.measurement.runner.masking import read_masking
from orchestrator.measurement.runner.readings import RunnerReadings
from orchestrator.shared.errors import ProtocolMismatch
from orchestrator.wire.launcher import Ended
from orchestrator.wire.metrics.phases import USAGES
from orchestrator.wire.runners import FIRST_PHASES, InputOutput, PhaseReading, ProcessReport, Usage

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


_OF_CALLS = ("call_wall_ns", "call_cpu_ns")


def read_report(report: ProcessReport, phases: Sequence[str], ended: Ended, split: SplitFacts) -> RunnerReadings:
    """Return the readings of a report; raises ProtocolMismatch if its phases or stamps are inconsistent.

    phases: those of the operations that were requested. split: how this kernel splits user and system time.
    """
    _require_phases(report, phases)
    _require_order(report, ended)
    end = report.phases[-1]
    columns = _columns(report, ended, end)
    readings = _work(report, ended, end) | read_masking(report.masking)
    absent = _reasons(report, columns | readings)
    cpu_ns = (end.user_us + end.system_us) * 1000
    for part in (
        read_phases(report),
        read_phase_counters(report, phases),
        _garbage_collections(report),
        read_split(cpu_ns, split),
    ):
        readings |= part[0]
        absent |= part[1]
    return RunnerReadings(
        columns=columns,
        phase_wall_ns={phase: report.stamps_ns[phase] - report.begins_ns[phase] for phase in phases},
        readings=readings,
        absent=absent,
        major_faults=end.major_faults,
        involuntary_switches=end.involuntary_switches,
        output_sha256=report.output_sha256,
        verified=report.verified,
        garbage_collections=int(sum(value or 0 for value in _garbage_collections(report)[0].values())),
        driver_cpu_ns=report.driver_cpu_ns or 0,
        phases_descheduled_ns=None if report.begun_ns is None else _descheduled_ns(report, report.begun_ns),
    )


def _work(report: ProcessReport, ended: Ended, end: PhaseReading) -> dict[str, int | float | None]:
    """Return the readings of the work as a whole."""
    stamps, begins = report.stamps_ns, report.begins_ns
    return {
        "start_wall_ns": stamps["main"] - _begun_ns(report, ended),
        "load_wall_ns": stamps["load"] - begins["load"],
        "reporting_wall_ns": ended.end_ns - _work_end_ns(report),
        "process_user_ns": ended.user_us * 1000,
        "process_system_ns": ended.system_us * 1000,
        "work_user_ns": end.user_us * 1000,
        "work_system_ns": end.system_us * 1000,
        "work_minor_faults": end.minor_faults,
        "work_major_faults": end.major_faults,
        "work_voluntary_switches": end.voluntary_switches,
        "work_involuntary_switches": end.involuntary_switches,
        "launcher_max_rss_bytes": ended.max_rss_bytes,
        "baseline_rss_bytes": report.baseline_rss_bytes,
        "buffers_bytes": report.buffers_bytes,
        "rest_rss_bytes": _rest_rss_bytes(report),
        "padded_bytes": report.padded_bytes,
        "output_bytes": report.output_bytes,
        "between_phases_wall_ns": _between_phases_ns(report),
        **({} if report.driver_cpu_ns is None else {"driver_cpu_ns": report.driver_cpu_ns}),
        **_bytes_transferred(report),
    }


def _between_phases_ns(report: ProcessReport) -> int:
    moments = _moments(report)
    return sum(begin - end for end, begin in zip(moments[::2], moments[1::2], strict=False))


def _moments(report: ProcessReport) -> list[int]:
    """Return the end of ``start``, then start and end of each phase."""
    return [report.stamps_ns["main"]] + [
        moment for phase in report.begins_ns for moment in (report.begins_ns[phase], report.stamps_ns[phase])
    ]


def _begun_ns(report: ProcessReport, ended: Ended) -> int:
    """Return when the program began: a driver starts before the program of a language."""
    return ended.spawn_ns if report.begun_ns is None else report.begun_ns


def _work_end_ns(report: ProcessReport) -> int:
    return _moments(report)[-1]


def _bytes_transferred(report: ProcessReport) -> dict[str, int | float | None]:
    io = report.io or InputOutput()
    return {
        "work_read_bytes": None if io.read_bytes is None else max(0, io.read_bytes - io.instruments_read_bytes),
        "work_written_bytes": io.written_bytes,
        "work_storage_read_bytes": io.storage_read_bytes,
        "work_storage_written_bytes": io.storage_written_bytes,
    }


def _columns(report: ProcessReport, ended: Ended, end: PhaseReading) -> dict[str, int | float | None]:
    return {
        "work_wall_ns": _work_end_ns(report) - _begun_ns(report, ended),
        "process_wall_ns": ended.end_ns - ended.spawn_ns,
        "work_cpu_ns": (end.user_us + end.system_us) * 1000,
        "peak_rss_bytes": report.peak_rss_bytes,
        "input_bytes": report.input_bytes,
        **dict.fromkeys(_OF_CALLS),
    }


def _garbage_collections(report: ProcessReport) -> tuple[dict[str, int | float | None], dict[str, str]]:
    """Return the collections of the phases, and the reasons for null ones; a native runner has neither."""
    found = report.garbage_collections
    if found is None:
        return {}, {}
    readings = {f"{phase}_garbage_collections": value for phase, value in found.by_phase.items()}
    reason = found.reason or "the runner gave no reason"
    return readings, {name: reason for name, value in readings.items() if value is None}


def _descheduled_ns(report: ProcessReport, begun_ns: int) -> int:
    """Return the wall time less the CPU time of each phase, in sum."""
    begins = {"start": begun_ns, **report.begins_ns}
    ends = {"start": report.stamps_ns["main"], **report.stamps_ns}
    total_ns = 0
    for phase in report.phases:
        before = phase.begin or BEFORE_ALL
        cpu_us = phase.user_us + phase.system_us - before.user_us - before.system_us
        total_ns += max(0, ends[phase.phase] - begins[phase.phase] - 1000 * cpu_us)
    return total_ns


def _require_order(report: ProcessReport, ended: Ended) -> None:
    """Raise ProtocolMismatch for decreasing stamps, so that a runner with another clock cannot appear fast."""
    moments = [ended.spawn_ns, _begun_ns(report, ended), *_moments(report), ended.end_ns]
    if any(later < earlier for earlier, later in pairwise(moments)):
        raise ProtocolMismatch(f"The runner's stamps are not in order: {moments}.")


def _require_phases(report: ProcessReport, phases: Sequence[str]) -> None:
    """Raise ProtocolMismatch unless stamps and readings are those of the first phases and of these, in their order."""
    expected = [*FIRST_PHASES, *phases]
    for name, reported, required in (
        ("begins_ns", report.begins_ns, expected[1:]),
        ("stamps_ns", report.stamps_ns, ["main", *expected[1:]]),
        ("phases", [one.phase for one in report.phases], expected),
    ):
        if list(reported) != required:
            raise ProtocolMismatch(
                f"The runner reported {name} of {', '.join(reported)}; expected {', '.join(required)}."
            )


def _rest_rss_bytes(report: ProcessReport) -> int | None:
    """Return the rest, or None if a part is unknown; 0 if the buffers are not fully resident."""
    if report.peak_rss_bytes is None or report.baseline_rss_bytes is None:
        return None
    return max(0, report.peak_rss_bytes - report.baseline_rss_bytes - report.buffers_bytes)


def _reasons(report: ProcessReport, values: dict[str, int | float | None]) -> dict[str, str]:
    unreadable = "the runner could not read /proc/self/status"
    reasons: dict[str, str | None] = {
        **dict.fromkeys(_OF_CALLS, "the process protocol times phases, not calls"),
        **dict.fromkeys(
            _bytes_transferred(report), report.io.reason if report.io else "this runner does not report it"
        ),
    }
    return {
        name: (reasons[name] or "the runner gave no reason") if name in reasons else unreadable
        for name, value in values.items()
        if value is None
    }
