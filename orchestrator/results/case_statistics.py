"""Statistics of each case, stored so that no page has to compute a median. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from orchestrator.runs.state import ENDED_EXECUTIONS
from orchestrator.statistics.median import MedianSummary, median_absolute_deviation, relative_interval, summarize
from orchestrator.statistics.outliers import outliers
from orchestrator.wire.messages import phases_of

NS_PER_SECOND = 1e9


class FinishedRow(NamedTuple):
    """One finished execution of any purpose."""

    case_id: int
    message_bytes: int
    message_operations: str
    protocol: str
    purpose: str
    state: str
    disturbed: bool
    phase_wall_ns: Mapping[str, int] | None
    work_wall_ns: int | None
    work_cpu_ns: int | None
    call_wall_ns: float | None
    call_cpu_ns: float | None
    peak_rss_bytes: int | None
    cold_call_wall_ns: float | None
    """Time of the first call, or of the first key setup if that is timed."""
    cycles_per_instruction: float | None
    energy_per_execution_joules: float | None
    """Measured over an energy window, as the next."""
    energy_per_byte_joules: float | None


def throughput(message_bytes: int, wall_ns: int | None) -> float | None:
    """Return bytes per second, or None for a phase that was not timed or is below the clock's resolution."""
    return message_bytes * NS_PER_SECOND / wall_ns if wall_ns else None


def statistics_of(rows: Sequence[FinishedRow]) -> dict[str, object]:
    """Return the statistics of a case from its finished executions.

    States count every purpose except warm-up, of which only the number is kept. Times, disturbances and outliers are
    those of the ``ok`` timing executions.
    """
    counted = [row for row in rows if row.purpose != "warm-up"]
    good = [row for row in counted if row.state == "ok" and row.purpose == "timing"]
    whole = _summary_of(throughput(row.message_bytes, row.work_wall_ns) for row in good)
    return {
        **{state: sum(row.state == state for row in counted) for state in ENDED_EXECUTIONS},
        "warm_ups": len(rows) - len(counted),
        "disturbed": sum(row.disturbed for row in good),
        "phases": _phases(good),
        **_columns("pass_bytes_per_second", whole),
        **_columns("call_wall_ns", _summary_of(row.call_wall_ns for row in good)),
        "median_call_cpu_ns": _median_of(row.call_cpu_ns for row in good),
        "median_cold_call_wall_ns": _median_of(row.cold_call_wall_ns for row in good),
        "median_work_wall_ns": _median_of(row.work_wall_ns for row in good),
        "median_work_cpu_ns": _median_of(row.work_cpu_ns for row in good),
        "median_cycles_per_instruction": _median_of(row.cycles_per_instruction for row in good),
        **_dispersion(good),
        **_memory_and_energy(counted, good),
    }


def _phases(good: Sequence[FinishedRow]) -> dict[str, dict[str, float | None]] | None:
    """Return the figures of each operation by its phase; None without one."""
    phases = dict.fromkeys(phase for row in good for phase in row.phase_wall_ns or ())
    found = {}
    for phase in phases:
        times = [(row.message_bytes, (row.phase_wall_ns or {}).get(phase)) for row in good]
        has_speed = phase in phases_of(good[0].message_operations)
        speeds = _summary_of(throughput(*one) for one in times) if has_speed else None
        found[phase] = {
            "median_wall_ns": _median_of(wall_ns for _, wall_ns in times),
            **_columns("bytes_per_second", speeds),
        }
    return found or None


def _dispersion(good: Sequence[FinishedRow]) -> dict[str, object]:
    """Return the dispersion of the protocol's headline reading and the number of outliers."""
    work, calls = (
        [float(value) for value in values if value]
        for values in ((row.work_wall_ns for row in good), (row.call_wall_ns for row in good))
    )
    headline = calls if any(row.protocol == "latency" for row in good) else work
    return {
        "outliers": sum(outliers(headline)),
        "mad_work_wall_ns": median_absolute_deviation(work) if work else None,
        "mad_call_wall_ns": median_absolute_deviation(calls) if calls else None,
        "relative_interval": relative_interval(summarize(headline)),
    }


def _memory_and_energy(counted: Sequence[FinishedRow], good: Sequence[FinishedRow]) -> dict[str, object]:
    """Return peak memory and energy, from executions with that purpose; memory falls back to timing executions."""
    ok = [row for row in counted if row.state == "ok"]
    of_memory = [row for row in ok if row.purpose == "memory" and row.peak_rss_bytes is not None]
    return {
        "median_peak_rss_bytes": _median_of(row.peak_rss_bytes for row in of_memory or good),
        "median_energy_per_execution_joules": _median_of(row.energy_per_execution_joules for row in ok),
        "median_energy_per_byte_joules": _median_of(row.energy_per_byte_joules for row in ok),
    }


def _columns(quantity: str, summary: MedianSummary | None) -> dict[str, float | None]:
    interval = summary.interval if summary else None
    return {
        f"median_{quantity}": summary.median if summary else None,
        f"low_{quantity}": interval.low if interval else None,
        f"high_{quantity}": interval.high if interval else None,
    }


def _summary_of(readings: Iterable[float | None]) -> MedianSummary | None:
    return summarize([reading for reading in readings if reading is not None])


def _median_of(readings: Iterable[float | None]) -> float | None:
    summary = _summary_of(readings)
    return summary.median if summary else None
