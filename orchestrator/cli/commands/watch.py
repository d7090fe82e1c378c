"""Execute a plan again and again, and report what changes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from pydantic import RootModel

from orchestrator.cli.client import shaped
from orchestrator.cli.connection import connect
from orchestrator.cli.moments import parse_duration, show_moment
from orchestrator.cli.names import find_run
from orchestrator.cli.output import JSONOption, console, print_json, print_pairs, print_rows
from orchestrator.cli.running.submission import post_plan, read_plan_text
from orchestrator.cli.tables.comparison import change_columns, print_changes
from orchestrator.runs.planning.plan import parse_text
from orchestrator.shared.tables import Column, figure, number
from orchestrator.shared.units import format_duration_ns
from orchestrator.watches.schemas import LookDifferences, LookSummary, WatchCreated, WatchDetail, WatchSummary

app = typer.Typer(no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The watch's name or id.")]
_LOOKS_SHOWN, _CHANGES_SHOWN = 20, 30


@app.command()
def add(
    ctx: typer.Context,
    plan: Annotated[Path, typer.Argument(help="YAML or JSON document.")],
    *,
    name: Annotated[str | None, typer.Option(help="Name of the watch; by default the plan's.")] = None,
    every: Annotated[str | None, typer.Option(help="Interval of the looks: 24h, 7d.")] = None,
    on: Annotated[str | None, typer.Option(help="build: look after an agent made a new default build.")] = None,
    baseline: Annotated[
        str | None, typer.Option(help="Run to compare with: RUN, latest; by default the watch's last 60 runs.")
    ] = None,
    baseline_tag: Annotated[str | None, typer.Option(help="Tag of the runs to compare with.")] = None,
    measure: Annotated[str | None, typer.Option(help="encrypt, call, …; by default the runs' first one.")] = None,
    webhook: Annotated[list[str] | None, typer.Option(help="URL that receives changes; may be repeated.")] = None,
    email: Annotated[list[str] | None, typer.Option(help="Address that receives changes; may be repeated.")] = None,
    file: Annotated[bool, typer.Option("--file", help="Write changes to a file in the service's data folder.")] = False,
    as_json: JSONOption = False,
) -> None:
    """Add a watch: the service executes the plan again and again, and reports what changes. The first look is now."""
    if (every is None) == (on is None):
        raise typer.BadParameter("expected either --every DURATION or --on build")
    if on not in (None, "build"):
        raise typer.BadParameter(f"--on {on!r} is not known; expected build")
    text = read_plan_text(plan)
    outlets = [{"kind": "webhook", "target": one} for one in webhook or ()]
    outlets += [{"kind": "email", "target": one} for one in email or ()]
    with connect(ctx) as client:
        body = {
            "plan_text": text,
            "name": name or str(parse_text(text).get("name", "")),
            "every_seconds": parse_duration(every),
            "on_build": on == "build",
            "baseline_run_id": baseline and find_run(client, baseline),
            "baseline_tag": baseline_tag,
            "measure": measure,
            "outlets": [*outlets, *([{"kind": "file"}] if file else [])],
        }
        watch = post_plan(client, "/watches", body)
    if as_json:
        print_json(watch)
        return
    made = shaped(WatchCreated, watch)
    console().print(f"Watch {made.name}: {_interval(made)}, {_baseline(made)}", markup=False)
    if made.webhook_key:
        console().print(f"Key of the webhook's signatures: {made.webhook_key}", markup=False, soft_wrap=True)
    console().print(f"See its looks: ciphermark watch show {made.name}", markup=False)


@app.command("list")
def list_watches(ctx: typer.Context, as_json: JSONOption = False) -> None:
    """List the watches."""
    with connect(ctx) as client:
        document = client.get("/watches")
    if as_json:
        print_json(document)
        return
    found = shaped(RootModel[list[WatchSummary]], document).root
    columns = (
        Column("watch", keeps_width=True, value="name"),
        Column("looks", value=_interval),
        Column("compared with", value=_baseline),
        number("cases", lambda watch: watch.last_look and watch.last_look.cases),
        number("changes"),
        Column("state", keeps_width=True, value=_state),
        Column("next look", value=lambda watch: show_moment(watch.due_at)),
    )
    print_rows(columns, found)
    for watch in found:
        _print_notice(watch)


@app.command()
def show(ctx: typer.Context, name: NameArgument, as_json: JSONOption = False) -> None:
    """Show a watch: its looks, the reported changes with their intervals, and the reports that were sent."""
    with connect(ctx) as client:
        document = client.get(f"/watches/{name}")
    if as_json:
        print_json(document)
        return
    watch = shaped(WatchDetail, document)
    print_pairs(
        [
            ("watch", watch.name),
            ("plan", watch.plan_name),
            ("looks", _interval(watch)),
            ("compared with", _baseline(watch)),
            ("state", _state(watch)),
            ("next look", show_moment(watch.due_at)),
            ("added", f"{show_moment(watch.created_at)} by {watch.created_by}"),
        ]
    )
    _print_notice(watch)
    _print_looks(watch.latest_looks)
    if watch.latest_changes:
        console().print("Changes:", style="bold")
        print_rows((number("look"), *change_columns(watch.measure)), watch.latest_changes[:_CHANGES_SHOWN])
    if watch.withdrawn_changes:
        console().print("Changes whose figures are withdrawn:", style="bold")
        columns = (number("look"), Column("case", value="case_words"), Column("why", value="reason"))
        print_rows(columns, watch.withdrawn_changes[:_CHANGES_SHOWN])
    if watch.differences:
        _print_differences(watch.differences)
    for one in watch.latest_deliveries[:_LOOKS_SHOWN]:
        sent = one.state == "delivered"
        detail = f" {show_moment(one.delivered_at)}" if sent else one.last_error and f": {one.last_error}"
        text = f"Report of look {one.look} to {one.target or one.kind}: {one.state}{detail}"
        console().print(text, style="" if sent else "yellow", markup=False)
    console().print(watch.method, style="dim", markup=False)


@app.command()
def pause(ctx: typer.Context, name: NameArgument) -> None:
    """Pause a watch: no look begins until it is resumed."""
    _change(ctx, name, paused=True)


@app.command()
def resume(ctx: typer.Context, name: NameArgument) -> None:
    """Resume a watch; one with an interval begins a look now."""
    _change(ctx, name, paused=False)


@app.command()
def remove(ctx: typer.Context, name: NameArgument) -> None:
    """Remove a watch with its looks and changes; its runs stay."""
    with connect(ctx) as client:
        client.delete(f"/watches/{name}")
    console().print(f"Watch {name} was removed. Its runs stay.", markup=False)


def _change(ctx: typer.Context, name: str, *, paused: bool) -> None:
    with connect(ctx) as client:
        watch = shaped(WatchSummary, client.patch(f"/watches/{name}", {"paused": paused}))
    console().print(f"Watch {watch.name} is {'paused' if watch.paused else 'resumed'}.", markup=False)


def _print_looks(looks: Sequence[LookSummary]) -> None:
    columns = (
        number("look", "number"),
        Column("began", keeps_width=True, value=lambda one: show_moment(one.began_at)),
        Column("state", keeps_width=True),
        number("cases", drop=2),
        number("suspects", drop=1),
        number("changes"),
        number("finds", lambda one: figure(one.detectable_change, ".1%")),
        Column("runs", value=_runs),
        Column("reason"),
    )
    print_rows(columns, looks[:_LOOKS_SHOWN])


def _runs(look: LookSummary) -> str:
    ids = look.run_ids
    return " ".join(ids[:1]) + (f" +{len(ids) - 1}" if len(ids) > 1 else "")


def _print_differences(found: LookDifferences) -> None:
    console().print(f"Changed with look {found.look}, besides the results:", style="bold")
    print_changes(found.changed)
    if not found.changed:
        console().print(found.reason or "nothing that is stored about the runs", markup=False)


def _print_notice(watch: WatchSummary) -> None:
    if watch.notice:
        console().print(f"{watch.name}: {watch.notice}", style="yellow", markup=False)


def _interval(watch: WatchSummary) -> str:
    seconds = watch.every_seconds
    return "after each new build" if seconds is None else f"every {format_duration_ns(seconds * 1e9)}"


def _baseline(watch: WatchSummary) -> str:
    if watch.baseline_run_id:
        return f"run {watch.baseline_run_id}"
    return f"tag {watch.baseline_tag}" if watch.baseline_tag else "its last 60 runs"


def _state(watch: WatchSummary) -> str:
    if watch.paused:
        return "paused"
    return watch.last_look.state if watch.last_look is not None else "waiting for its first look"
