"""Columns of the overhead of masking."""

from collections.abc import Sequence
from functools import partial

from orchestrator.results.answers.masking.schemas import MaskingRow, MaskingTerm, MaskingTime
from orchestrator.results.columns.cells import copy_label, quantities, rank_cell
from orchestrator.results.schemas import Interval, PlaceFields
from orchestrator.shared.tables import Cell, Column, differ, figure, limits, number, shown
from orchestrator.shared.units import format_duration_ns
from orchestrator.shared.values.text import enumerated

_NO_UNIT = "the run lacks the unmasked cipher or chacha20-poly1305"
_TERMINAL_LENGTHS_BYTES = (16, 128)
"""Of the encryptions that a terminal has room for."""


def masking_columns(rows: Sequence[MaskingRow], terms: Sequence[MaskingTerm], *, page: bool) -> list[Column]:
    """Return the columns of the rows of one agent and generator; page: with those that a terminal has no room for.

    terms: of the weighted sum.
    """
    calls = [(term.operation, term.length_bytes) for term in terms]
    columns = [
        (True, number("rank", lambda row: rank_cell(row, row.reason))),
        (True, Column("cipher", heads_row=True, value=_cipher)),
        (page and differ(rows, "toolchain"), Column("toolchain")),
        (True, number("overhead", lambda row: _ratio(row.overhead, row.reason, row.overhead_interval))),
        (not page, number("95 % interval", lambda row: limits(row.overhead_interval, "{:.3g}".format))),
        (True, number("units", lambda row: _ratio(row.chacha_units, _NO_UNIT, row.chacha_units_interval))),
        (True, number("× ChaChaPoly", lambda row: _ratio(row.relative_time, _NO_UNIT, row.relative_interval))),
        (True, number("its rank", _relative_rank, drop=1)),
        *(
            (page, number(f"{operation} {length} B", partial(_time_of_term, place)))
            for place, (operation, length) in enumerate(calls)
        ),
        *(
            (not page, number(f"e{length}", partial(_encryption_time, length), drop))
            for drop, length in enumerate(_TERMINAL_LENGTHS_BYTES, 3)
        ),
        (page, number("random bytes", lambda row: _of_first(row, "random_bytes", "d"))),
        (page, number("generator", lambda row: _of_first(row, "generator_share", ".0%"))),
        (not page, number("generator", _generator_of_longest, drop=2)),
        (page, Column("evidence", value=_evidence)),
        (page, number("blocks")),
    ]
    return shown(columns)


def _cipher(row: MaskingRow) -> Cell:
    others = f"The fastest masked variant of this run, before {enumerated(row.other_variants)}"
    text = f"{row.algorithm} {row.masking or ''} {row.variant}{copy_label(row)}".replace("  ", " ")
    return Cell(text, title=others if row.other_variants else "")


def _ratio(value: float | None, reason: str, interval: Interval | None) -> Cell:
    return Cell(figure(value, ".3g"), reason, after=limits(interval, "{:.3g}".format) or "")


def _relative_rank(row: MaskingRow) -> Cell:
    place = PlaceFields(
        rank=row.relative_rank, last_rank=row.relative_last_rank, groups=row.relative_groups,
        undecided=row.relative_undecided,
    )  # fmt: skip
    return rank_cell(place, row.reason)


def _encryptions(row: MaskingRow, length_bytes: int) -> list[MaskingTime]:
    """Return the encryption of a message of this length."""
    return [time for time in row.times if (time.operation, time.length_bytes) == ("encrypt", length_bytes)][-1:]


def _time_of_term(place: int, row: MaskingRow) -> Cell:
    return _time(row, row.times[place:])


def _encryption_time(length_bytes: int, row: MaskingRow) -> Cell:
    return _time(row, _encryptions(row, length_bytes))


def _time(row: MaskingRow, found: Sequence[MaskingTime]) -> Cell:
    """Return the time of the first call, if there is one."""
    if not found or found[0].call_wall_ns is None:
        return Cell(None, row.reason)
    call, unmasked_ns = found[0], found[0].unmasked_call_wall_ns
    unmasked = "" if unmasked_ns is None else f"unmasked {format_duration_ns(unmasked_ns)}"
    interval = f"95 %: {quantities(call.interval, 'ns')}" if call.interval else ""
    return Cell(format_duration_ns(found[0].call_wall_ns), title="; ".join(filter(None, (interval, unmasked))))


def _of_first(row: MaskingRow, name: str, form: str) -> Cell:
    value = getattr(row.times[0], name) if row.times else None
    title = f"Of {row.times[0].operation} {row.times[0].length_bytes} B" if row.times else ""
    return Cell(figure(value, form), "unmasked" if row.shares is None else row.reason, title)


def _generator_of_longest(row: MaskingRow) -> str | None:
    found = _encryptions(row, _TERMINAL_LENGTHS_BYTES[-1])
    return figure(found[0].generator_share, ".0%") if found else None


def _evidence(row: MaskingRow) -> Cell:
    if row.evidence:
        return Cell(row.evidence.summary, title=row.evidence.sentence)
    return Cell(None, "unmasked") if row.shares is None else Cell(row.evidence_reason, tone="muted")
