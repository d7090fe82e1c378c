"""The comparison of runs in the terminal."""

import shlex
from typing import Any

from rich.text import Text

from orchestrator.cli.output import Column, console, number, print_table, variant_of
from orchestrator.shared.units import format_size

_CHANGES_SHOWN = 12


def print_comparison(document: dict[str, Any]) -> None:
    """Print a table, the changes and a summary for each side that is compared with the first one."""
    for part in document["parts"]:
        _print_part(part, document)


def _print_part(part: dict[str, Any], document: dict[str, Any]) -> None:
    out = console()
    first, other = document["first"], part["other"]
    out.print(Text(f"{other['title']} compared with {first['title']}", style="bold"))
    out.print(part["method"], style="dim", markup=False)
    toolchains = len({row["toolchain"] for row in part["rows"]}) > 1
    agents = len({row["agent_name"] for row in part["rows"]}) > 1
    columns = [
        Column("result", keeps_width=True),
        Column("algorithm"),
        Column("provider"),
        *([Column("toolchain")] if toolchains else []),
        *([Column("agent")] if agents else []),
        Column("input"),
        number("ratio"),
        number("95 % interval"),
    ]
    cells = [
        (
            row["verdict"],
            f"{row['algorithm']} {variant_of(row)}",
            row["provider"],
            *([row["toolchain"]] if toolchains else []),
            *([row["agent_name"]] if agents else []),
            " ".join(word for word in (row["operation"], format_size(row["length_bytes"]), row["input_kind"]) if word),
            f"{row['ratio']:.3f}",
            _interval(row["interval"]),
        )
        for row in part["rows"]
    ]
    print_table(columns, cells)
    if len(part["rows"]) < part["rows_total"]:
        out.print(f"… and {part['rows_total'] - len(part['rows'])} more cases (--rows).", style="dim")
    for name, count in (("the first side", part["only_first"]), ("the other side", part["only_other"])):
        if count:
            out.print(f"{count} cases of {name} only.", style="dim")
    print_changes(part["changes"])
    if document["comparisons"] > 1:
        out.print(f"{document['comparisons']} cases, corrected together (Holm).", style="dim")
    out.print(part["sentence"], markup=False)


def print_sides(document: dict[str, Any]) -> None:
    """Print the parts of a run that can be compared, and the comparisons that it suggests as commands."""
    out = console()
    count = document["cases"]
    noun = "case" if count == 1 else "cases"
    title = f"{document['label']}, {document['run_name']}: {count} {noun} with a verified result"
    out.print(Text(title, style="bold"))
    columns = (Column("part", keeps_width=True), Column("value"), number("cases"), Column("side", keeps_width=True))
    rows = [
        (part["name"], one["value"], one["cases"], one["label"])
        for part in document["properties"]
        for one in part["values"]
    ]
    print_table(columns, rows)
    for one in document["suggested"]:
        command = shlex.join(["ciphermark", "compare", *one["sides"]])
        out.print(Text(f"By {one['by']}: {command}"), soft_wrap=True)


def print_changes(changes: list[dict[str, Any]]) -> None:
    """Print in what two sides differ, besides their results."""
    if not changes:
        return
    columns = (Column("changed", keeps_width=True), Column("where"), Column("before"), Column("after"))
    rows = [(one["topic"], one["subject"], one["before"], one["after"]) for one in changes[:_CHANGES_SHOWN]]
    print_table(columns, rows)
    if len(changes) > _CHANGES_SHOWN:
        console().print(f"… and {len(changes) - _CHANGES_SHOWN} further changes (--json).", style="dim")


def _interval(interval: dict[str, float] | None) -> str | None:
    return None if interval is None else f"{interval['low']:.3f} {interval['high']:.3f}"
