"""Rows of the result tables."""

from collections.abc import Sequence
from typing import Any

from orchestrator.database.engine import Database
from orchestrator.results.cases import service as cases
from orchestrator.results.cases.schemas import CaseFigures, CaseSummary, TypicalCall
from orchestrator.shared.values.forms import FORM_FIELDS
from orchestrator.web.runs.executions.views import LatencyRow, ResultRow
from orchestrator.web.views import Interval

ROWS_PER_PAGE = 50
_OF_CASE = ("protocol", "provider", "algorithm", "variant", *FORM_FIELDS, "copy_number", "input_kind",
            "message_bytes")  # fmt: skip
_COUNTS = ("ok", "failed", "wrong", "disputed", "skipped", "disturbed", "outliers", "warm_ups")
_NO_FIGURES = CaseFigures.model_construct(
    **{name: 0 if name in _COUNTS else None for name in CaseFigures.model_fields}  # type: ignore[arg-type]
)


def pages_of(total: int, rows_per_page: int = ROWS_PER_PAGE) -> int:
    """Return the number of pages for this number of rows, at least 1."""
    return max(1, -(-total // rows_per_page))


def case_rows(database: Database, found: Sequence[CaseSummary]) -> list[ResultRow] | list[LatencyRow]:
    """Return cases, all of one protocol, as rows of its table."""
    if all(case.protocol == "process" for case in found):
        return [_result_row(case) for case in found]
    typical = cases.typical_calls(database, [case.id for case in found])
    return [_latency_row(case, typical.get(case.id)) for case in found]


def case_row(database: Database, case: CaseSummary) -> ResultRow | LatencyRow:
    """Return one case as a row of its protocol's table."""
    return case_rows(database, [case])[0]


def _result_row(case: CaseSummary) -> ResultRow:
    figures = case.summary or _NO_FIGURES
    return ResultRow(
        **_common_columns(case),
        encrypt_bytes_per_second=_interval(figures, "encrypt_bytes_per_second"),
        decrypt_bytes_per_second=figures.median_decrypt_bytes_per_second,
        pass_bytes_per_second=_interval(figures, "pass_bytes_per_second"),
        work_wall_ns=figures.median_work_wall_ns,
        work_cpu_ns=figures.median_work_cpu_ns,
    )


def _latency_row(case: CaseSummary, typical: TypicalCall | None) -> LatencyRow:
    figures = case.summary or _NO_FIGURES
    return LatencyRow(
        **_common_columns(case),
        operation=case.operation,
        key_setup=case.key_setup or "apart",
        associated_data_bytes=case.associated_data_bytes,
        fill=case.fill or "",
        key_fill=case.key_fill or "",
        call_wall_ns=_interval(figures, "call_wall_ns"),
        call_cpu_ns=figures.median_call_cpu_ns,
        cold_call_wall_ns=figures.median_cold_call_wall_ns,
        typical=typical,
        footprint=case.footprint,
    )


def _common_columns(case: CaseSummary) -> dict[str, Any]:
    figures = case.summary or _NO_FIGURES
    return {
        "case_id": case.id,
        "agent": case.agent_name,
        "toolchain": case.toolchain_words,
        **{name: getattr(case, name) for name in _OF_CASE},
        "peak_rss_bytes": figures.median_peak_rss_bytes,
        "relative_interval": figures.relative_interval,
        "cycles_per_instruction": figures.median_cycles_per_instruction,
        "energy_per_execution_joules": figures.median_energy_per_execution_joules,
        "energy_per_byte_joules": figures.median_energy_per_byte_joules,
        "basis": case.basis,
        "vouched_by": case.vouched_by,
        **{name: getattr(figures, name) for name in _COUNTS},
    }


def _interval(figures: CaseFigures, quantity: str) -> Interval:
    median, low, high = (getattr(figures, f"{part}_{quantity}") for part in ("median", "low", "high"))
    return Interval(median=median, low=low, high=high)
