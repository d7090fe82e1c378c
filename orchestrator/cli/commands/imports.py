"""Import results of hyperfine, Google Benchmark, pyperf and EvalMe, marked as such."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from orchestrator.cli.client import shaped
from orchestrator.cli.connection import connect
from orchestrator.cli.moments import show_moment
from orchestrator.cli.output import JSONOption, console, first, notes, print_json, print_pairs, print_rows
from orchestrator.results.imports.document import MAX_FILE_BYTES
from orchestrator.results.imports.schemas import ImportDetail, ImportedSeriesSummary, ImportSummary
from orchestrator.shared.files.named import read_text_file
from orchestrator.shared.tables import Column, number
from orchestrator.shared.units import format_imported
from orchestrator.shared.values.text import counted

app = typer.Typer(no_args_is_help=True)

ImportArgument = Annotated[str, typer.Argument(metavar="IMPORT", help="The import's id, as in 'imports list'.")]
SearchOption = Annotated[str | None, typer.Option(help="Only rows with this text in their name.")]
RowsOption = Annotated[int, typer.Option(min=1, max=5000, help="Maximum rows.")]


@app.command()
def add(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File of the tool, also compressed with gzip.")],
    *,
    file_format: Annotated[
        str | None, typer.Option("--format", help="hyperfine, pyperf, …; default: recognized from the content.")
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="Device of the measurements. Default: the host that the file names.")
    ] = None,
    as_json: JSONOption = False,
) -> None:
    """Import a file of another tool. A damaged or unknown file is refused as a whole, with the reason."""
    text = read_text_file(file, MAX_FILE_BYTES, "Export fewer benchmarks into one file.")
    body = {"name": file.name[:200], "content": text, "format": file_format, "device": device}
    with connect(ctx) as client:
        found = client.post("/imports", body, timeout_seconds=120.0)
    if as_json:
        print_json(found)
        return
    made = shaped(ImportDetail, found)
    readings = counted(made.readings_total, "reading")
    text = f"Imported {made.series_total} series of {made.tool} with {readings} as {made.id}."
    console().print(text, markup=False)
    for sentence in made.omissions:
        console().print(f"- {sentence}", markup=False)
    notes().print(f"Show them with: ciphermark imports show {made.id}", markup=False)


@app.command("list")
def list_imports(ctx: typer.Context, *, limit: RowsOption = 50, as_json: JSONOption = False) -> None:
    """List the imported files, newest first."""
    with connect(ctx) as client:
        found = first(client.items("/imports", limit + 1), limit)
    if as_json:
        print_json(found)
        return
    columns = (
        Column("import", keeps_width=True, value="id"), Column("tool"), Column("file", shortened=True, value="name"),
        Column("device"), number("series", "series_total"), number("readings", "readings_total"),
        Column("imported at", keeps_width=True, value=lambda one: show_moment(one.imported_at)),
    )  # fmt: skip
    print_rows(columns, [shaped(ImportSummary, one) for one in found])


@app.command()
def show(
    ctx: typer.Context,
    import_id: ImportArgument,
    *,
    search: SearchOption = None,
    rows: RowsOption = 50,
    as_json: JSONOption = False,
) -> None:
    """Show an import: scope, statements of the file, and its series with figures and units."""
    with connect(ctx) as client:
        found = client.get(f"/imports/{import_id}")
        series = list(client.items(f"/imports/{import_id}/series", limit=rows, q=search))
    if as_json:
        print_json(found, series=series)
    else:
        print_import(shaped(ImportDetail, found), [shaped(ImportedSeriesSummary, one) for one in series])


@app.command()
def delete(
    ctx: typer.Context,
    import_id: ImportArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without a question.")] = False,
) -> None:
    """Delete an import with its series. This cannot be undone; the file itself was not changed."""
    if not yes:
        typer.confirm(f"Delete import {import_id} with all its series?", abort=True)
    with connect(ctx) as client:
        client.delete(f"/imports/{import_id}")
    console().print(f"Import {import_id} is deleted.", markup=False)


def print_import(found: ImportDetail, series: Sequence[ImportedSeriesSummary]) -> None:
    """Print an import with its series."""
    print_pairs(
        [
            ("import", f"{found.id}, {found.name}"),
            ("tool", found.tool),
            ("device", found.device or "unknown: neither the file nor --device names it"),
            ("imported", f"{show_moment(found.imported_at)} by {found.imported_by}"),
            ("scope", found.scope),
            *found.facts.items(),
        ]
    )
    console().print(Text(found.remark, style="bold"))
    print_rows(_SERIES_COLUMNS, series)
    left = found.series_total - len(series)
    if left > 0:
        notes().print(f"{left} further series (--search, --rows).", style="dim")
    remarks = dict.fromkeys(remark for one in series for remark in one.remarks)
    for sentence in (found.dispersion, *found.omissions, *remarks):
        console().print(f"- {sentence}", markup=False)


def _interval(one: ImportedSeriesSummary) -> str | None:
    if one.interval is None:
        return None
    return " ".join(format_imported(end, one.unit) for end in (one.interval.low, one.interval.high))


def _value(row: ImportedSeriesSummary) -> str:
    """Return the figure, with its name where it is no median."""
    shown = format_imported(row.value, row.unit)
    return shown if row.statistic == "median" else f"{shown} ({row.statistic})"


_SERIES_COLUMNS = (
    number("#", "position"), Column("name"), Column("quantity"),
    number("value", _value), number("95 % interval", _interval), number("n"),
)  # fmt: skip
