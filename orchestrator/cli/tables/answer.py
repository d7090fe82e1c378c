"""The answer of a run in the terminal."""

from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

from orchestrator.cli.output import Column, console, figure, number, print_rows
from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import (
    AgentAnswer,
    AnswerInputs,
    AnswerRow,
    FrontPoint,
    NoiseFloor,
    ParetoFront,
    RunAnswer,
)
from orchestrator.shared.units import format_quantity, format_size
from orchestrator.shared.values.forms import variant_label
from orchestrator.shared.values.ranks import NOTE, ranked_label
from orchestrator.shared.values.text import counted, some

_REASONS_SHOWN = 10
_NAMES_SHOWN = 5
_PROSE_COLUMNS = 100
"""Width of a summary, however wide the terminal."""


def print_answer(answer: RunAnswer, *, details: bool = True, program: str = "ciphermark") -> None:
    """Print a table and a summary for each agent.

    details: with everything else that is known of the candidates and of their comparison. program: the command line, as
    its user reaches it.
    """
    if answer.algorithms:
        line = f"Only {', '.join(answer.algorithms)}: other candidates are in no comparison."
        console().print(line, style="dim", markup=False)
    if answer.constraints:
        console().print(f"Only candidates with: {', '.join(answer.constraints)}.", style="dim", markup=False)
    for agent in answer.agents:
        print_agent_answer(agent, details)
    if repeated := answer.repetitions.sentence:
        console().print(Text(repeated, style="yellow"))
    if not answer.agents:
        console().print("Nothing was measured.")
    others = [measure for measure in answer.measures if measure != answer.measure]
    if not details:
        console().print(f"Details: {program} runs show {answer.run_id} --details", style="dim", markup=False)
    elif others:
        command = f"ciphermark runs answer {answer.run_id} --measure …"
        console().print(f"Other measures ({command}): {', '.join(others)}.", style="dim", markup=False)


def print_agent_answer(agent: AgentAnswer, details: bool = True) -> None:
    """Print an agent's table: device and noise floor, warnings, candidates, summary."""
    out = console()
    out.print(Text(f"{agent.agent_name}: {agent.device}", style="bold"))
    _print_head(agent)
    if agent.health in ("degraded", "quarantined"):
        out.print(Text(f"The agent was {agent.health} at its first job: {agent.health_reason}", style="yellow"))
    if agent.differences:
        out.print(Text(agent.differences, style="dim"))
    for row in agent.rows:
        _warn_of_wrong(row)
    ranked = [row for row in agent.rows if row.rank is not None]
    others = [row for row in agent.rows if row.rank is None]
    _print_rows(ranked, agent, details)
    if others:
        out.print("Without a rank, over their own inputs:", style="dim")
        _print_rows(others, agent, details)
    if len(agent.rows) < agent.rows_total:
        out.print(f"… and {agent.rows_total - len(agent.rows)} more.")
    if any(row.groups for row in agent.rows):
        out.print(NOTE, style="dim")
    if details:
        _print_notes(agent)
    for reason in list(_reasons(agent.rows))[:_REASONS_SHOWN]:
        out.print(Text(reason, style="dim"))
    excluded = [(f"{one.algorithm} by {one.provider}", "; ".join(one.reasons)) for one in agent.excluded]
    print_reasons("Excluded by the constraints", excluded)
    out.print(agent.sentence, markup=False, width=min(out.width, _PROSE_COLUMNS))
    if agent.front:
        _print_front(agent.front, agent)


def _print_notes(agent: AgentAnswer) -> None:
    """Print costs of processes, what vouches for the rows, estimates, outliers and the trend of the machine."""
    out = console()
    for overhead in agent.overheads:
        out.print(f"Overhead of a process, {overhead.sentence}", style="dim", markup=False)
    if agent.comparisons > 1:
        out.print(f"{agent.comparisons} comparisons, corrected together (Holm).", style="dim")
    ranked = [row for row in agent.rows if row.rank is not None]
    vouching = {row.vouched_by for row in agent.rows if row.vouched_by}
    if len(vouching) == 1:
        (label,) = vouching
        out.print(f"Output vouched for by: {label}.", style="dim", markup=False)
    if agent.times:
        out.print(agent.times, style="dim", markup=False)
    if any(row.estimated for row in ranked):
        out.print("Medians over fewer inputs are estimates for all of them.", style="dim")
    print_timing(
        (f"{row.algorithm} by {row.provider} {variant_label(row)}", row.constant_time_check.label) for row in ranked
    )
    outliers = sum(row.outliers for row in agent.rows)
    if outliers:
        out.print(f"{outliers} {'outlier' if outliers == 1 else 'outliers'} (marked, kept).", style="dim")
    if agent.trend.real:
        out.print(Text(agent.trend.sentence, style="yellow"))


