"""Statistics of each case, kept beside it so that no page computes a median while somebody waits."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import delete, insert
from sqlalchemy.orm import Session

from orchestrator.database.models import CaseSummary
from orchestrator.results import repository
from orchestrator.results.repository import TimingRow
from orchestrator.statistics.median import MedianSummary, summarise

NS_PER_SECOND = 1e9
_STATES = ("ok", "failed", "wrong", "disputed", "skipped")


def resummarise(session: Session, case_ids: Iterable[int]) -> None:
    """Write the summaries of these cases anew, in the caller's write transaction."""
    touched = sorted(set(case_ids))
    if not touched:
        return
    rows: dict[int, list[TimingRow]] = defaultdict(list)
    for row in repository.timing_rows(session, touched):
        rows[row.case_id].append(row)
    session.execute(delete(CaseSummary).where(CaseSummary.case_id.in_(touched)))
    if rows:
        session.execute(insert(CaseSummary), [_summary(case_id, of_case) for case_id, of_case in rows.items()])


def throughput(message_bytes: int, wall_ns: int | None) -> float | None:
    """Return bytes per second, or None for a phase that was not timed or is shorter than the clock can show."""
    return message_bytes * NS_PER_SECOND / wall_ns if wall_ns else None


def _summary(case_id: int, rows: Sequence[TimingRow]) -> dict[str, object]:
    good = [row for row in rows if row.state == "ok"]
    encrypt = _median(throughput(row.message_bytes, row.encrypt_wall_ns) for row in good)
    decrypt = _median(throughput(row.message_bytes, row.decrypt_wall_ns) for row in good)
    whole = _median(throughput(row.message_bytes, row.work_wall_ns) for row in good)
    return {
        "case_id": case_id,
        **{state: sum(row.state == state for row in rows) for state in _STATES},
        "disturbed": sum(row.disturbed for row in good),
        **_columns("encrypt_bytes_per_second", encrypt),
        "median_decrypt_bytes_per_second": decrypt and decrypt.median,
        **_columns("pass_bytes_per_second", whole),
        **_columns("call_wall_ns", _median(row.call_wall_ns for row in good)),
        "median_call_cpu_ns": _middle(row.call_cpu_ns for row in good),
        "median_cold_call_wall_ns": _middle(row.cold_call_wall_ns for row in good),
        "median_work_wall_ns": _middle(row.work_wall_ns for row in good),
        "median_work_cpu_ns": _middle(row.work_cpu_ns for row in good),
        "median_peak_rss_bytes": _middle(row.peak_rss_bytes for row in good),
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
