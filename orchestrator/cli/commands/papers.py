"""Repeat published benchmarks on your own devices, and judge their claims."""

import tempfile
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from pydantic import RootModel
from rich.text import Text

from orchestrator.cli.client import APIClient, Shape, shaped
from orchestrator.cli.commands.submit import print_preview
from orchestrator.cli.connection import connect
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.names import RunArgument, find_run
from orchestrator.cli.output import JSONOption, console, notes, print_json, print_pairs, print_rows, print_table
from orchestrator.cli.running.submission import changed_request, post_plan
from orchestrator.cli.tables.comparison import print_comparison
from orchestrator.cli.tables.verdicts import print_side_by_side, print_verdicts, verdict_text
from orchestrator.cli.watching import watch
from orchestrator.papers.names import ReportForm
from orchestrator.papers.reporting.schemas import SideBySide
from orchestrator.papers.schemas import AgentVerdicts, ClaimVerdict, PaperDetail, PaperSummary, PaperVerdicts
from orchestrator.runs.schemas import PlanPreview, RunDetail, RunRequest
from orchestrator.shared.errors import BundleDamaged
from orchestrator.shared.files.complete import complete, writing
from orchestrator.shared.tables import Column, number
from orchestrator.shared.values.text import counted, some, visible_document

if TYPE_CHECKING:
    from orchestrator.papers.bundle.opening import OpenedBundle
    from orchestrator.papers.bundle.repeating import Repetition

app = typer.Typer(no_args_is_help=True)

_SHOWN_TIMES = 5
"""Impossible times that `verify` prints; --json has all."""
_REPORT_FORMS: tuple[str, ...] = get_args(ReportForm)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The paper's name, as in 'papers list'.")]
ScaleOption = Annotated[
    str, typer.Option(help="full repeats the paper; quick decides the coarse claims within minutes.")
]
AgentsOption = Annotated[
    list[str] | None, typer.Option("--agent", help="Agent id, name or glob in place of the plan's; can be repeated.")
]

PlanOption = Annotated[
    str | None, typer.Option(help="Further plan in place of the paper's own, as in 'papers show'.", metavar="PLAN")
]
BundleArgument = Annotated[Path, typer.Argument(metavar="BUNDLE", help="Archive that 'papers export' wrote.")]
SignersOption = Annotated[
    Path | None, typer.Option(help="File of allowed signers (ssh-keygen): refuse any other signature, or none.")
]
RowsOption = Annotated[int, typer.Option(min=1, max=5000, help="Maximum cases of each comparison.")]


@app.command("list")
def list_papers(ctx: typer.Context, as_json: JSONOption = False) -> None:
    """List the papers."""
    with connect(ctx) as client:
        document = client.get("/papers")
    if as_json:
        print_json(document)
        return
    columns = (Column("paper", keeps_width=True, value="name"), number("claims"), number("figures"), Column("title"))
    print_rows(columns, shaped(RootModel[list[PaperSummary]], document).root)


@app.command()
def show(ctx: typer.Context, name: NameArgument, as_json: JSONOption = False) -> None:
    """Show a paper: claims and how they are tested, and what its re-measurement showed."""
    with connect(ctx) as client:
        document = client.get(f"/papers/{name}")
    if as_json:
        print_json(document)
        return
    paper = shaped(PaperDetail, document)
    year = f", {paper.year}" if paper.year else ""
    print_pairs([("paper", paper.title), ("by", f"{paper.authors}{year}"), ("measures", paper.summary)])
    print_rows((Column("claim", value="text"), Column("tested")), paper.claim_details)
    for finding in paper.findings:
        console().print(f"- {finding}", markup=False)
    if paper.further_plans:
        columns = (Column("further plan (--plan)", keeps_width=True, value="name"), Column("answers"))
        print_rows(columns, paper.further_plans)


@app.command()
def preview(
    ctx: typer.Context,
    name: NameArgument,
    *,
    scale: ScaleOption = "full",
    plan: PlanOption = None,
    agents: AgentsOption = None,
    as_json: JSONOption = False,
) -> None:
    """Print what the plan of a paper would do; store nothing."""
    with connect(ctx) as client:
        request = _request(client, name, {"scale": scale, "plan": plan}, agents)
        document = post_plan(client, "/plans/preview", request)
    print_json(document) if as_json else print_preview(shaped(PlanPreview, document))


