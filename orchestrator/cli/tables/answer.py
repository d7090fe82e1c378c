"""The answer of a run in the terminal."""

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from orchestrator.cli.output import Column, console, number, print_table, variant_of
from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import RankingMeasure
from orchestrator.shared.units import format_quantity, format_size
from orchestrator.shared.values.ranks import NOTE, ranked_label

_REASONS_SHOWN = 10
_NAMES_SHOWN = 5
_PROSE_COLUMNS = 100
"""Width of a summary, however wide the terminal."""


def print_answer(answer: dict[str, Any], *, details: bool = True, program: str = "ciphermark") -> None:
    """Print a table and a summary for each agent.

    details: with everything else that is known of the candidates and of their comparison. program: the command line, as
    its user reaches it.
    """
    if answer["algorithms"]:
        line = f"Only {', '.join(answer['algorithms'])}: other candidates are in no comparison."
        console().print(line, style="dim", markup=False)
    if answer["constraints"]:
        console().print(f"Only candidates with: {', '.join(answer['constraints'])}.", style="dim", markup=False)
    for agent in answer["agents"]:
        print_agent_answer(agent, details)
    if others := answer["repetitions"]["sentence"]:
        console().print(Text(others, style="yellow"))
    if not answer["agents"]:
        console().print("Nothing was measured.")
    others = [measure for measure in answer["measures"] if measure != answer["measure"]]
    if not details:
        console().print(f"Details: {program} runs show {answer['run_id']} --details", style="dim", markup=False)
    elif others:
        command = f"ciphermark runs answer {answer['run_id']} --measure …"
        console().print(f"Other measures ({command}): {', '.join(others)}.", style="dim", markup=False)


def print_agent_answer(agent: dict[str, Any], details: bool = True) -> None:
    """Print an agent's table: device and noise floor, warnings, candidates, summary."""
    out = console()
    out.print(Text(f"{agent['agent_name']}: {agent['device']}", style="bold"))
    _print_head(agent)
    if agent["health"] in ("degraded", "quarantined"):
        out.print(Text(f"The agent was {agent['health']} at its first job: {agent['health_reason']}", style="yellow"))
    if agent["differences"]:
        out.print(Text(agent["differences"], style="dim"))
    for row in agent["rows"]:
        _warn_of_wrong(row)
    ranked = [row for row in agent["rows"] if row["rank"] is not None]
    others = [row for row in agent["rows"] if row["rank"] is None]
    _print_rows(ranked, agent, details)
    if others:
        out.print("Without a rank, over their own inputs:", style="dim")
        _print_rows(others, agent, details)
    if len(agent["rows"]) < agent["rows_total"]:
        out.print(f"… and {agent['rows_total'] - len(agent['rows'])} more.")
    if any(row["groups"] for row in agent["rows"]):
        out.print(NOTE, style="dim")
    if details:
        _print_notes(agent)
    for reason in list(_reasons(agent["rows"]))[:_REASONS_SHOWN]:
        out.print(Text(reason, style="dim"))
    if agent["excluded"]:
        _print_excluded(agent["excluded"])
    out.print(agent["sentence"], markup=False, width=min(out.width, _PROSE_COLUMNS))
    if agent["front"]:
        _print_front(agent["front"], agent)


def _print_notes(agent: dict[str, Any]) -> None:
    """Print costs of processes, what vouches for the rows, estimates, outliers and the trend of the machine."""
    out = console()
    for overhead in agent["overheads"]:
        out.print(f"Overhead of a process, {overhead['sentence']}", style="dim", markup=False)
    if agent["comparisons"] > 1:
        out.print(f"{agent['comparisons']} comparisons, corrected together (Holm).", style="dim")
    ranked = [row for row in agent["rows"] if row["rank"] is not None]
    vouching = {row["vouched_by"] for row in agent["rows"] if row["vouched_by"]}
    if len(vouching) == 1:
        (label,) = vouching
        out.print(f"Output vouched for by: {label}.", style="dim", markup=False)
    if agent["times"]:
        out.print(agent["times"], style="dim", markup=False)
    if any(row["estimated"] for row in ranked):
        out.print("Medians over fewer inputs are estimates for all of them.", style="dim")
    print_timing(ranked)
    outliers = sum(row["outliers"] for row in agent["rows"])
    if outliers:
        out.print(f"{outliers} {'outlier' if outliers == 1 else 'outliers'} (marked, kept).", style="dim")
    if agent["trend"]["real"]:
        out.print(Text(agent["trend"]["sentence"], style="yellow"))


