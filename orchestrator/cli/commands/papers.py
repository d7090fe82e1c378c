"""Repeat published benchmarks on your own devices, and judge their claims."""

import uuid
from pathlib import Path
from typing import Annotated, Any

import typer

from orchestrator.cli.client import APIClient
from orchestrator.cli.commands.submit import print_preview
from orchestrator.cli.connection import connect
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.names import RunArgument, find_run
from orchestrator.cli.output import Column, JSONOption, console, notes, number, print_json, print_pairs, print_table
from orchestrator.cli.tables.verdicts import print_verdicts
from orchestrator.cli.watching import watch
from orchestrator.errors import InvalidRequest
from orchestrator.runs.planning.plan import parse_text

app = typer.Typer(no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The paper's name, as in 'papers list'.")]
ScaleOption = Annotated[
    str, typer.Option(help="full repeats the paper; quick decides the coarse claims within minutes.")
]
AgentsOption = Annotated[
    list[str] | None, typer.Option("--agent", help="Agent id, name or glob in place of the plan's; can be repeated.")
]


@app.command("list")
def list_papers(ctx: typer.Context, as_json: JSONOption = False) -> None:
    """List the papers."""
    with connect(ctx) as client:
        found = client.get("/papers")
    if as_json:
        print_json(found)
        return
    columns = (Column("paper", keeps_width=True), number("claims"), number("figures"), Column("title"))
    print_table(columns, [(one["name"], one["claims"], one["figures"], one["title"]) for one in found])


@app.command()
def show(ctx: typer.Context, name: NameArgument, as_json: JSONOption = False) -> None:
    """Show a paper: claims and how they are tested, and what its re-measurement showed."""
    with connect(ctx) as client:
        paper = client.get(f"/papers/{name}")
    if as_json:
        print_json(paper)
        return
    year = f", {paper['year']}" if paper["year"] else ""
    print_pairs([("paper", paper["title"]), ("by", f"{paper['authors']}{year}"), ("measures", paper["summary"])])
    columns = (Column("claim"), Column("tested"))
    print_table(columns, [(one["text"], one["tested"]) for one in paper["claim_details"]])
    for finding in paper["findings"]:
        console().print(f"- {finding}", markup=False)
    if paper["further_plans"]:
        rows = [(f"plans/{one['name']}.yaml", one["answers"]) for one in paper["further_plans"]]
        print_table((Column("further plan", keeps_width=True), Column("answers")), rows)


@app.command()
def preview(
    ctx: typer.Context,
    name: NameArgument,
    *,
    scale: ScaleOption = "full",
    agents: AgentsOption = None,
    as_json: JSONOption = False,
) -> None:
    """Print what the plan of a paper would do; store nothing."""
    with connect(ctx) as client:
        document = client.post("/plans/preview", _submission(client, name, scale, agents))
    print_json(document) if as_json else print_preview(document)


@app.command()
def run(
    ctx: typer.Context,
    name: NameArgument,
    *,
    scale: ScaleOption = "full",
    agents: AgentsOption = None,
    watching: Annotated[bool, typer.Option("--watch/--no-watch", help="Watch the run and print its verdicts.")] = True,
    as_json: JSONOption = False,
) -> None:
    """Repeat a paper, and print the verdict on each of its claims. Exits with 10 if the run does not finish."""
    with connect(ctx) as client:
        body = _submission(client, name, scale, agents)
        # A request repeated after a lost response must not create a second run.
        submitted = client.post("/runs", body, headers={"Idempotency-Key": uuid.uuid4().hex})
        if not watching:
            text = f"Run {submitted['id']}: {submitted['executions_total']} executions"
            print_json(submitted) if as_json else console().print(text, markup=False)
            return
        ended = watch(client, submitted["id"], notes())
        verdicts = client.get(f"/papers/{name}/verdicts", run=submitted["id"])
    print_json(verdicts) if as_json else print_verdicts(verdicts)
    if ended["state"] != "finished":
        raise typer.Exit(ExitCode.RUN_NOT_FINISHED)


@app.command()
def report(
    ctx: typer.Context,
    name: NameArgument,
    run_id: RunArgument,
    *,
    output: Annotated[Path | None, typer.Option(help="Markdown file to write, with all figures.")] = None,
    html: Annotated[Path | None, typer.Option(help="HTML file to write: the whole report with its charts.")] = None,
    pdf: Annotated[Path | None, typer.Option(help="PDF file to write; the service needs the extra 'pdf'.")] = None,
    latex: Annotated[Path | None, typer.Option(help="LaTeX source to write.")] = None,
    csv: Annotated[Path | None, typer.Option(help="CSV file to write: verdicts and figures.")] = None,
    as_json: JSONOption = False,
) -> None:
    """Show the verdicts of a run on the claims of a paper, or write its report to files."""
    files = {form: path for form, path in (("md", output), ("html", html), ("pdf", pdf), ("tex", latex), ("csv", csv))
             if path}  # fmt: skip
    with connect(ctx) as client:
        run_id = find_run(client, run_id)
        verdicts = client.get(f"/papers/{name}/verdicts", run=run_id) if as_json or not files else None
        for form, path in files.items():
            _download(client, path, name, run_id, form)
    if as_json:
        print_json(verdicts)
    elif verdicts is not None:
        print_verdicts(verdicts)


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
    # Written completely or not at all: an interrupted export must not look complete.
    new = output.with_name(f".{output.name}.new")
    try:
        with connect(ctx) as client:
            run_id = find_run(client, run_id)
            with new.open("wb") as file, client.stream(f"/papers/{name}/bundle", run=run_id) as response:
                for block in response.iter_bytes():
                    file.write(block)
        if key is not None:
            from orchestrator.papers.bundle.signing import sign_bundle  # noqa: PLC0415 - needs the packages of the service

            sign_bundle(new, key)
        new.replace(output)
    except OSError as error:
        raise InvalidRequest(f"{output} cannot be written: {error.strerror}.", field="output") from error
    finally:
        new.unlink(missing_ok=True)
    notes().print(f"Bundle: {output}", markup=False)


@app.command()
def verify(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Archive that 'papers export' wrote.")],
    *,
    signers: Annotated[
        Path | None, typer.Option(help="File of allowed signers (ssh-keygen): refuse any other signature, or none.")
    ] = None,
    as_json: JSONOption = False,
) -> None:
    """Verify a bundle, and compute its verdicts again from its readings. Exits with 11 if anything differs."""
    from orchestrator.papers.bundle.verifying import verify_bundle  # noqa: PLC0415 - needs the packages of the service

    found = verify_bundle(bundle, signers)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        print_verdicts(found.verdicts.model_dump(mode="json"))
        signature = found.signature
        signed = f"{signature.signer or 'an unknown signer'} with {signature.key}" if signature else "—"
        verdicts = "; ".join(found.differences) or "computed again from the readings, all equal"
        pairs = [("made by", f"Ciphermark {found.description.ciphermark}"), ("signed by", signed)]
        print_pairs([*pairs, ("verdicts", verdicts)])
    if found.differences:
        raise typer.Exit(ExitCode.DAMAGED)


def _submission(client: APIClient, name: str, scale: str, agents: list[str] | None) -> dict[str, Any]:
    text = client.get(f"/papers/{name}", scale=scale)["plan_text"]
    return {"plan": parse_text(text) | {"agents": agents}} if agents else {"plan_text": text}


def _download(client: APIClient, path: Path, name: str, run_id: str, form: str) -> None:
    """Write a file completely or not at all: an interrupted report must not look complete."""
    with client.stream(f"/papers/{name}/report", run=run_id, format=form) as response:
        data = b"".join(response.iter_bytes())
    new = path.with_name(f".{path.name}.new")
    try:
        new.write_bytes(data)
        new.replace(path)
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be written: {error.strerror}.", field="output") from error
    finally:
        new.unlink(missing_ok=True)
    notes().print(f"Report: {path}", markup=False)
