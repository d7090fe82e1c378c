"""Columns of the ranking of an agent."""

from collections.abc import Sequence

from orchestrator.results.columns.cells import (
    INCOMPLETE,
    provider_cell,
    quantities,
    rank_cell,
    ratios,
    timing_cell,
    vouched_cell,
)
from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import AgentAnswer, AnswerRow
from orchestrator.shared.tables import Cell, Column, differ, figure, known, number, shown
from orchestrator.shared.units import format_half_width, format_p_value, format_quantity, format_size
from orchestrator.shared.values.forms import variant_label
from orchestrator.shared.values.text import counted


def ranking_columns(rows: Sequence[AnswerRow], agent: AgentAnswer, *, page: bool, details: bool = True) -> list[Column]:
    """Return the columns of an agent's ranking; those with equal or without values are left out.

    page: with the columns that a terminal has no room for. details: with more than rank, figure and difference.
    """
    facts = MEASURES[agent.measure]
    calls, exact = facts.protocol == "latency", facts.exact
    names = {(row.provider, row.algorithm, row.toolchain, row.copy_number) for row in rows}
    variants = len(names) < len(rows)
    columns = [
        (True, number("rank", lambda row: rank_cell(row, row.reason))),
        (page or not calls or differ(rows, "provider"), Column("provider", keeps_width=True, value=provider_cell)),
        (True, Column("algorithm", heads_row=True, value=lambda row: _algorithm(row, variants))),
        (any(row.copy_number > 1 for row in rows), number("#", "copy_number")),
        (differ(rows, "toolchain"), Column("toolchain")),
        (True, number("value" if exact else "median", lambda row: _figure(row, facts.unit))),
        (
            not exact,
            Column(
                "95 % interval", "right", keeps_width=True, drop=8, folds=True,
                value=lambda row: _interval(row, facts.unit),
            ),
        ),
        (True, number("behind", lambda row: _behind(row, agent))),
        (known(rows, "batch_gain"), number("gain of batch", _batch_gain)),
        (page and known(rows, "call_cpu_ns"), number("CPU", lambda row: _duration(row, row.call_cpu_ns))),
        (
            page and known(rows, "cold_call_wall_ns"),
            number("first call", lambda row: _duration(row, row.cold_call_wall_ns)),
        ),
        (details and known(rows, "cycles_per_instruction"), number("CPI", _cycles_per_instruction, 3)),
        (details and known(rows, "energy_per_byte_joules"), number("nJ/byte", _energy, 5)),
        (details and calls, number("code", lambda row: _size(row, row.footprint.code_bytes), 7)),
        (page and calls, number("static RAM", lambda row: _size(row, row.footprint.static_ram_bytes))),
        (details and calls and any(row.source for row in rows), number("lines", _source, 2)),
        (page and known(rows, "peak_rss_bytes"), number("peak", _peak)),
        (details and any(row.inputs.count != agent.inputs.count for row in rows), number("inputs", _inputs, 4)),
        (details, number("n", _executions, drop=1)),
        (page, Column("constant time", value=lambda row: timing_cell(row.constant_time_check))),
        (page or (details and differ(rows, "vouched_by")), Column("output vouched for by", drop=6, value=_vouched)),
    ]  # fmt: skip
    return shown(columns)


def _algorithm(row: AnswerRow, variants: bool) -> Cell:
    label = variant_label(row)
    return Cell(f"{row.algorithm} {label}" if variants else row.algorithm, after="" if variants else label)


def _figure(row: AnswerRow, unit: str) -> Cell:
    text = None if row.value is None else format_quantity(row.value, unit)
    estimated = "Estimated for all inputs of the table from those that it has" if row.estimated else ""
    return Cell(text, row.reason or INCOMPLETE, estimated, tone="strong")


