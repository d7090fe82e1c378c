"""Compare runs, agents, toolchains or providers case by case, and list what changed."""

from typing import Annotated

import typer

from orchestrator.cli.connection import connect
from orchestrator.cli.names import LATEST, find_run
from orchestrator.cli.output import JSONOption, print_json
from orchestrator.cli.tables.comparison import print_comparison

app = typer.Typer()


@app.command()
def compare(
    ctx: typer.Context,
    sides: Annotated[
        list[str],
        typer.Argument(
            metavar="A B …", help="Runs, or parts of them: RUN, latest, 'RUN,toolchain=gcc -O3', 'RUN,agent=pi4'."
        ),
    ],
    *,
    measure: Annotated[
        str | None, typer.Option(help="encrypt, pass, pass-cpu, call, peak-memory, …; by default the runs' first one.")
    ] = None,
    rows: Annotated[int, typer.Option(min=1, max=5000, help="Maximum cases for each side.")] = 30,
    as_json: JSONOption = False,
) -> None:
    """Compare two or more runs, or parts of runs, with the first one: ratios with intervals, ties, and what changed."""
    with connect(ctx) as client:
        named = []
        for side in sides:
            run_id, comma, selected = side.partition(",")
            named.append((find_run(client, run_id) if run_id == LATEST else run_id) + comma + selected)
        document = client.get("/comparisons", run=named, measure=measure, rows=rows)
    print_json(document) if as_json else print_comparison(document)
