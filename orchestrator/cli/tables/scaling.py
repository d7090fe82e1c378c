"""Start-up and cost per byte in the terminal: a table, and a sentence per candidate with intervals."""

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from orchestrator.cli.output import Column, console, number, print_table, variant_of
from orchestrator.shared.units import format_signed_duration_ns, format_throughput

_TIMES = {
    "encrypt": "of the encryption phase",
    "pass": "of the whole pass, process included",
    "call": "of one warm call",
}


def print_scaling(scaling: Mapping[str, Any]) -> None:
    """Print a table and sentences for each agent, or the reasons for having no line."""
    out = console()
    rows = scaling["rows"]
    for agent in dict.fromkeys(row["agent_name"] for row in rows):
        of_agent = [row for row in rows if row["agent_name"] == agent]
        out.print(Text(f"{agent}: time {_TIMES[scaling['measure']]} = start-up + cost per byte × length", style="bold"))
        lines = [row for row in of_agent if row["points"]]
        if lines:
            print_table(_COLUMNS, [_cells(row) for row in lines])
        for row in lines:
            out.print(Text(f"{_name(row)}: {row['sentence']}"))
        for row in of_agent:
            if row["reason"]:
                out.print(Text(f"{_name(row)}: {row['reason']}", style="dim"))
    if not rows:
        out.print("Nothing was measured.")


_COLUMNS = [
    Column("candidate"),
    number("start-up"),
    number("ns/byte"),
    number("without it"),
    Column("line", keeps_width=True),
]


def _cells(row: Mapping[str, Any]) -> list[object]:
    per_byte, speed = row["per_byte_ns"], row["per_byte_bytes_per_second"]
    stepped = f"{row['step_lowest_ns']:.3g} … {row['step_highest_ns']:.3g}"
    return [
        _name(row),
        format_signed_duration_ns(row["start_up_ns"]),
        stepped if per_byte is None else f"{per_byte:.3g}",
        None if speed is None else format_throughput(speed),
        {True: "fits", False: "does not fit", None: "one block"}[row["fits"]],
    ]


def _name(row: Mapping[str, Any]) -> str:
    copy = f" #{row['copy']}" if row["copy"] > 1 else ""
    call = f" {row['operation']}" if row["operation"] else ""
    return f"{row['algorithm']} by {row['provider']} {variant_of(row)}, {row['toolchain']}{copy}{call}"