def _interval(row: AnswerRow, unit: str) -> Cell:
    """Return an interval as distances from the median in percent, which are comparable between rows."""
    interval, median = row.interval, row.value
    if interval is None or not median:
        return Cell(None, "an interval needs 6 blocks, and inputs that others have for an estimate")
    text = f"{interval.low / median - 1:+.1%} {interval.high / median - 1:+.1%}"
    half = "" if row.relative_interval is None else f", {format_half_width(row.relative_interval)}"
    return Cell(text, title=f"{quantities(interval, unit)}{half}", tone="muted")


def _behind(row: AnswerRow, agent: AgentAnswer) -> Cell:
    """Return how many times better the first row is, with the share of blocks that agree."""
    if row.behind is None:
        return Cell(None, "it is the first" if row.rank else row.reason or "it shares no input with the first")
    title = ""
    if row.superiority is not None:
        blocks = f"{counted(row.behind_inputs or 0, 'input')} in {counted(row.behind_blocks or 0, 'block')}"
        title = f"Over {blocks} that both have: the first is better in {100 * row.superiority:.3g} % of the blocks"
        if row.standardized_difference is not None:
            title += f", by {row.standardized_difference:.3g} standard deviations of the blocks"
        if row.adjusted_p is not None:
            title += f"; p {format_p_value(row.adjusted_p)}, corrected for {counted(agent.comparisons, 'comparison')}"
    return Cell(figure(row.behind, ".2f", "×"), title=title, after=ratios(row.behind_interval))


def _batch_gain(row: AnswerRow) -> Cell:
    gain = figure(row.batch_gain, ".2f", "×")
    return Cell(gain, "the same call on one message was not measured", after=ratios(row.batch_gain_interval))


def _duration(row: AnswerRow, duration_ns: float | None) -> Cell:
    text = None if duration_ns is None else format_quantity(duration_ns, "ns")
    return Cell(text, row.reason or INCOMPLETE)


def _cycles_per_instruction(row: AnswerRow) -> Cell:
    return Cell(figure(row.cycles_per_instruction, ".2f"), row.reason or "not every input was counted")


def _energy(row: AnswerRow) -> Cell:
    energy, whole = row.energy_per_byte_joules, row.energy_per_execution_joules
    title = "" if whole is None else f"{whole * 1e3:.3g} mJ per execution"
    text = None if energy is None else f"{energy * 1e9:.3g}"
    return Cell(text, row.reason or "no meter read every input", title)


def _size(row: AnswerRow, size_bytes: int | None) -> Cell:
    return Cell(figure(size_bytes, "d", " B"), row.footprint.reason)


def _source(row: AnswerRow) -> Cell:
    source = row.source
    if source is None:
        return Cell(None, row.source_reason)
    title = (
        f"{source.physical_lines} lines in {counted(len(source.files), 'file')}, {source.comment_lines} with comments; "
        f"{source.raw_bytes} B, gzip {source.gzip_bytes} B; {source.functions} functions, cyclomatic complexity at "
        f"most {source.max_complexity}"
    )
    return Cell(source.source_lines, title=title)


def _peak(row: AnswerRow) -> Cell:
    text = None if row.peak_rss_bytes is None else format_quantity(row.peak_rss_bytes, "bytes")
    return Cell(text, row.reason or "not read on this agent")


def _inputs(row: AnswerRow) -> Cell:
    lengths = ", ".join(format_size(length) for length in row.inputs.lengths_bytes)
    return Cell(row.inputs.count, title="; ".join(filter(None, (lengths, ", ".join(row.inputs.kinds)))))


def _executions(row: AnswerRow) -> Cell:
    counts = ((row.wrong, "wrong"), (row.failed, "failed"), (row.skipped, "skipped"))
    notes = [f"{count} {word}" for count, word in counts if count]
    if row.outliers:
        notes.append(counted(row.outliers, "outlier"))
    title = "Outliers (modified z-score above 3.5) are marked and kept in all figures" if row.outliers else ""
    return Cell(row.n, title=title, after=", ".join(notes))


def _vouched(row: AnswerRow) -> Cell:
    return vouched_cell(row.algorithm, row.vouched_by, row)
