"""The comparison of runs in the terminal."""

import shlex
from collections.abc import Sequence

from rich.text import Text

from orchestrator.cli.continuous.junit import change_text
from orchestrator.cli.output import console, print_rows, print_table
from orchestrator.results.columns.comparison import comparison_columns
from orchestrator.results.comparisons.choices.schemas import RunSides
from orchestrator.results.comparisons.schemas import Change, ComparisonPart, RunComparison
from orchestrator.shared.tables import Column, number
from orchestrator.shared.values.text import counted
from orchestrator.watches.schemas import ChangeSummary, RegressionRow

_CHANGES_SHOWN = 12


def print_comparison(document: RunComparison) -> None:
    """Print a table, the changes and a summary for each side that is compared with the first one."""
    for part in document.parts:
        _print_part(part, document)


def _print_part(part: ComparisonPart, document: RunComparison) -> None:
    out = console()
    first, other = document.first, part.other
    out.print(Text(f"{other.title} compared with {first.title}", style="bold"))
    out.print(part.method, style="dim", markup=False)
    rows = part.rows
    print_rows(comparison_columns(part, document, page=False), rows)
    if len(rows) < part.rows_total:
        out.print(f"… and {counted(part.rows_total - len(rows), 'more case')} (--rows).", style="dim")
    for name, count in (("the first side", part.only_first), ("the other side", part.only_other)):
        if count:
            out.print(f"{counted(count, 'case')} of {name} only.", style="dim")
    print_changes(part.changes)
    if document.comparisons > 1:
        out.print(f"{document.comparisons} cases, corrected together (Holm).", style="dim")
    out.print(part.sentence, markup=False)


def print_sides(document: RunSides) -> None:
    """Print the parts of a run that can be compared, and the comparisons that it suggests as commands."""
    out = console()
    title = f"{document.label}, {document.run_name}: {counted(document.cases, 'case')} with a verified result"
    out.print(Text(title, style="bold"))
    columns = (Column("part", keeps_width=True), Column("value"), number("cases"), Column("side", keeps_width=True))
    rows = [(part.name, one.value, one.cases, one.label) for part in document.properties for one in part.values]
    print_table(columns, rows)
    for one in document.suggested:
        command = shlex.join(["ciphermark", "compare", *one.sides])
        out.print(Text(f"By {one.by}: {command}"), soft_wrap=True)


def change_columns(measure: str | None) -> tuple[Column, ...]:
    """Return the columns of changed cases by a measure."""
    title = f"{measure}, new / former (corrected interval)"
    return (
        Column("result", keeps_width=True, value=_result),
        Column("case", value="case_words"),
        number(title, change_text),
    )


def _result(change: RegressionRow) -> str:
    lasts = not isinstance(change, ChangeSummary) or change.lasts
    return f"{'worse' if change.worse else 'better'}{'' if lasts else ' until later'}"


def print_changes(changes: Sequence[Change]) -> None:
    """Print in what two sides differ, besides their results."""
    if not changes:
        return
    changed = Column("changed", keeps_width=True, value="topic")
    columns = (changed, Column("where", value="subject"), Column("before"), Column("after"))
    print_rows(columns, changes[:_CHANGES_SHOWN])
    if len(changes) > _CHANGES_SHOWN:
        console().print(f"… and {len(changes) - _CHANGES_SHOWN} further changes (--json).", style="dim")
