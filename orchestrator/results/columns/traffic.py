"""Columns of the cost of a traffic."""

from collections.abc import Sequence

from orchestrator.results.columns.cells import candidate_columns, rank_cell, ratios, timing_cell
from orchestrator.results.traffic.schemas import AgentTraffic, TrafficRow
from orchestrator.shared.tables import Cell, Column, figure, limits, number, shown
from orchestrator.shared.units import format_duration_ns, format_p_value, format_share, format_size, format_throughput
from orchestrator.shared.values.text import counted


def traffic_columns(rows: Sequence[TrafficRow], agent: AgentTraffic, *, page: bool) -> list[Column]:
    """Return the columns of the candidates of an agent; page: with those that a terminal has no room for."""
    columns = [
        (True, number("rank", lambda row: rank_cell(row, row.reason))),
        *((True, column) for column in candidate_columns(rows, page=page)),
        (True, number("per message", _cost)),
        (True, number("95 % interval", _interval)),
        (True, number("interpolated", _interpolated, drop=1)),
        (page, number("key changes", lambda row: _share(row.key_changes_share))),
        (page, number("throughput", _throughput)),
        (True, number("behind", lambda row: _behind(row, agent))),
        (page, Column("constant time", value=lambda row: timing_cell(row.constant_time_check))),
        (page, number("blocks")),
    ]
    return shown(columns)


def _cost(row: TrafficRow) -> Cell:
    return Cell(None if row.cost_ns is None else format_duration_ns(row.cost_ns), row.reason, tone="strong")


def _interval(row: TrafficRow) -> Cell:
    return Cell(limits(row.interval, format_duration_ns, " "), "an interval needs 6 blocks", tone="muted")


def _interpolated(row: TrafficRow) -> Cell:
    """Return the error of interpolated costs; absent where all messages have measured lengths."""
    if row.interpolation_error is None or 1 - row.measured_share <= 0.0001:
        return Cell(None, "every length was measured")
    measured = ", ".join(format_size(length) for length in row.measured_bytes)
    title = f"Of {format_share(1 - row.measured_share)} of the messages; measured: {measured}"
    return Cell(f"up to + {format_share(row.interpolation_error)}", title=title)


def _share(share: float | None) -> Cell:
    return Cell(None if share is None else format_share(share), title="Share of the cost")


def _throughput(row: TrafficRow) -> Cell:
    text = None if row.bytes_per_second is None else format_throughput(row.bytes_per_second)
    return Cell(text, "the messages are empty")


def _behind(row: TrafficRow, agent: AgentTraffic) -> Cell:
    p = "" if row.adjusted_p is None else f"p {format_p_value(row.adjusted_p)}, corrected for "
    title = p and f"{p}{counted(agent.comparisons, 'comparison')}"
    return Cell(figure(row.behind, ".3g", "×"), "it is the first", title, ratios(row.behind_interval))