@app.command()
def run(
    ctx: typer.Context,
    name: NameArgument,
    *,
    scale: ScaleOption = "full",
    plan: PlanOption = None,
    agents: AgentsOption = None,
    watching: Annotated[bool, typer.Option("--watch/--no-watch", help="Watch the run and print its verdicts.")] = True,
    as_json: JSONOption = False,
) -> None:
    """Repeat a paper, and print the verdict on each of its claims. Exits with 10 if the run does not finish."""
    with connect(ctx) as client:
        request = _request(client, name, {"scale": scale, "plan": plan}, agents)
        document = post_plan(client, "/runs", request)
        submitted = shaped(RunDetail, document)
        if not watching:
            text = f"Run {submitted.id}: {counted(submitted.executions_total, 'execution')}"
            print_json(document) if as_json else console().print(text, markup=False)
            return
        ended = watch(client, submitted.id, notes())
        verdicts = client.get(f"/papers/{name}/verdicts", run=submitted.id)
    print_json(verdicts) if as_json else print_verdicts(shaped(PaperVerdicts, verdicts))
    if ended.state != "finished":
        raise typer.Exit(ExitCode.RUN_NOT_FINISHED)


@app.command()
def report(
    ctx: typer.Context,
    name: NameArgument,
    run_ids: Annotated[list[str], typer.Argument(metavar="RUN …", help="One to four ids of runs, or 'latest'.")],
    *,
    output: Annotated[
        list[Path] | None,
        typer.Option(help=f"File to write, in the form of its name ({', '.join(_REPORT_FORMS)}); may be repeated."),
    ] = None,
    as_json: JSONOption = False,
) -> None:
    """Show the verdicts of runs on the claims of a paper, or write the report to files; several runs side by side."""
    files = {file: file.suffix.removeprefix(".") for file in output or ()}
    for file, form in files.items():
        if form not in _REPORT_FORMS:
            raise typer.BadParameter(f"{file} must end with .{', .'.join(_REPORT_FORMS)}.", param_hint="--output")
    document = None
    with connect(ctx) as client:
        runs = [find_run(client, one) for one in run_ids]
        if as_json or not files:
            kind = "verdicts" if len(runs) == 1 else "side-by-side"
            document = client.get(f"/papers/{name}/{kind}", run=runs)
        for file, form in files.items():
            with complete(file) as new:
                client.download(new, f"/papers/{name}/report", run=runs, format=form)
            notes().print(f"Report: {file}", markup=False)
    if as_json:
        print_json(document)
    elif document is not None and len(runs) == 1:
        print_verdicts(shaped(PaperVerdicts, document))
    elif document is not None:
        print_side_by_side(shaped(SideBySide, document))


@app.command()
def export(
    ctx: typer.Context,
    name: NameArgument,
    run_id: RunArgument,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Archive to write.")],
    key: Annotated[
        Path | None, typer.Option("--sign", help="Private key of OpenSSH to sign with; needs ssh-keygen.")
    ] = None,
) -> None:
    """Export a run with the verdicts of a paper as one archive that others can verify."""
    with complete(output) as new:
        with connect(ctx) as client:
            client.download(new, f"/papers/{name}/bundle", run=find_run(client, run_id))
        if key is not None:
            from orchestrator.papers.bundle.signing import sign_bundle  # noqa: PLC0415 - needs the packages of the service

            sign_bundle(new, key)
    notes().print(f"Bundle: {output}", markup=False)


