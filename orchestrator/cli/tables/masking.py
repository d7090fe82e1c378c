"""Overhead of masking in the terminal: a table for each agent and generator, and how the order of rows changes."""

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from orchestrator.cli.output import Column, console, number, print_table, variant_of
from orchestrator.shared.units import format_duration_ns
from orchestrator.shared.values.ranks import NOTE, ranked_label


def print_masking(answer: Mapping[str, Any]) -> None:
    """Print the tables of an answer, or that the run has no masked cases."""
    out = console()
    if not answer["tables"]:
        out.print("This run has no masked cases of the latency protocol.")
        return
    sum_of = " + ".join(f"{term['weight']:g} {term['operation']} {term['length_bytes']} B" for term in answer["terms"])
    out.print(f"Overhead with {answer['shares']} shares: ({sum_of}) masked / unmasked", markup=False)
    for table in answer["tables"]:
        insecure = " (not secure)" if table["secure"] is False else ""
        out.print(Text(f"{table['agent_name']}: generator {table['generator']}{insecure}", style="bold"))
        print_table(_COLUMNS, [_cells(row) for row in table["rows"]])
        for reason, names in _reasons(table["rows"]).items():
            out.print(Text(f"{', '.join(names)}: {reason}", style="dim"))
        for evidence, names in _evidence(table["rows"]).items():
            out.print(Text(f"{', '.join(names)}: {evidence}", style="dim"))
        out.print(table["sentence"], markup=False)
    if answer["comparisons"] > 1:
        out.print(f"{NOTE} {answer['comparisons']} comparisons, corrected together (Holm).", style="dim")
    out.print(answer["evidence_statement"], style="dim", markup=False)
    for order in answer["orders"]:
        out.print(order["sentence"], markup=False)
    others = [str(shares) for shares in answer["available_shares"] if shares != answer["shares"]]
    if others:
        command = f"ciphermark runs masking {answer['run_id']} --shares {others[0]}"
        out.print(f"Other numbers of shares: {', '.join(others)}; for example {command}", style="dim")


_COLUMNS = [
    number("rank"),
    Column("cipher"),
    number("overhead"),
    number("95 % interval"),
    number("units"),
    number("× ChaChaPoly"),
    number("its rank"),
    number("e16"),
    number("e128"),
    number("generator"),
]


def _cells(row: Mapping[str, Any]) -> list[object]:
    times = {(time["operation"], time["length_bytes"]): time for time in row["times"]}
    short, long = times.get(("encrypt", 16), {}), times.get(("encrypt", 128), {})
    share = long.get("generator_share")
    return [
        ranked_label(row["rank"], row["last_rank"], row["groups"], row["undecided"]),
        f"{row['algorithm']} {row['masking'] or ''} {row['variant']}".replace("  ", " "),
        _ratio(row["overhead"]),
        _interval(row["overhead_interval"]),
        _ratio(row["chacha_units"]),
        _ratio(row["relative_time"]),
        ranked_label(
            row["relative_rank"], row["relative_last_rank"], row["relative_groups"], row["relative_undecided"]
        ),
        _duration(short.get("call_wall_ns")),
        _duration(long.get("call_wall_ns")),
        None if share is None else f"{share:.0%}",
    ]


def _reasons(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        if row["reason"]:
            found.setdefault(row["reason"], []).append(f"{row['algorithm']} {variant_of(row)}")
    return found


def _evidence(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        if row["shares"]:
            said = row["evidence"]["sentence"] if row["evidence"] else row["evidence_reason"]
            found.setdefault(said, []).append(f"{row['algorithm']} {variant_of(row)}")
    return found


def _ratio(value: float | None) -> str | None:
    return None if value is None else f"{value:.3g}"


def _interval(interval: Mapping[str, float] | None) -> str | None:
    return None if interval is None else f"{interval['low']:.3g} – {interval['high']:.3g}"


def _duration(ns: float | None) -> str | None:
    return None if ns is None else format_duration_ns(ns)
