"""Overhead of masking in the terminal: a table for each agent and generator, and how the order of rows changes."""

from collections.abc import Sequence

from rich.text import Text

from orchestrator.cli.output import console, print_rows
from orchestrator.results.answers.masking.schemas import MaskingAnswer, MaskingRow
from orchestrator.results.columns.masking import masking_columns
from orchestrator.shared.values.forms import variant_label
from orchestrator.shared.values.ranks import NOTE


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
        print_rows(masking_columns(table.rows, answer.terms, page=False), table.rows)
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
