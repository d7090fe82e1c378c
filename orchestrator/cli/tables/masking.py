"""Overhead of masking in the terminal: a table for each agent and generator, and how the order of rows changes."""

from collections.abc import Sequence

from rich.text import Text

from orchestrator.cli.output import Column, console, figure, limits, number, print_rows
from orchestrator.results.answers.masking.schemas import MaskingAnswer, MaskingRow, MaskingTime
from orchestrator.shared.units import format_duration_ns
from orchestrator.shared.values.forms import variant_label
from orchestrator.shared.values.ranks import NOTE, ranked_label


def print_masking(answer: MaskingAnswer) -> None:
    """Print the tables of an answer, or that the run has no masked cases."""
    out = console()
    if not answer.tables:
        out.print("This run has no masked cases of the latency protocol.")
        return
    sum_of = " + ".join(f"{term.weight:g} {term.operation} {term.length_bytes} B" for term in answer.terms)
    out.print(f"Overhead with {answer.shares} shares: ({sum_of}) masked / unmasked", markup=False)
    for table in answer.tables:
        insecure = " (not secure)" if table.secure is False else ""
        out.print(Text(f"{table.agent_name}: generator {table.generator}{insecure}", style="bold"))
        print_rows(_COLUMNS, table.rows)
        for reason, names in _reasons(table.rows).items():
            out.print(Text(f"{', '.join(names)}: {reason}", style="dim"))
        for evidence, names in _evidence(table.rows).items():
            out.print(Text(f"{', '.join(names)}: {evidence}", style="dim"))
        out.print(table.sentence, markup=False)
    if answer.comparisons > 1:
        out.print(f"{NOTE} {answer.comparisons} comparisons, corrected together (Holm).", style="dim")
    out.print(answer.evidence_statement, style="dim", markup=False)
    for order in answer.orders:
        out.print(order.sentence, markup=False)
    others = [str(shares) for shares in answer.available_shares if shares != answer.shares]
    if others:
        command = f"ciphermark runs masking {answer.run_id} --shares {others[0]}"
        out.print(f"Other numbers of shares: {', '.join(others)}; for example {command}", style="dim")


def _rank(row: MaskingRow, prefix: str = "") -> str | None:
    names = ("rank", "last_rank", "groups", "undecided")
    return ranked_label(*(getattr(row, prefix + name) for name in names))


def _call(row: MaskingRow, length_bytes: int) -> MaskingTime | None:
    """Return the encryption of a message of this length."""
    found = [time for time in row.times if (time.operation, time.length_bytes) == ("encrypt", length_bytes)]
    return found[-1] if found else None


def _duration(call: MaskingTime | None) -> str | None:
    return None if call is None or call.call_wall_ns is None else format_duration_ns(call.call_wall_ns)


_COLUMNS = [
    number("rank", _rank),
    Column(
        "cipher",
        value=lambda row: f"{row.algorithm} {row.masking or ''} {row.variant}".replace("  ", " "),
    ),
    number("overhead", lambda row: figure(row.overhead, ".3g")),
    number("95 % interval", lambda row: limits(row.overhead_interval, "{:.3g}".format)),
    number("units", lambda row: figure(row.chacha_units, ".3g")),
    number("× ChaChaPoly", lambda row: figure(row.relative_time, ".3g")),
    number("its rank", lambda row: _rank(row, "relative_"), drop=1),
    number("e16", lambda row: _duration(_call(row, 16)), drop=3),
    number("e128", lambda row: _duration(_call(row, 128)), drop=4),
    number("generator", lambda row: (call := _call(row, 128)) and figure(call.generator_share, ".0%"), drop=2),
]


def _reasons(rows: Sequence[MaskingRow]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        if row.reason:
            found.setdefault(row.reason, []).append(f"{row.algorithm} {variant_label(row)}")
    return found


def _evidence(rows: Sequence[MaskingRow]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        if row.shares:
            said = row.evidence.sentence if row.evidence else row.evidence_reason
            found.setdefault(said, []).append(f"{row.algorithm} {variant_label(row)}")
    return found
