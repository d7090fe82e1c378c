"""List, show, watch, edit, cancel, pause, resume, delete and export runs."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, BinaryIO
from urllib.parse import urlencode

import typer
from rich.progress import DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from orchestrator.cli.candidates import (
    AEADOption,
    AlgorithmOption,
    ConstantTimeOption,
    MaxCodeOption,
    RowsOption,
    size_bytes,
)
from orchestrator.cli.client import APIClient, shaped
from orchestrator.cli.commands.submit import finish_watching
from orchestrator.cli.connection import connect
from orchestrator.cli.moments import SinceOption, parse_duration, parse_moment, show_moment
from orchestrator.cli.names import RunArgument, find_agent, find_run, with_changes
from orchestrator.cli.output import (
    JSONOption,
    console,
    first,
    notes,
    print_json,
    print_pairs,
    print_rows,
    print_table,
)
from orchestrator.cli.states import UNFINISHED, activity_rows, state_label
from orchestrator.cli.tables.answer import print_answer
from orchestrator.cli.tables.masking import print_masking
from orchestrator.cli.tables.scaling import print_scaling
from orchestrator.results.answers.masking.schemas import MaskingAnswer
from orchestrator.results.answers.scaling.schemas import ScalingAnswer
from orchestrator.results.schemas import ExecutionSummary, RunAnswer
from orchestrator.runs.schemas import Progress as RunProgress
from orchestrator.runs.schemas import RunDetail, RunSummary
from orchestrator.service.security.schemas import ShareCreated
from orchestrator.shared.exporters import exporters
from orchestrator.shared.files.complete import complete, writing
from orchestrator.shared.tables import Column, number
from orchestrator.shared.units import format_duration_ns

app = typer.Typer(no_args_is_help=True)

_FAILED_READ = 50
"""Failed executions whose reasons are read."""
_REASONS_SHOWN = 3
_SITE_RUNS = 25
"""Most runs of a site: those of the first page of the list."""

COLUMNS = (
    Column("run", keeps_width=True, value="id"),
    Column("name"),
    Column("state", value=state_label),
    number("done", lambda run: f"{run.executions_done}/{run.executions_total}"),
    number("bad", lambda run: run.wrong + run.disputed + run.failed),
    Column("submitted", keeps_width=True, drop=1, value=lambda run: show_moment(run.submitted_at)),
)


@app.command("list")
def list_runs(
    ctx: typer.Context,
    *,
    state: Annotated[str | None, typer.Option(help="planned, running, paused, finished, cancelled, failed.")] = None,
    search: Annotated[str | None, typer.Option(help="Part of the name, description or a tag.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only runs with this tag.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only runs of this agent, by its id or name.")] = None,
    since: SinceOption = None,
    until: Annotated[str | None, typer.Option(help="Only before: the same forms.")] = None,
    archived: Annotated[str, typer.Option(help="exclude, only or include archived runs.")] = "exclude",
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of runs.")] = 20,
    as_json: JSONOption = False,
) -> None:
    """List runs, newest first."""
    with connect(ctx) as client:
        query = {"state": state, "q": search, "tag": tag, "archived": archived}
        query |= {"since": parse_moment(since), "until": parse_moment(until)}
        agent_id = agent and find_agent(client, agent)
        runs = first(client.items("/runs", limit + 1, **query, agent_id=agent_id), limit)
    if as_json:
        print_json(runs)
        return
    print_rows(COLUMNS, [shaped(RunSummary, run) for run in runs])


@app.command()
def show(
    ctx: typer.Context,
    run_id: RunArgument,
    details: Annotated[
        bool, typer.Option("--details", help="With costs, checks, confirmations and other measures.")
    ] = False,
    as_json: JSONOption = False,
) -> None:
    """Show a run with its answer."""
    with connect(ctx) as client:
        run_id = find_run(client, run_id)
        found = client.get(f"/runs/{run_id}")
        document = client.get(f"/runs/{run_id}/answer")
        run = shaped(RunDetail, found)
        why = _failures(client, run) if details and not as_json else []
    if as_json:
        print_json({"run": found, "answer": document})
        return
    progress, left = run.progress, run.progress.seconds_left
    print_pairs(
        [
            ("run", f"{run.id} ({run.name})"),
            ("state", state_label(run) + (f": {run.reason}" if run.reason else "")),
            *([("tags", ", ".join(run.tags))] if run.tags else []),
            ("executions", f"{progress.done} of {progress.total} ({progress.percent:.1f} %)"),
            ("not ok", _counts(progress)),
            *(("failed", reason) for reason in why),
            *([("precision", run.precision.sentence)] if run.precision else []),
            ("time left", None if left is None else format_duration_ns(left * 1e9)),
            ("submitted", f"{show_moment(run.submitted_at)} by {run.submitted_by or 'an unnamed client'}"),
            ("seed", run.seed),
        ]
    )
    if run.state in UNFINISHED:
        columns = (Column("agent"), Column("now", keeps_width=True), Column("since", keeps_width=True), Column("cause"))
        print_table(columns, activity_rows(run, datetime.now(UTC)))
    print_answer(shaped(RunAnswer, document), details=details)


@app.command()
def answer(
    ctx: typer.Context,
    run_id: RunArgument,
    *,
    measure: Annotated[
        str | None, typer.Option(help="encrypt, pass, pass-cpu, call, cold-call, peak-memory, code-size, stack, …")
    ] = None,
    against: Annotated[str | None, typer.Option(help="Second measure: also show the Pareto front of both.")] = None,
    operation: Annotated[
        str | None, typer.Option(help="Only calls of this kind: encrypt (default), encrypt-32, decrypt or key-setup.")
    ] = None,
    length: Annotated[
        str | None,
        typer.Option(help="Only this length: '4 KiB'. By default the shortest above 0; 'all' for all together."),
    ] = None,
    key_setup: Annotated[
        str | None, typer.Option(help="Only calls whose key is set apart (default, if both were timed) or included.")
    ] = None,
    default_variants: Annotated[
        bool, typer.Option("--default-variants", help="Only variants that a plan without variants measures.")
    ] = False,
    algorithm: AlgorithmOption = None,
    aead: AEADOption = False,
    constant_time: ConstantTimeOption = False,
    target: Annotated[
        str | None,
        typer.Option(help="Processor that sizes are of, such as cortex-m3."),
    ] = None,
    max_code: MaxCodeOption = None,
    max_static_ram: Annotated[str | None, typer.Option(help="Static RAM at most.")] = None,
    max_stack: Annotated[str | None, typer.Option(help="Stack at most, of the operation or of all.")] = None,
    max_context: Annotated[str | None, typer.Option(help="Context of a key at most.")] = None,
    min_tag_bits: Annotated[int | None, typer.Option(min=0, max=4096, help="Tag of at least this many bits.")] = None,
    min_key_bits: Annotated[int | None, typer.Option(min=0, max=4096, help="Key of at least this many bits.")] = None,
    rows: RowsOption = 20,
    as_json: JSONOption = False,
) -> None:
    """Show the ranking of a run by any measure, with intervals and ties, within the limits of a device."""
    query = {
        "measure": measure,
        "against": against,
        "operation": operation,
        "length_bytes": None if length == "all" else size_bytes(length, "length"),
        "lengths": "all" if length == "all" else None,
        "algorithm": algorithm or None,
        "key_setup": key_setup,
        "default_variants": "true" if default_variants else None,
        "aead": "true" if aead else None,
        "constant_time": "true" if constant_time else None,
        "target": target,
        "max_code_bytes": size_bytes(max_code, "max-code"),
        "max_static_ram_bytes": size_bytes(max_static_ram, "max-static-ram"),
        "max_stack_bytes": size_bytes(max_stack, "max-stack"),
        "max_context_bytes": size_bytes(max_context, "max-context"),
        "min_tag_bits": min_tag_bits,
        "min_key_bits": min_key_bits,
        "rows": rows,
    }
    with connect(ctx) as client:
        document = client.get(f"/runs/{find_run(client, run_id)}/answer", **query)
    print_json(document) if as_json else print_answer(shaped(RunAnswer, document))


@app.command()
def scaling(
    ctx: typer.Context,
    run_id: RunArgument,
    *,
    measure: Annotated[str | None, typer.Option(help="pass, encrypt, or call (the latency protocol).")] = None,
    as_json: JSONOption = False,
) -> None:
    """Show start-up and cost per byte over the input lengths, and whether a line fits."""
    with connect(ctx) as client:
        document = client.get(f"/runs/{find_run(client, run_id)}/scaling", measure=measure)
    print_json(document) if as_json else print_scaling(shaped(ScalingAnswer, document))


@app.command()
def masking(
    ctx: typer.Context,
    run_id: RunArgument,
    *,
    shares: Annotated[int | None, typer.Option(min=2, max=6, help="Default: 4, or the lowest of the run.")] = None,
    generator: Annotated[str | None, typer.Option(help="Only this random generator; default: all.")] = None,
    as_json: JSONOption = False,
) -> None:
    """Show the overhead of masking by generator, and how the order of ciphers changes."""
    with connect(ctx) as client:
        document = client.get(f"/runs/{find_run(client, run_id)}/masking", shares=shares, generator=generator)
    print_json(document) if as_json else print_masking(shaped(MaskingAnswer, document))


@app.command()
def watch(ctx: typer.Context, run_id: RunArgument, as_json: JSONOption = False) -> None:
    """Watch a run to its end and print its answer. Exits with 10 if it was cancelled or failed."""
    with connect(ctx) as client:
        finish_watching(client, find_run(client, run_id), as_json)


@app.command()
def cancel(ctx: typer.Context, run_id: RunArgument, as_json: JSONOption = False) -> None:
    """Cancel a run; running executions stop within seconds. `resume` continues it."""
    with connect(ctx) as client:
        _step(client, run_id, "cancel", as_json)


@app.command()
def pause(ctx: typer.Context, run_id: RunArgument, as_json: JSONOption = False) -> None:
    """Pause a run between two executions."""
    with connect(ctx) as client:
        _step(client, run_id, "pause", as_json)


@app.command()
def resume(ctx: typer.Context, run_id: RunArgument, as_json: JSONOption = False) -> None:
    """Resume a paused, cancelled or failed run; only executions without a result are made."""
    with connect(ctx) as client:
        _step(client, run_id, "resume", as_json)


@app.command()
def edit(
    ctx: typer.Context,
    run_id: RunArgument,
    *,
    tag: Annotated[list[str] | None, typer.Option(help="Tag to add; may be repeated.")] = None,
    remove_tag: Annotated[list[str] | None, typer.Option(help="Tag to remove; may be repeated.")] = None,
    archive: Annotated[
        bool | None, typer.Option("--archive/--unarchive", help="Leave the ended run out of lists, or list it again.")
    ] = None,
    as_json: JSONOption = False,
) -> None:
    """Change the tags of a run, or archive it: archived runs keep their results and are left out of lists."""
    if not tag and not remove_tag and archive is None:
        raise typer.BadParameter("Nothing to change; name at least one of --tag, --remove-tag, --archive, --unarchive.")
    with connect(ctx) as client:
        run_id = find_run(client, run_id)
        tags = None
        if tag or remove_tag:
            present = shaped(RunDetail, client.get(f"/runs/{run_id}")).tags
            tags = with_changes(present, tag or (), remove_tag or (), "tag")
        changed = client.patch(f"/runs/{run_id}", {"archived": archive, "tags": tags})
    if as_json:
        print_json(changed)
    else:
        run = shaped(RunDetail, changed)
        state = "archived" if run.archived_at else run.state
        all_tags = f"; tags: {', '.join(run.tags)}" if run.tags else ""
        console().print(f"Run {run.id} ({run.name}) is {state}{all_tags}.", markup=False)


@app.command()
def delete(
    ctx: typer.Context,
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="The run's id.")],
    yes: Annotated[bool, typer.Option("--yes", help="Delete without a question.")] = False,
) -> None:
    """Delete an ended run with its results; its name, state and counts stay. `export` keeps the results in a file."""
    if not yes:
        typer.confirm(f"Delete run {run_id} with all its results?", abort=True)
    with connect(ctx) as client:
        client.delete(f"/runs/{run_id}")
    console().print(f"Run {run_id} is deleted; its space becomes free within a minute.", markup=False)


def _step(client: APIClient, run_id: str, step: str, as_json: bool) -> None:
    changed = client.post(f"/runs/{find_run(client, run_id)}/{step}")
    if as_json:
        print_json(changed)
    else:
        run = shaped(RunDetail, changed)
        console().print(f"Run {run.id} is {state_label(run)}.", markup=False)


@app.command()
def export(
    ctx: typer.Context,
    run_id: RunArgument,
    *,
    file_format: Annotated[str, typer.Option("--format", "-f", help=f"{', '.join(sorted(exporters()))}.")] = "csv",
    column: Annotated[
        list[str] | None, typer.Option(help="Only this column; may be repeated, in the order of the file.")
    ] = None,
    html: Annotated[
        bool,
        typer.Option("--html", help="The page of the run with its charts and their data, as one file without network."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File; default: standard output, or RUN.html for a page."),
    ] = None,
) -> None:
    """Export every execution with all its readings; column names carry units."""
    if html and column:
        raise typer.BadParameter("A page has no columns to choose; leave out --column or --html.")
    with connect(ctx) as client:
        run_id = find_run(client, run_id)
        if html:
            client.save_page(output or Path(f"{run_id}.html"), f"/runs/{run_id}")
        elif output is None:
            _export(client, run_id, (file_format, column), sys.stdout.buffer)
        else:
            with complete(output) as new, new.open("wb") as file:
                _export(client, run_id, (file_format, column), file)


@app.command()
def site(
    ctx: typer.Context,
    *,
    tag: Annotated[str, typer.Option(help="Tag of the runs to publish.")],
    into: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for index.html and a page for each run.")],
) -> None:
    """Write a static site of the finished runs with a tag: an index, and a page of each that needs no network."""
    with connect(ctx) as client:
        chosen = [shaped(RunSummary, one) for one in client.items("/runs", _SITE_RUNS + 1, tag=tag, state="finished")]
        if not 0 < len(chosen) <= _SITE_RUNS:
            count = f"more than {_SITE_RUNS}" if chosen else "0"
            raise typer.BadParameter(f"{count} finished runs have the tag {tag!r}; expected 1 to {_SITE_RUNS}.")
        with writing(into):
            into.mkdir(parents=True, exist_ok=True)
        for run in chosen:
            client.save_page(into / f"{run.id}.html", f"/runs/{run.id}")
        address = f"/?{urlencode({'tag': tag, 'state': 'finished'})}"
        client.save_page(into / "index.html", address, [run.id for run in chosen])
    notes().print(f"Site: {into / 'index.html'}, {len(chosen)} run{'s' if len(chosen) > 1 else ''}", markup=False)


@app.command()
def share(
    ctx: typer.Context,
    run_id: RunArgument,
    *,
    expires: Annotated[str, typer.Option(help="Validity, such as 7d or 12h; at most a year.")] = "30d",
    revoke: Annotated[str | None, typer.Option(metavar="ID", help="End this link in place of creating one.")] = None,
    as_json: JSONOption = False,
) -> None:
    """Print a link that shows the run, and nothing else, to everyone who has it. It is shown only now."""
    with connect(ctx) as client:
        address = f"/runs/{find_run(client, run_id)}/shares"
        if revoke is not None:
            client.delete(f"{address}/{revoke}")
            notes().print(f"Link {revoke} is revoked.", markup=False)
            return
        made = client.post(address, {"expires_in_seconds": parse_duration(expires)})
        url = client.access.url
    if as_json:
        print_json(made)
        return
    link = shaped(ShareCreated, made)
    typer.echo(f"{url}{link.path}")
    ending = f"to end it: ciphermark runs share {link.run_id} --revoke {link.id}"
    notes().print(f"Valid until {show_moment(link.expires_at)}; {ending}", markup=False, soft_wrap=True)


def _export(client: APIClient, run_id: str, form: tuple[str, list[str] | None], file: BinaryIO) -> None:
    columns = (TextColumn("export"), DownloadColumn(), TransferSpeedColumn())
    with (
        Progress(*columns, console=notes(), transient=True) as bar,
        client.stream(f"/runs/{run_id}/export", format=form[0], column=form[1]) as response,
    ):
        task = bar.add_task("export", total=None)
        for block in response.iter_bytes():
            file.write(block)
            bar.advance(task, len(block))


def _failures(client: APIClient, run: RunDetail) -> list[str]:
    """Return why the first executions failed, each reason once."""
    if not run.progress.failed:
        return []
    failed = client.items(f"/runs/{run.id}/executions", _FAILED_READ, state="failed")
    found = (shaped(ExecutionSummary, one).failure or {} for one in failed)
    return list(dict.fromkeys(one["detail"] for one in found if one.get("detail")))[:_REASONS_SHOWN]


def _counts(progress: RunProgress) -> str:
    counts = (
        (progress.wrong, "wrong"), (progress.disputed, "disputed"), (progress.failed, "failed"),
        (progress.skipped, "skipped"),
    )  # fmt: skip
    return ", ".join(f"{count} {state}" for count, state in counts if count) or "none"
