"""Show which candidate of a run handles your traffic at the lowest cost: message lengths and key changes."""

from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.candidates import (
    AEADOption,
    AlgorithmOption,
    ConstantTimeOption,
    MaxCodeOption,
    RowsOption,
    size_bytes,
)
from orchestrator.cli.client import shaped
from orchestrator.cli.connection import connect
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.names import RunArgument, find_run
from orchestrator.cli.output import JSONOption, print_json
from orchestrator.cli.tables.traffic import print_traffic
from orchestrator.results.traffic.schemas import TrafficAnswer
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.files.named import read_text_file
from orchestrator.shared.units import MIB
from orchestrator.statistics.mixtures.histograms import FORMS, parse_histogram

MAX_FILE_BYTES = 64 * MIB

app = typer.Typer()


@app.command()
def traffic(
    ctx: typer.Context,
    run_id: RunArgument,
    lengths: Annotated[
        str | None, typer.Argument(metavar="HISTOGRAM", help="Lengths and counts: '24:900, 1500:100'.")
    ] = None,
    *,
    file: Annotated[
        Path | None,
        typer.Option(help="CSV with a column length_bytes and perhaps count, or a line per packet; - reads input."),
    ] = None,
    key_changes: Annotated[
        float, typer.Option(min=0, help="Number of key changes in the time of all these messages.")
    ] = 0,
    operation: Annotated[str, typer.Option(help="encrypt, decrypt, or both of each message.")] = "encrypt",
    associated_data: Annotated[
        str | None, typer.Option(help="Associated data of each message: '16 B'. Default: the shortest measured.")
    ] = None,
    key_setup: Annotated[
        str | None, typer.Option(help="apart, or included: each message sets the key. Default: apart if measured.")
    ] = None,
    measure: Annotated[str | None, typer.Option(help="call, encrypt or pass; default: call if measured.")] = None,
    algorithm: AlgorithmOption = None,
    aead: AEADOption = False,
    constant_time: ConstantTimeOption = False,
    max_code: MaxCodeOption = None,
    max_stack: Annotated[str | None, typer.Option(help="Stack at most.")] = None,
    rows: RowsOption = 20,
    as_json: JSONOption = False,
) -> None:
    """Show the cost of a traffic per candidate of a run, with intervals and ties, and what would change the winner."""
    counts = _histogram(lengths, file)
    body = {
        "lengths_bytes": list(counts),
        "counts": list(counts.values()),
        "key_changes": key_changes,
        "operation": operation,
        "associated_data_bytes": size_bytes(associated_data, "associated-data"),
        "key_setup": key_setup,
        "measure": measure,
        "algorithms": algorithm or [],
        "rows": rows,
    }
    constraints = {
        "aead": "true" if aead else None,
        "constant_time": "true" if constant_time else None,
        "max_code_bytes": size_bytes(max_code, "max-code"),
        "max_stack_bytes": size_bytes(max_stack, "max-stack"),
    }
    with connect(ctx) as client:
        document = client.post(f"/runs/{find_run(client, run_id)}/traffic", body, query=constraints)
    found = shaped(TrafficAnswer, document)
    print_json(document) if as_json else print_traffic(found)
    if all(row.rank is None for agent in found.agents for row in agent.rows):
        raise typer.Exit(ExitCode.UNDECIDED)


def _histogram(lengths: str | None, file: Path | None) -> dict[int, float]:
    """Return the histogram of the argument or of the file; raises InvalidRequest."""
    if (lengths is None) == (file is None):
        raise InvalidRequest("Name the traffic once: as HISTOGRAM or with --file.", remedy=FORMS)
    text = lengths if file is None else read_text_file(file, MAX_FILE_BYTES, FORMS)
    try:
        return parse_histogram(text or "")
    except ValueError as error:
        raise InvalidRequest(f"{error}.", remedy=FORMS, field="histogram") from None