def print_timing(rows: list[dict[str, Any]]) -> None:
    """Print what the candidates claim about constant time, and what the checks of their builds found."""
    found: dict[str, list[str]] = {}
    for row in rows:
        name = f"{row['algorithm']} by {row['provider']} {variant_of(row)}"
        found.setdefault(row["constant_time_check"]["label"], []).append(name)
    for label, names in found.items():
        different = list(dict.fromkeys(names))
        more = f" and {len(different) - _NAMES_SHOWN} more" if len(different) > _NAMES_SHOWN else ""
        grave = label.startswith("no") or "found" in label or "REFUTED" in label or "depends" in label
        line = f"Constant time {label}: {', '.join(different[:_NAMES_SHOWN])}{more}."
        console().print(line, style="yellow" if grave else "dim", markup=False)


def _print_head(agent: dict[str, Any]) -> None:
    """Print what the table compares: measure, inputs, blocks and noise floor."""
    out = console()
    facts = MEASURES[agent["measure"]]
    if facts.exact:
        out.print(f"{facts.title.capitalize()}: one exact value for each build; equal values tie.", markup=False)
    else:
        out.print(
            f"Median {facts.title} over {_inputs(agent['inputs'])}, {agent['blocks']} blocks; "
            f"noise floor {_noise(agent['noise_floor'])}",
            markup=False,
        )


def _print_excluded(excluded: list[dict[str, Any]]) -> None:
    """Print the candidates that violate constraints, those with equal reasons together."""
    names: dict[str, list[str]] = {}
    for one in excluded:
        names.setdefault("; ".join(one["reasons"]), []).append(f"{one['algorithm']} by {one['provider']}")
    console().print(f"Excluded by the constraints: {len(excluded)}.", style="dim")
    for reasons, found in list(names.items())[:_REASONS_SHOWN]:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        console().print(Text(f"  {found[0]}{more}: {reasons}", style="dim"))
    if len(names) > _REASONS_SHOWN:
        console().print(f"  … and {len(names) - _REASONS_SHOWN} further reasons; --json has all.", style="dim")


def _print_front(front: dict[str, Any], agent: dict[str, Any]) -> None:
    """Print the Pareto front: its members, then the candidates that they dominate."""
    columns = [
        Column("front"),
        Column("algorithm"),
        Column("toolchain"),
        number(agent["measure"]),
        number(front["against"]),
        Column("dominated by, or = tied with"),
    ]
    rows = [
        (
            "yes" if one["on_front"] else None,
            f"{one['algorithm']} {one['provider']} {variant_of(one)}",
            one["toolchain"],
            format_quantity(one["value"], agent["unit"]),
            format_quantity(one["against_value"], front["unit"]),
            one["dominated_by"] or ", ".join(f"= {name}" for name in one["tied_with"]) or None,
        )
        for one in front["points"]
    ]
    if rows:
        print_table(columns, rows)
    console().print(front["sentence"], markup=False)


def _print_rows(rows: list[dict[str, Any]], agent: dict[str, Any], details: bool) -> None:
    if rows:
        table = _Table(rows, measure=agent["measure"], inputs=agent["inputs"]["count"], details=details)
        print_table(table.columns(), [table.cells(row) for row in rows])


def _noise(floor: dict[str, Any]) -> str:
    if floor["relative"] is None:
        return f"unknown ({floor['reason']})"
    return f"{floor['relative']:.2%}" + (f" ({floor['reason']})" if floor["reason"] else "")


def _inputs(inputs: dict[str, Any]) -> str:
    """Return the compared inputs: ``8 inputs (audio, text)``, ``14 calls (decrypt, encrypt; 64 B to 4 KiB)``."""
    count, lengths = inputs["count"], inputs["lengths_bytes"]
    if inputs["kinds"] or not lengths:
        return f"{count} {'input' if count == 1 else 'inputs'} ({', '.join(inputs['kinds'])})"
    sizes = " to ".join(dict.fromkeys(format_size(length) for length in (lengths[0], lengths[-1])))
    associated = [format_size(length) for length in inputs["associated_data_lengths_bytes"] if length]
    parts = [
        ", ".join(inputs["operations"]),
        sizes,
        *([f"associated data {', '.join(associated)}"] if associated else []),
    ]
    return f"{count} {'call' if count == 1 else 'calls'} ({'; '.join(parts)})"