def print_timing(labels: Iterable[tuple[str, str]]) -> None:
    """Print what candidates claim about constant time, and what the checks of their builds found.

    labels: of each candidate, its name and the label.
    """
    found: dict[str, list[str]] = {}
    for name, label in labels:
        found.setdefault(label, []).append(name)
    for label, names in found.items():
        grave = label.startswith("no") or "found" in label or "REFUTED" in label or "depends" in label
        line = f"Constant time {label}: {some(list(dict.fromkeys(names)), _NAMES_SHOWN)}."
        console().print(line, style="yellow" if grave else "dim", markup=False)


def _print_head(agent: AgentAnswer) -> None:
    """Print what the table compares: measure, inputs, blocks and noise floor."""
    out = console()
    facts = MEASURES[agent.measure]
    if facts.exact:
        out.print(f"{facts.title.capitalize()}: one exact value for each build; equal values tie.", markup=False)
    elif agent.rows and agent.inputs.count:
        blocks = f"{agent.blocks} block{'s' if agent.blocks != 1 else ''}"
        out.print(
            f"Median {facts.title} over {_inputs(agent.inputs)}, {blocks}; noise floor {_noise(agent.noise_floor)}",
            markup=False,
        )


def print_reasons(title: str, rows: Sequence[tuple[str, str]]) -> None:
    """Print candidates with their reasons, equal reasons together."""
    names: dict[str, list[str]] = {}
    for name, reason in rows:
        names.setdefault(reason, []).append(name)
    if rows:
        console().print(f"{title}: {len(rows)}.", style="dim")
    for reason, found in list(names.items())[:_REASONS_SHOWN]:
        console().print(Text(f"  {some(found, 1)}: {reason}", style="dim"))
    if len(names) > _REASONS_SHOWN:
        console().print(f"  … and {len(names) - _REASONS_SHOWN} further reasons; --json has all.", style="dim")


def _print_front(front: ParetoFront, agent: AgentAnswer) -> None:
    """Print the Pareto front: its members, then the candidates that they dominate."""
    columns = [
        Column("front", value=lambda one: "yes" if one.on_front else None),
        Column("algorithm", value=lambda one: f"{one.algorithm} {one.provider} {variant_label(one)}"),
        Column("toolchain"),
        number(agent.measure, lambda one: format_quantity(one.value, agent.unit)),
        number(front.against, lambda one: format_quantity(one.against_value, front.unit)),
        Column("dominated by, or = tied with", value=_dominating),
    ]
    if front.points:
        print_rows(columns, front.points)
    console().print(front.sentence, markup=False)


def _dominating(point: FrontPoint) -> str:
    return point.dominated_by or ", ".join(f"= {name}" for name in point.tied_with)


def _print_rows(rows: Sequence[AnswerRow], agent: AgentAnswer, details: bool) -> None:
    if rows:
        print_rows(_columns(rows, agent, details), rows)


def _noise(floor: NoiseFloor) -> str:
    if floor.relative is None:
        return f"unknown ({floor.reason})"
    return f"{floor.relative:.2%}" + (f" ({floor.reason})" if floor.reason else "")


def _inputs(inputs: AnswerInputs) -> str:
    """Return the compared inputs: ``8 inputs (audio, text)``, ``14 calls (decrypt, encrypt; 64 B to 4 KiB)``."""
    count, lengths = inputs.count, inputs.lengths_bytes
    if inputs.kinds or not lengths:
        return f"{count} {'input' if count == 1 else 'inputs'} ({', '.join(inputs.kinds)})"
    sizes = " to ".join(dict.fromkeys(format_size(length) for length in (lengths[0], lengths[-1])))
    associated = [format_size(length) for length in inputs.associated_data_lengths_bytes if length]
    parts = [
        inputs.calls,
        sizes,
        *([f"associated data {', '.join(associated)}"] if associated else []),
    ]
    return f"{count} {'call' if count == 1 else 'calls'} ({'; '.join(parts)})"


