"""Columns of start-up and cost per byte."""

from collections.abc import Sequence

from orchestrator.results.answers.scaling.schemas import ScalingRow
from orchestrator.results.columns.cells import candidate_columns, candidate_name
from orchestrator.shared.tables import Cell, Column, differ, figure, limits, number, shown
from orchestrator.shared.units import format_share, format_signed_duration_ns, format_size, format_throughput
from orchestrator.wire.messages import operation_label

_FITS = {True: "fits", False: "does not fit", None: "one block"}
_DEPENDS = "the cost of a byte depends on the length"
_FEW_BLOCKS = "an interval needs 6 complete blocks"


def scaling_columns(rows: Sequence[ScalingRow], *, page: bool) -> list[Column]:
    """Return the columns of the lines of a run; page: with those that a terminal has no room for."""
    named = candidate_columns(rows, page=True) if page else [Column("candidate", value=line_name)]
    columns = [
        (page and differ(rows, "agent_name"), Column("agent", value="agent_name")),
        *((True, column) for column in named),
        (page and any(row.operation for row in rows), Column("call", value=_call)),
        (True, number("start-up", _start_up)),
        (page, number("95 % interval", _start_up_interval)),
        (True, number("ns/byte", _per_byte)),
        (page, number("95 % interval", _per_byte_interval)),
        (True, number("without it", _throughput)),
        (True, Column("line", keeps_width=True, value=_fit)),
        (page, number("blocks")),
    ]
    return shown(columns)


def line_name(row: ScalingRow) -> str:
    """Return the candidate with its call."""
    return f"{candidate_name(row)} {_call(row)}".rstrip()


def _call(row: ScalingRow) -> str:
    data = f" + {format_size(row.associated_data_bytes)} associated data" if row.associated_data_bytes else ""
    return f"{operation_label(row.operation, row.key_setup)}{data}" if row.operation else ""


def _start_up(row: ScalingRow) -> Cell:
    text = None if row.start_up_ns is None else format_signed_duration_ns(row.start_up_ns)
    return Cell(text, row.reason, tone="strong")


def _start_up_interval(row: ScalingRow) -> Cell:
    return Cell(limits(row.start_up_interval, format_signed_duration_ns), _FEW_BLOCKS, tone="muted")


def _per_byte(row: ScalingRow) -> Cell:
    if row.per_byte_ns is not None:
        return Cell(figure(row.per_byte_ns, ".3g"), tone="strong")
    steps = f"{row.step_lowest_ns:.3g} … {row.step_highest_ns:.3g}"
    return Cell(steps, title="Smallest and largest cost between two adjacent lengths")


def _per_byte_interval(row: ScalingRow) -> Cell:
    reason = _DEPENDS if row.fits is False else _FEW_BLOCKS
    return Cell(limits(row.per_byte_interval, "{:.3g}".format), reason, tone="muted")


def _throughput(row: ScalingRow) -> Cell:
    speed = row.per_byte_bytes_per_second
    reason = _DEPENDS if row.fits is False else "the cost of a byte is not distinguishable from 0"
    return Cell(None if speed is None else format_throughput(speed), reason)


def _fit(row: ScalingRow) -> Cell:
    missed = row.fits is False and row.largest_miss is not None
    after = f"{format_size(row.worst_length_bytes or 0)} by {format_share(row.largest_miss or 0)}" if missed else ""
    return Cell(_FITS[row.fits], title=row.sentence, after=after, tone="state")