def _reasons(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the reasons of rows without rank, equal reasons together, cut to their last line."""
    names: dict[str, list[str]] = {}
    for row in rows:
        if row["rank"] is None and row["reason"]:
            names.setdefault(row["reason"], []).append(f"{row['algorithm']} by {row['provider']} ({row['toolchain']})")
    for reason, found in names.items():
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        lines = [line for line in reason.splitlines() if line.strip()]
        text = reason if len(lines) == 1 else f"{lines[0]} … {lines[-1].strip()}"
        yield f"{found[0]}{more}: {text}"


def _warn_of_wrong(row: dict[str, Any]) -> None:
    for state in ("wrong", "disputed", "failed"):
        if row[state]:
            name = f"{row['algorithm']} by {row['provider']}"
            console().print(Text(f"{state.upper()}: {row[state]} executions of {name}, excluded", style="bold red"))


class _Table:
    """Columns of a table of candidates: in a narrow terminal, columns with equal values are omitted."""

    def __init__(self, rows: list[dict[str, Any]], measure: RankingMeasure, inputs: int, details: bool) -> None:
        facts = MEASURES[measure]
        self._details = details
        calls = facts.protocol == "latency"
        self._calls, self._exact, self._unit = calls, facts.exact, facts.unit
        self._inputs = any(row["inputs"]["count"] != inputs for row in rows)
        self._several_toolchains = len({row["toolchain"] for row in rows}) > 1
        self._providers = not calls or len({row["provider"] for row in rows}) > 1
        names = {(row["provider"], row["algorithm"], row["toolchain"], row["copy"]) for row in rows}
        self._variants = len(names) < len(rows)
        self._cycles = any(row["cycles_per_instruction"] is not None for row in rows)
        self._energy = any(row["energy_per_byte_joules"] is not None for row in rows)
        self._vouching = len({row["vouched_by"] for row in rows}) > 1
        self._sources = calls and any(row.get("source") for row in rows)
        self._copies = any(row["copy"] > 1 for row in rows)

    def columns(self) -> list[Column]:
        """Return the columns, left to right."""
        return [
            number("rank"),
            *([Column("provider", keeps_width=True)] if self._providers else []),
            Column("algorithm"),
            *([number("#")] if self._copies else []),
            *([Column("toolchain")] if self._several_toolchains else []),
            number("value" if self._exact else "median"),
            *([] if self._exact else [Column("95 % interval", "right", keeps_width=True, drop=8, folds=True)]),
            number("behind"),
            *(self._detail_columns() if self._details else []),
        ]

    def _detail_columns(self) -> list[Column]:
        return [
            *([number("CPI", drop=3)] if self._cycles else []),
            *([number("nJ/byte", drop=5)] if self._energy else []),
            *([number("code", drop=7)] if self._calls else []),
            *([number("lines", drop=2)] if self._sources else []),
            *([number("inputs", drop=4)] if self._inputs else []),
            number("n", drop=1),
            *([Column("output vouched for by", drop=6)] if self._vouching else []),
        ]

    def cells(self, row: dict[str, Any]) -> list[object]:
        """Return the cells of a row."""
        level = row["value"]
        shown = None if level is None else format_quantity(level, self._unit)
        name = f"{row['algorithm']} {variant_of(row)}" if self._variants else row["algorithm"]
        return [
            ranked_label(row["rank"], row["last_rank"], row["groups"], row["undecided"]),
            *([row["provider"]] if self._providers else []),
            name,
            *([row["copy"]] if self._copies else []),
            *([row["toolchain"]] if self._several_toolchains else []),
            shown,
            *([] if self._exact else [_interval(row["interval"], level)]),
            None if row["behind"] is None else f"{row['behind']:.2f}×",
            *(self._detail_cells(row) if self._details else []),
        ]

    def _detail_cells(self, row: dict[str, Any]) -> list[object]:
        code = row["footprint"]["code_bytes"] if self._calls else None
        cycles, energy = row["cycles_per_instruction"], row["energy_per_byte_joules"]
        return [
            *([None if cycles is None else f"{cycles:.2f}"] if self._cycles else []),
            *([None if energy is None else f"{energy * 1e9:.3g}"] if self._energy else []),
            *([None if code is None else f"{code} B"] if self._calls else []),
            *([row["source"] and row["source"]["source_lines"]] if self._sources else []),
            *([row["inputs"]["count"]] if self._inputs else []),
            row["n"],
            *([row["vouched_by"]] if self._vouching else []),
        ]


def _interval(interval: dict[str, float] | None, median: float | None) -> str | None:
    """Return an interval as distances from the median in percent, which are comparable between rows."""
    if interval is None or not median:
        return None
    return f"{interval['low'] / median - 1:+.1%} {interval['high'] / median - 1:+.1%}"