@app.command()
def verify(
    ctx: typer.Context,
    bundle: BundleArgument,
    *,
    against: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Compare with this run of the service: RUN, latest, 'RUN,agent=pi4'."),
    ] = None,
    part: Annotated[
        str, typer.Option(help="Part of the bundle that is compared: agent=NAME, 'toolchain=gcc -O3' …")
    ] = "",
    measure: Annotated[
        str | None, typer.Option(help="As of 'compare'; by default the first one of whole processes and of calls.")
    ] = None,
    rows: RowsOption = 30,
    signers: SignersOption = None,
    as_json: JSONOption = False,
) -> None:
    """Verify a bundle, compute its verdicts again, and compare it with a run.

    Exits with 11 if anything was changed or is impossible, and with 16 if no allowed signer vouches for it (--signers).
    """
    from orchestrator.papers.bundle.opening import opened  # noqa: PLC0415 - needs the packages of the service
    from orchestrator.papers.bundle.verifying import verified  # noqa: PLC0415 - as above

    with opened(bundle, signers) as theirs:
        found, repetition = _visible(verified(theirs)), None
        if against is not None:
            with connect(ctx) as client:
                run_id, _, selected = against.partition(",")
                run_id = find_run(client, run_id)
                options = {"part": part, "other_part": selected, "measure": measure, "rows": rows}
                repetition = _compared(client, theirs, run_id, **options)
    if as_json:
        further = {} if repetition is None else {"repetition": repetition.model_dump(mode="json")}
        print_json(found.model_dump(mode="json"), **further)
    else:
        console().print(found.proof, markup=False, soft_wrap=True)
        print_verdicts(found.verdicts)
        signature = found.signature
        signed = f"{signature.signer or 'an unknown signer'} with {signature.key}" if signature else "—"
        verdicts = "; ".join(found.differences) or f"computed again from the readings; {found.agreement}"
        pairs = [("made by", f"Ciphermark {found.description.ciphermark}"), ("signed by", signed)]
        times = some(found.impossible, _SHOWN_TIMES, "; ") or "all possible"
        print_pairs([*pairs, ("verdicts", verdicts), ("times", times)])
        if repetition is not None:
            print_repetition(found.verdicts, repetition)
    if found.differences or found.impossible:
        raise typer.Exit(ExitCode.DAMAGED)
    if not (found.signature and found.signature.signer):
        raise typer.Exit(ExitCode.UNVOUCHED)


@app.command()
def site(
    bundles: Annotated[list[Path], typer.Argument(metavar="BUNDLE …", help="Archives that 'papers export' wrote.")],
    *,
    into: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for index.html and a report of each bundle.")],
    signers: SignersOption = None,
) -> None:
    """Write a static site of bundles, without a service: an index, and the report that the readings of each give.

    Nothing is written, and the exit code is 11, if a bundle was changed or is impossible.
    """
    from orchestrator.papers.bundle.opening import opened  # noqa: PLC0415 - needs the packages of the service
    from orchestrator.papers.bundle.verifying import verified  # noqa: PLC0415 - as above
    from orchestrator.web.papers.reports.site import bundle_page, index_page  # noqa: PLC0415 - as above

    pages = {}
    for bundle in bundles:
        try:
            with opened(bundle, signers) as theirs:
                found = verified(theirs)
                if found.differences or found.impossible:
                    raise BundleDamaged(f"{(*found.differences, *found.impossible)[0]}.")
                page = bundle_page(theirs, found.proof)
        except BundleDamaged as error:
            raise BundleDamaged(
                f"{bundle} cannot be published: {error.detail}",
                remedy=f"See all of it with 'ciphermark papers verify {bundle}'.",
            ) from error
        if page.file_name in pages:
            raise typer.BadParameter(f"{bundle} is of the run of another bundle; name each run once.")
        pages[page.file_name] = page
    with writing(into):
        into.mkdir(parents=True, exist_ok=True)
    texts = {name: page.text for name, page in pages.items()} | {"index.html": index_page(list(pages.values()))}
    for name, text in texts.items():
        with complete(into / name) as new:
            new.write_text(text, encoding="utf-8")
    notes().print(f"Site: {into / 'index.html'}, {len(pages)} report{'s' if len(pages) > 1 else ''}", markup=False)


