"""The answer of a run in the terminal."""

from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

from orchestrator.cli.output import console, print_rows
from orchestrator.results.columns.front import front_columns
from orchestrator.results.columns.ranking import ranking_columns
from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import (
    AgentAnswer,
    AnswerInputs,
    AnswerRow,
    NoiseFloor,
    ParetoFront,
    RunAnswer,
)
from orchestrator.shared.units import format_size
from orchestrator.shared.values.forms import variant_label
from orchestrator.shared.values.ranks import NOTE
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
    if front.points:
        print_rows(front_columns(front, agent, page=False), front.points)
    console().print(front.sentence, markup=False)


def _print_rows(rows: Sequence[AnswerRow], agent: AgentAnswer, details: bool) -> None:
    if rows:
        print_rows(ranking_columns(rows, agent, page=False, details=details), rows)


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
