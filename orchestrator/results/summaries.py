"""Statistics of each case, kept beside it so that no page computes a median while somebody waits."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import delete, insert
from sqlalchemy.orm import Session

from orchestrator.database.models import CaseStatistics
from orchestrator.results import repository
from orchestrator.results.repository import FinishedRow
from orchestrator.statistics.median import MedianSummary, median_absolute_deviation, relative_interval, summarise
from orchestrator.statistics.outliers import outliers

NS_PER_SECOND = 1e9
_STATES = ("ok", "failed", "wrong", "disputed", "skipped")


def resummarise(session: Session, case_ids: Iterable[int]) -> None:
    """Write the summaries of these cases anew, in the caller's write transaction."""
    touched = sorted(set(case_ids))
    if not touched:
        return
    rows: dict[int, list[FinishedRow]] = defaultdict(list)
    for row in repository.finished_rows(session, touched):
        rows[row.case_id].append(row)
    session.execute(delete(CaseStatistics).where(CaseStatistics.case_id.in_(touched)))
    if rows:
        session.execute(insert(CaseStatistics), [_summary(case_id, of_case) for case_id, of_case in rows.items()])


def throughput(message_bytes: int, wall_ns: int | None) -> float | None:
    """Return bytes per second, or None for a phase that was not timed or is shorter than the clock can show."""
    return message_bytes * NS_PER_SECOND / wall_ns if wall_ns else None


def _summary(case_id: int, rows: Sequence[FinishedRow]) -> dict[str, object]:
    """Sum up the finished executions of a case.

    States are counted over everything but warm-ups, which are told by their number alone; times, disturbances and
    outliers are those of the timing executions that are ok.
    """
    counted = [row for row in rows if row.purpose != "warm-up"]
    good = [row for row in counted if row.state == "ok" and row.purpose == "timing"]
    encrypt = _median(throughput(row.message_bytes, row.encrypt_wall_ns) for row in good)
    decrypt = _median(throughput(row.message_bytes, row.decrypt_wall_ns) for row in good)
    whole = _median(throughput(row.message_bytes, row.work_wall_ns) for row in good)
    return {
        "case_id": case_id,
        **{state: sum(row.state == state for row in counted) for state in _STATES},
        "warm_ups": len(rows) - len(counted),
        "disturbed": sum(row.disturbed for row in good),
        **_columns("encrypt_bytes_per_second", encrypt),
        "median_decrypt_bytes_per_second": decrypt and decrypt.median,
        **_columns("pass_bytes_per_second", whole),
        **_columns("call_wall_ns", _median(row.call_wall_ns for row in good)),
        "median_call_cpu_ns": _middle(row.call_cpu_ns for row in good),
        "median_cold_call_wall_ns": _middle(row.cold_call_wall_ns for row in good),
        "median_work_wall_ns": _middle(row.work_wall_ns for row in good),
        "median_work_cpu_ns": _middle(row.work_cpu_ns for row in good),
        "median_cycles_per_instruction": _middle(row.cycles_per_instruction for row in good),
        **_spread(good),
        **_apart(counted, good),
    }


def _spread(good: Sequence[FinishedRow]) -> dict[str, object]:
    """Return how much the headline of the protocol scatters, and how many readings lie far from the others."""
    work, calls = (
        [float(value) for value in values if value]
        for values in ((row.work_wall_ns for row in good), (row.call_wall_ns for row in good))
    )
    headline = calls if any(row.protocol == "latency" for row in good) else work
    return {
        "outliers": sum(outliers(headline)),
        "mad_work_wall_ns": median_absolute_deviation(work) if work else None,
        "mad_call_wall_ns": median_absolute_deviation(calls) if calls else None,
        "relative_interval": relative_interval(summarise(headline)),
    }


def _apart(counted: Sequence[FinishedRow], good: Sequence[FinishedRow]) -> dict[str, object]:
    """Return what executions of their own may be made for: memory, else read while timing, and energy."""
    ok = [row for row in counted if row.state == "ok"]
    of_memory = [row for row in ok if row.purpose == "memory" and row.peak_rss_bytes is not None]
    return {
        "median_peak_rss_bytes": _middle(row.peak_rss_bytes for row in of_memory or good),
        "median_energy_per_execution_joules": _middle(row.energy_per_execution_joules for row in ok),
        "median_energy_per_byte_joules": _middle(row.energy_per_byte_joules for row in ok),
    }


def _columns(quantity: str, summary: MedianSummary | None) -> dict[str, float | None]:
    interval = summary.interval if summary else None
    return {
        f"median_{quantity}": summary.median if summary else None,
        f"low_{quantity}": interval.low if interval else None,
        f"high_{quantity}": interval.high if interval else None,
    }


def _median(readings: Iterable[float | None]) -> MedianSummary | None:
    return summarise([reading for reading in readings if reading is not None])


def _middle(readings: Iterable[float | None]) -> float | None:
    summary = _median(readings)
    return summary.median if summary else None