@app.command()
def repeat(
    ctx: typer.Context,
    bundle: BundleArgument,
    *,
    agents: AgentsOption = None,
    preview: Annotated[bool, typer.Option("--preview", help="Print what the plan would do; store nothing.")] = False,
    watching: Annotated[
        bool, typer.Option("--watch/--no-watch", help="Watch the run, then compare it with the bundle.")
    ] = True,
    rows: RowsOption = 30,
    signers: SignersOption = None,
    as_json: JSONOption = False,
) -> None:
    """Repeat the run of a bundle on your own agents, with its plan and seed, and compare the two.

    Exits with 10 if the run does not finish.
    """
    from orchestrator.papers.bundle.opening import opened  # noqa: PLC0415 - needs the packages of the service
    from orchestrator.papers.bundle.repeating import plan_of  # noqa: PLC0415 - as above
    from orchestrator.papers.bundle.verifying import verdicts_of  # noqa: PLC0415 - as above

    with opened(bundle, signers) as theirs, connect(ctx) as client:
        request = changed_request(RunRequest(plan=plan_of(theirs)), agents)
        if preview:
            planned = post_plan(client, "/plans/preview", request)
            print_json(planned) if as_json else print_preview(shaped(PlanPreview, planned))
            return
        document = post_plan(client, "/runs", request)
        submitted = shaped(RunDetail, document)
        later = f"ciphermark papers verify {bundle} --against {submitted.id}"
        if not watching:
            text = f"Run {submitted.id}: {counted(submitted.executions_total, 'execution')}. Compare it: {later}"
            print_json(document) if as_json else console().print(text, markup=False, soft_wrap=True)
            return
        ended = watch(client, submitted.id, notes())
        if ended.state != "finished":
            notes().print(f"The run is {ended.state}. Compare what it has: {later}", markup=False, soft_wrap=True)
            raise typer.Exit(ExitCode.RUN_NOT_FINISHED)
        found = _compared(client, theirs, submitted.id, rows=rows)
        verdicts = _visible(verdicts_of(theirs))
    print_json(found.model_dump(mode="json")) if as_json else print_repetition(verdicts, found)


def _visible(found: Shape) -> Shape:
    """Return what a bundle contains with its texts made visible: another service wrote them."""
    return shaped(type(found), visible_document(found.model_dump(mode="json")))


def _compared(client: APIClient, bundle: "OpenedBundle", run_id: str, **options: Any) -> "Repetition":
    """Return the comparison of a run of the service with a bundle; the service makes a bundle of the run, too."""
    from orchestrator.papers.bundle.opening import opened  # noqa: PLC0415 - needs the packages of the service
    from orchestrator.papers.bundle.repeating import compare_with  # noqa: PLC0415 - as above

    with tempfile.TemporaryDirectory(prefix="ciphermark-bundle-") as folder:
        own = Path(folder) / "own.zip"
        client.download(own, f"/papers/{bundle.description.paper}/bundle", run=run_id)
        with opened(own) as ours:
            return _visible(compare_with(bundle, ours, **options))


def _request(client: APIClient, name: str, chosen: dict[str, str | None], agents: list[str] | None) -> RunRequest:
    paper = shaped(PaperDetail, client.get(f"/papers/{name}", **chosen))
    return changed_request(RunRequest(plan_text=paper.plan_text), agents)


def print_repetition(verdicts: PaperVerdicts, repetition: "Repetition") -> None:
    """Print the verdicts of a bundle next to those of the other run, and the comparison of their cases."""
    out, other = console(), repetition.verdicts
    out.print(Text(f"Run {other.run_id} next to run {verdicts.run_id} of the bundle", style="bold"))
    if other.run_state != "finished":
        out.print(f"Run {other.run_id} is {other.run_state}: what it has so far is compared.", style="yellow")
    for agent in (*verdicts.agents, *other.agents):
        if agent.wrong or agent.disputed:
            text = f"{agent.agent_name}: {agent.wrong} wrong and {agent.disputed} disputed executions; "
            out.print(f"{text}their implementations are not compared.", style="yellow", markup=False)
    for own, others in zip_longest(verdicts.agents, other.agents):
        _print_claims(own, others)
    for comparison in repetition.comparisons:
        print_comparison(comparison)


def _print_claims(own: AgentVerdicts | None, other: AgentVerdicts | None) -> None:
    sides = (own, other)
    claims = [{one.claim: one for one in side.claims} if side else {} for side in sides]
    rows = [
        (one.text, *(_verdict(found.get(claim)) for found in claims)) for claim, one in (claims[0] or claims[1]).items()
    ]
    titles = [f"{where}: {side.agent_name}" if side else where for where, side in zip(_PLACES, sides, strict=True)]
    print_table((Column("claim"), *(Column(title) for title in titles)), rows)


_PLACES = ("bundle", "other run")


def _verdict(claim: ClaimVerdict | None) -> Text | None:
    return verdict_text(claim.verdict) if claim else None
