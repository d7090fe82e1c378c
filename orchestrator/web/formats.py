"""Formats of quantities on the pages. Values arrive unrounded; an absent value is a dash."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby

from orchestrator.agents.selection import state_of
from orchestrator.results.cases.schemas import CaseFigures, CaseSummary, PhaseFigures
from orchestrator.results.schemas import ExecutionSummary
from orchestrator.results.validation import has_digest
from orchestrator.runs.schemas import RunSummary
from orchestrator.service.trust.kinds import WORDS
from orchestrator.shared import units
from orchestrator.shared.units import KIB, MIB
from orchestrator.shared.values.forms import candidate_label, variant_label
from orchestrator.shared.values.ranks import groups_label, rank_label
from orchestrator.wire.messages import operation_label, phases_of

ABSENT = "—"
THIN_SPACE = "\u202f"
NO_FIGURES = CaseFigures.model_construct(
    **{name: 0 if field.annotation is int else None for name, field in CaseFigures.model_fields.items()}  # type: ignore[arg-type]
)
"""Figures of a case without an ended execution."""
NO_PHASE = PhaseFigures.model_construct(**dict.fromkeys(PhaseFigures.model_fields))
"""Figures of a phase that a case has not or that no verified execution has."""


def phase_times(execution: ExecutionSummary) -> list[int | None]:
    """Return the times of the phases that have a throughput, ns; None without work."""
    times = {one.phase: one.wall_ns for one in execution.phases}
    return [times.get(phase) for phase in phases_of(execution.message_operations)]


STOP_REASONS = {
    "maximum": "the maximum number of repetitions was reached",
    "budget": "the time budget was spent",
    "failing": "no execution is ok",
    "lost": "a job was lost",
}
_FAILURES = {
    "wrong": "The ciphertext differs from the expected one.",
    "disputed": "Providers return different ciphertexts, and no reference shows which is correct.",
}


def number(value: float | None) -> str:
    """Return three significant digits, or all digits of the whole part; thousands apart by a thin space."""
    if value is None:
        return ABSENT
    if value == 0:
        return "0"
    # Rounding may carry into the next digit (99.96 has two digits before the point, 100.0 has three).
    places = 2 - math.floor(math.log10(abs(value)))
    places = 2 - math.floor(math.log10(abs(round(value, places)) or 1))
    return f"{value:,.{max(0, places)}f}".replace(",", THIN_SPACE)


def count(value: int | None) -> str:
    """Return a count with thousands apart."""
    return ABSENT if value is None else f"{value:,}".replace(",", THIN_SPACE)


def counted(number_of: int, noun: str) -> str:
    """Return ``1 case`` or ``1 024 cases``."""
    return f"{count(number_of)} {noun}{'' if number_of == 1 else 's'}"


def heading(title: str) -> str:
    """Return the title of a column with a capital letter, unless it begins with a sign: ``n``, ``ns/byte``."""
    word = title.split(maxsplit=1)[0]
    return title[0].upper() + title[1:] if word.isalpha() and word.islower() and len(word) > 1 else title


def or_dash(form: Callable[..., str]) -> Callable[..., str]:
    """Return a format that writes a dash for an absent value."""
    return lambda value, *others: ABSENT if value is None else form(value, *others)


def moment(at: datetime | None) -> str:
    """Return a moment in UTC to the second."""
    return ABSENT if at is None else at.strftime("%Y-%m-%d %H:%M:%S UTC")


def ago(at: datetime | None) -> str:
    """Return the time since a moment in its largest unit: ``3 min ago``."""
    if at is None:
        return "never"
    seconds = max(0, round((datetime.now(UTC) - at) / timedelta(seconds=1)))
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit} ago"
    return f"{seconds} s ago"


def percent(share: float) -> str:
    """Return a share as a whole percentage; a share between 0 and 1 % as ``< 1 %``, and less than all is no 100 %."""
    return "< 1 %" if 0 < share < 0.01 else f"{min(round(share * 100), 99 if share < 1 else 100)} %"


def reading(value: float | None, unit: str) -> str:
    """Return a reading with its unit; counts are exact."""
    if value is None:
        return ABSENT
    if unit == "ns":
        return units.format_duration_ns(value)
    if unit == "bytes":
        return units.format_bytes_approximately(value) if value >= KIB else f"{value:g} B"
    if unit.startswith("share of "):
        return f"{number(100 * value)} % of {unit.removeprefix('share of ')}"
    shown = count(int(value)) if float(value).is_integer() else number(value)
    return shown if unit in ("1", "") else f"{shown} {unit}"


def stack_bytes(case: CaseSummary) -> int | None:
    """Return the largest stack use of a case's call; None where a part of it is unknown."""
    return case.footprint.max_stack_bytes(case.operation, with_key_setup=case.key_setup == "included")


def failure_detail(execution: ExecutionSummary) -> str:
    """Return why an execution has no valid result, in one sentence."""
    detail = (execution.failure or {}).get("detail")
    return str(detail or _FAILURES.get(execution.state, "No detail was recorded."))


def run_actions(run: RunSummary) -> list[str]:
    """Return the operations that a run's state allows."""
    if run.state in ("planned", "running"):
        return ["pause", "cancel"]
    keep = "unarchive" if run.archived_at else "archive"
    ended = {
        "cancelled": ["resume", keep, "delete"],
        "failed": ["resume", keep, "delete"],
        "finished": [keep, "delete"],
    }
    return ended.get(run.state, ["resume", "cancel"])


def run_groups(runs: Sequence[RunSummary]) -> list[list[RunSummary]]:
    """Return runs that follow each other under one name in groups, from three on: repetitions by `ci` or a watch."""
    found: list[list[RunSummary]] = []
    for _, of_name in groupby(runs, key=lambda run: run.name):
        group = list(of_name)
        found += [group] if len(group) > 2 else [[run] for run in group]
    return found


FILTERS: Mapping[str, Callable[..., object]] = {
    "number": number,
    "count": count,
    "counted": counted,
    "heading": heading,
    "mibps": or_dash(lambda bytes_per_second: number(bytes_per_second / MIB)),
    "ms": or_dash(lambda duration_ns: number(duration_ns / 1e6)),
    "mib": or_dash(lambda size_bytes: number(size_bytes / MIB)),
    "size": or_dash(units.format_size),
    "memory": or_dash(units.format_bytes_approximately),
    "duration": or_dash(lambda seconds: units.format_duration_ns(seconds * 1e9)),
    "moment": moment,
    "ago": ago,
    "half_width": units.format_half_width,
    "percent": percent,
    "quantity": or_dash(units.format_quantity),
    "imported": units.format_imported,
    "candidate_label": candidate_label,
    "variant_label": variant_label,
    "operation": operation_label,
    "call_label": lambda case: operation_label(case.operation, case.key_setup),
    "stack_bytes": stack_bytes,
    "has_digest": has_digest,
    "failure_detail": failure_detail,
    "stop_reason": STOP_REASONS.__getitem__,
    "false_report_label": lambda report: WORDS[report.kind],
    "actions": run_actions,
    "run_groups": run_groups,
    "agent_state": state_of,
    "rank_label": rank_label,
    "groups_label": groups_label,
}