def _reasons(rows: Sequence[AnswerRow]) -> Iterator[str]:
    """Yield the reasons of rows without rank, equal reasons together, cut to their last line."""
    names: dict[str, list[str]] = {}
    for row in rows:
        if row.rank is None and row.reason:
            names.setdefault(row.reason, []).append(f"{row.algorithm} by {row.provider} ({row.toolchain})")
    for reason, found in names.items():
        lines = [line for line in reason.splitlines() if line.strip()]
        text = reason if len(lines) == 1 else f"{lines[0]} … {lines[-1].strip()}"
        yield f"{some(found, 1)}: {text}"


def _warn_of_wrong(row: AnswerRow) -> None:
    for state in ("wrong", "disputed", "failed"):
        if number_of := getattr(row, state):
            name = f"{row.algorithm} by {row.provider}"
            console().print(
                Text(f"{state.upper()}: {counted(number_of, 'execution')} of {name}, excluded", style="bold red")
            )


def _columns(rows: Sequence[AnswerRow], agent: AgentAnswer, details: bool) -> list[Column]:
    """Return the columns of a table of candidates; in a narrow terminal, those with equal values are omitted."""
    facts, copies = MEASURES[agent.measure], any(row.copy_number > 1 for row in rows)
    calls, exact = facts.protocol == "latency", facts.exact
    names = {(row.provider, row.algorithm, row.toolchain, row.copy_number) for row in rows}
    variants = len(names) < len(rows)
    sources = calls and any(row.source for row in rows)
    columns = [
        (
            True,
            number("rank", lambda row: ranked_label(row.rank, row.last_rank, row.groups, row.undecided)),
        ),
        (not calls or _differ(rows, "provider"), Column("provider", keeps_width=True)),
        (True, Column("algorithm", value=lambda row: row.algorithm + (f" {variant_label(row)}" if variants else ""))),
        (copies, number("#", "copy_number")),
        (_differ(rows, "toolchain"), Column("toolchain")),
        (True, number("value" if exact else "median", lambda row: _quantity(row.value, facts.unit))),
        (not exact, Column("95 % interval", "right", keeps_width=True, drop=8, folds=True, value=_interval)),
        (True, number("behind", lambda row: figure(row.behind, ".2f", "×"))),
        (_known(rows, "batch_gain"), number("gain of batch", lambda row: figure(row.batch_gain, ".2f", "×"))),
        (
            details and _known(rows, "cycles_per_instruction"),
            number("CPI", lambda row: figure(row.cycles_per_instruction, ".2f"), 3),
        ),
        (details and _known(rows, "energy_per_byte_joules"), number("nJ/byte", _energy, 5)),
        (details and calls, number("code", lambda row: figure(row.footprint.code_bytes, "d", " B"), 7)),
        (details and sources, number("lines", lambda row: row.source and row.source.source_lines, 2)),
        (
            details and any(row.inputs.count != agent.inputs.count for row in rows),
            number("inputs", lambda row: row.inputs.count, 4),
        ),
        (details, number("n", drop=1)),
        (
            details and _differ(rows, "vouched_by"),
            Column("output vouched for by", drop=6, value="vouched_by"),
        ),
    ]
    return [column for shown, column in columns if shown]


def _differ(rows: Sequence[AnswerRow], field: str) -> bool:
    return len({getattr(row, field) for row in rows}) > 1


def _known(rows: Sequence[AnswerRow], field: str) -> bool:
    return any(getattr(row, field) is not None for row in rows)


def _quantity(value: float | None, unit: str) -> str | None:
    return None if value is None else format_quantity(value, unit)


def _energy(row: AnswerRow) -> str | None:
    energy = row.energy_per_byte_joules
    return None if energy is None else f"{energy * 1e9:.3g}"


def _interval(row: AnswerRow) -> str | None:
    """Return an interval as distances from the median in percent, which are comparable between rows."""
    interval, median = row.interval, row.value
    if interval is None or not median:
        return None
    return f"{interval.low / median - 1:+.1%} {interval.high / median - 1:+.1%}"
