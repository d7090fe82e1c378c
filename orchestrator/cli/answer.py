"""The answer of a run in the terminal: which one, and how sure."""

from typing import Any

from rich.text import Text

from orchestrator.cli.output import Column, console, number, print_table
from orchestrator.units import format_throughput

_MEASURES = {"encrypt": "encryption throughput", "pass": "pass throughput, process included"}
_COLUMNS = (
    number("rank"),
    Column("provider"),
    Column("algorithm", shortened=True),
    number("median"),
    number("95 % interval"),
    number("behind"),
    number("ok"),
)


def print_answer(answer: dict[str, Any]) -> None:
    """Print one table and one sentence for each agent."""
    for agent in answer["agents"]:
        print_agent_answer(agent)
    if not answer["agents"]:
        console().print("Nothing was measured.")


def print_agent_answer(agent: dict[str, Any]) -> None:
    """Print an agent's table: device and noise floor first, wrong results loudly, the sentence last."""
    out = console()
    out.print(Text(f"{agent['agent_name']}: {agent['device']}", style="bold"))
    floor = agent["noise_floor"]
    noise = f"{floor['relative']:.2%}" if floor["relative"] is not None else f"unknown ({floor['reason']})"
    measure = _MEASURES.get(agent["measure"], agent["measure"])
    inputs = agent["inputs"]
    out.print(
        f"Median {measure} over {inputs['count']} inputs ({', '.join(inputs['kinds'])}), "
        f"{agent['blocks']} blocks; noise floor {noise}",
        markup=False,
    )
    for row in agent["rows"]:
        _warn_of_wrong(row)
    print_table(_COLUMNS, [_row(row) for row in agent["rows"]])
    if len(agent["rows"]) < agent["rows_total"]:
        out.print(f"… and {agent['rows_total'] - len(agent['rows'])} more.")
    if any(row["tied"] for row in agent["rows"]):
        out.print("= marks a tie: the same rank, no difference that could be shown.", style="dim")
    out.print(agent["sentence"], markup=False)


def _warn_of_wrong(row: dict[str, Any]) -> None:
    for state in ("wrong", "disputed", "failed"):
        if row[state]:
            name = f"{row['algorithm']} by {row['provider']}"
            console().print(Text(f"{state.upper()}: {row[state]} executions of {name}, left out", style="bold red"))


def _row(row: dict[str, Any]) -> tuple[object, ...]:
    rank = None if row["rank"] is None else f"{'=' if row['tied'] or row['undecided'] else ''}{row['rank']}"
    throughput = row["throughput_bytes_per_second"]
    behind = row["behind"]
    return (
        rank,
        row["provider"],
        row["algorithm"],
        None if throughput is None else format_throughput(throughput),
        _interval(row["interval"], throughput),
        None if behind is None else f"{behind:.2f}×",
        row["ok"],
    )


def _interval(interval: dict[str, float] | None, median: float | None) -> str | None:
    """Return an interval as its distances from the median in percent: they can be compared down a column."""
    if interval is None or not median:
        return None
    return f"{interval['low'] / median - 1:+.1%} {interval['high'] / median - 1:+.1%}"
