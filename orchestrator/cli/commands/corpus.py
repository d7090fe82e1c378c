"""Build, list, verify and add input chunks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import corpus as chunks
from corpus import BuildStep, ChunkEntry
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.output import JSONOption, console, print_json, print_table, spinner
from orchestrator.cli.settings import service_settings
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.tables import Column, number
from orchestrator.shared.units import format_bytes_approximately, format_size, parse_size_bytes

app = typer.Typer(no_args_is_help=True)

SizesOption = Annotated[
    list[str] | None,
    typer.Option("--sizes", "--size", "-s", help="128KiB, 1MiB, 4096 …; can be repeated [128 KiB to 8 MiB]."),
]
KindsOption = Annotated[
    list[str] | None, typer.Option("--kinds", "--kind", "-k", help="random, audio, video, text; can be repeated [all].")
]


@app.command()
def build(
    sizes: SizesOption = None,
    kinds: KindsOption = None,
    sources: Annotated[Path | None, typer.Option(help="Folder with files of the published works.")] = None,
    download: Annotated[bool, typer.Option("--download/--no-download", help="Download the published works.")] = True,
    as_json: JSONOption = False,
) -> None:
    """Build the missing chunks; intact ones are kept."""
    folder = service_settings().corpus_folder
    with spinner("corpus") as show:
        entries = chunks.build(
            folder,
            _sizes(sizes) or chunks.DEFAULT_SIZES_BYTES,
            kinds or chunks.KINDS,
            local_sources=sources,
            download=download,
            progress=lambda step: show(_activity(step)),
        )
    _show(entries, as_json)


@app.command("list")
def list_chunks(as_json: JSONOption = False) -> None:
    """List the chunks with their origin."""
    _show(chunks.list_entries(service_settings().corpus_folder), as_json)


@app.command()
def verify(as_json: JSONOption = False) -> None:
    """Compare every chunk with its SHA-256. Damaged chunks are moved aside; the exit code is then 11."""
    outcomes = chunks.verify_all(service_settings().corpus_folder)
    damaged = [outcome for outcome in outcomes if outcome.problem]
    if as_json:
        results = [{"sha256": o.entry.sha256, "kind": o.entry.kind, "problem": o.problem} for o in outcomes]
        print_json(results)
    else:
        for outcome in damaged:
            console().print(f"damaged: {outcome.entry.kind} {outcome.problem}", markup=False)
        console().print(f"{len(outcomes) - len(damaged)} of {len(outcomes)} chunks are intact.")
    if damaged:
        raise typer.Exit(ExitCode.DAMAGED)


@app.command()
def add(
    file: Annotated[Path, typer.Argument(help="Your own file.")],
    kind: Annotated[str, typer.Option("--kind", "-k", help="random, audio, video or text.")],
    sizes: SizesOption = None,
    as_json: JSONOption = False,
) -> None:
    """Add your own file as input, whole or cut to sizes. It is preferred to built chunks of that kind and length."""
    folder = service_settings().corpus_folder
    with spinner("corpus") as show:
        entries = chunks.add_user_chunk(folder, kind, file, _sizes(sizes), progress=lambda step: show(_activity(step)))
    _show(entries, as_json)


def _activity(step: BuildStep) -> str:
    """Return one message of the builder as a line."""
    amount = format_bytes_approximately(step.done_bytes) if step.done_bytes else ""
    if step.total_bytes:
        amount += f" of {format_bytes_approximately(step.total_bytes)}"
    return " ".join(word for word in (step.step, step.kind or "", step.detail, amount) if word)[:100]


def _sizes(texts: Sequence[str] | None) -> list[int] | None:
    try:
        return [parse_size_bytes(text) for text in texts] if texts else None
    except ValueError as error:
        raise InvalidRequest(str(error), field="sizes") from error


def _show(entries: Sequence[ChunkEntry], as_json: bool) -> None:
    if as_json:
        print_json([entry.model_dump(mode="json") for entry in entries])
        return
    columns = (Column("kind"), number("length"), Column("origin"), Column("sha256", keeps_width=True), Column("title"))
    print_table(
        columns,
        [(e.kind, format_size(e.length_bytes), e.origin, e.sha256[:12], e.title) for e in entries],
    )
