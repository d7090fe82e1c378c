"""Compare runs, agents, toolchains or providers case by case, and list what changed."""

import shlex
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

import typer

from orchestrator.cli.client import shaped
from orchestrator.cli.connection import connect
from orchestrator.cli.names import with_run_id
from orchestrator.cli.output import JSONOption, console, print_json
from orchestrator.cli.tables.comparison import print_comparison, print_sides
from orchestrator.results.comparisons.choices.schemas import RunSides
from orchestrator.results.comparisons.schemas import MAX_SIDES, MIN_SIDES, RunComparison
from orchestrator.shared.errors import InvalidRequest

app = typer.Typer()


@app.command()
def compare(
    ctx: typer.Context,
    sides: Annotated[
        list[str],
        typer.Argument(
            metavar="A B …",
            help="Runs, or parts of them: RUN, latest, 'RUN,toolchain=gcc -O3', 'RUN,agent=pi4'; "
            "also series of imports, import:ID/1.",
        ),
    ],
    *,
    measure: Annotated[
        str | None, typer.Option(help="encrypt, pass, pass-cpu, call, peak-memory, …; by default the runs' first one.")
    ] = None,
    only_sides: Annotated[
        bool,
        typer.Option("--sides", help="List the parts of these runs that can be compared, with their cases."),
    ] = False,
    rows: Annotated[int, typer.Option(min=1, max=5000, help="Maximum cases for each side.")] = 30,
    html: Annotated[
        Path | None, typer.Option(help="HTML file to write: the page with its charts, which needs no network.")
    ] = None,
    as_json: JSONOption = False,
) -> None:
    """Compare two or more runs, or parts of runs, with the first one: ratios with intervals, ties, and what changed."""
    if not only_sides and not MIN_SIDES <= len(sides) <= MAX_SIDES:
        raise InvalidRequest(
            f"A comparison has {MIN_SIDES} to {MAX_SIDES} sides, got {len(sides)}.",
            remedy=f"Name other runs, or parts of this one: ciphermark compare --sides {shlex.quote(sides[0])}.",
        )
    with connect(ctx) as client:
        named = [with_run_id(client, side) for side in sides]
        if only_sides:
            _list_sides([client.get("/comparisons/sides", run=side) for side in named], as_json=as_json)
            return
        if html is not None:
            query = {"run": named, **({"measure": measure} if measure else {})}
            client.save_page(html, f"/compare?{urlencode(query, doseq=True)}")
            return
        document = client.get("/comparisons", run=named, measure=measure, rows=rows)
    if as_json:
        print_json(document)
        return
    found = shaped(RunComparison, document)
    print_comparison(found)
    if others := [one for one in found.measures if one != found.measure]:
        console().print(f"Other measures (--measure …): {', '.join(others)}.", style="dim")


def _list_sides(found: list[Any], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    for one in found:
        print_sides(shaped(RunSides, one))
