"""Execute a plan and compare it with former runs, for continuous integration."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter, ValidationError

from orchestrator.cli.client import APIClient, shaped
from orchestrator.cli.connection import connect
from orchestrator.cli.continuous import annotations
from orchestrator.cli.continuous.annotations import detection_limit, markdown
from orchestrator.cli.continuous.junit import junit
from orchestrator.cli.continuous.local import Builds, local_run
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.names import find_run
from orchestrator.cli.output import JSONOption, console, notes, print_json, print_rows
from orchestrator.cli.running.execution import Check, MeasuredRun, PlanExecution
from orchestrator.cli.running.submission import post_plan, read_plan_text
from orchestrator.cli.settings import service_settings
from orchestrator.cli.tables.comparison import change_columns, print_changes
from orchestrator.results.measures import MEASURES
from orchestrator.runs.schemas import PlanPreview, RunDetail, RunRequest, Tag
from orchestrator.shared.errors import Conflict, InvalidRequest, NotFound
from orchestrator.shared.files.named import require_writable, write_file
from orchestrator.shared.tables import Column
from orchestrator.statistics.comparisons.between_runs import MIN_FORMER, WINDOW
from orchestrator.watches.schemas import Regressions

app = typer.Typer()

_FORMER_RUNS = 10
_SHOWN_CASES = 20
_COMPARISON_SECONDS = 300.0
"""Timeout of the comparison, for which the service reads up to 68 runs."""


@app.command()
def ci(
    ctx: typer.Context,
    plan: Annotated[Path, typer.Argument(help="YAML or JSON document.")],
    *,
    baseline: Annotated[
        str, typer.Option(help="Tag of former runs, RUN or latest: main. With --local, a folder: the former build.")
    ],
    local: Annotated[
        bool, typer.Option("--local", help="Compare two builds on this machine, without a service.")
    ] = False,
    build: Annotated[
        Path | None,
        typer.Option(
            help="With --local, the new build: programs, sources of the runners, or a checkout [this installation's]."
        ),
    ] = None,
    former_runs: Annotated[
        int | None, typer.Option(min=MIN_FORMER, max=WINDOW, help="With --local, runs of the former build [10].")
    ] = None,
    measure: Annotated[str | None, typer.Option(help="encrypt, call, …; by default the run's first one.")] = None,
    tag: Annotated[
        str | None, typer.Option(help="Tag for the run if nothing became worse: the baseline's, on the main branch.")
    ] = None,
    junit_file: Annotated[Path | None, typer.Option("--junit", help="File for JUnit XML.")] = None,
    summary_file: Annotated[Path | None, typer.Option("--summary", help="File for a summary in Markdown.")] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Print annotations of the plan's file as GitHub's workflow commands.")
    ] = False,
    code_quality_file: Annotated[
        Path | None, typer.Option("--code-quality", help="File for GitLab's code quality report.")
    ] = None,
    min_detectable: Annotated[
        str, typer.Option(help="Undecided if only changes beyond this would be found in half of the cases: 5%.")
    ] = "100%",
    allow_undecided: Annotated[
        bool, typer.Option("--allow-undecided", help="Exit with 0 if too little is known, or cases are left out.")
    ] = False,
    as_json: JSONOption = False,
) -> None:
    """Execute a plan, compare it with former runs, measure suspected cases again. 14: a case became worse or fails."""
    request = RunRequest(plan_text=read_plan_text(plan))
    limit = _share(min_detectable)
    _require_tag(tag)
    if not local and (build is not None or former_runs is not None):
        raise typer.BadParameter("--build and --former-runs need --local: a service measures what its agents have.")
    for file in filter(None, (junit_file, summary_file, code_quality_file)):
        require_writable(file)
    begins = tag == baseline

    def check(execution: PlanExecution, one: RunRequest) -> None:
        found = shaped(PlanPreview, post_plan(execution.client, "/plans/preview", one))
        MEASURES.require_compared(measure, found.phases, {one.protocol for one in found.plan.matrix})

    made = (
        local_run(service_settings(), Builds(Path(baseline), build), request, former_runs or _FORMER_RUNS, check)
        if local
        else _run_of_service(ctx, request, baseline, check, begins=begins)
    )
    with made as measured:
        client, run = measured.execution.client, measured.run
        document, compared = _compare(measured.execution, run.id, measured.baseline, measure, begins=begins)
        found = _within_limit(compared, limit)
        worse = bool(found.lost) or any(change.worse for change in found.changes)
        if tag is not None and not worse:
            client.patch(f"/runs/{run.id}", {"tags": sorted({*run.tags, tag})})
        url = None if local else f"{client.access.url}/runs/{run.id}"
    print_json(document, state=found.state, sentence=found.sentence) if as_json else _print(found)
    if junit_file is not None:
        write_file(junit_file, junit(found, run.name).encode())
    if summary_file is not None:
        write_file(summary_file, markdown(found, run.name, url).encode())
    if code_quality_file is not None:
        write_file(code_quality_file, annotations.code_quality(found, run.name, str(plan)).encode())
    for command in annotations.github(found, str(plan)) if github else ():
        notes().print(command, markup=False, highlight=False, soft_wrap=True)
    if worse:
        raise typer.Exit(ExitCode.REGRESSION)
    if (found.state == "undecided" or found.left_out) and not allow_undecided:
        raise typer.Exit(ExitCode.UNDECIDED)


@contextmanager
def _run_of_service(
    ctx: typer.Context, request: RunRequest, baseline: str, check: Check, *, begins: bool
) -> Iterator[MeasuredRun]:
    """Execute the plan by a service, and keep the connection until the end of the block."""
    with connect(ctx) as client:
        execution = PlanExecution(client)
        baseline = baseline if begins else _find_baseline(client, baseline)
        check(execution, request)
        yield MeasuredRun(execution, execution.execute(request), baseline)


def _share(text: str) -> float:
    """Return the share that a text such as ``5%`` means; raises InvalidRequest."""
    number = text.strip().removesuffix("%").strip()
    try:
        share = float(number) / 100
    except ValueError:
        share = 0.0
    if not 0 < share < inf:
        raise InvalidRequest(
            f"{text!r} is no share.", remedy="Write a percentage above 0: --min-detectable 5%.", field="min-detectable"
        )
    return share


def _within_limit(found: Regressions, limit: float) -> Regressions:
    """Return a comparison as undecided where a change of the limit would not be found, and none was."""
    if found.state != "decided" or found.changes or (found.detectable_change or 0) <= limit:
        return found
    sentence = (
        f"Undecided: only a change of {found.detectable_change:.1%} or more would be found in half of the cases, more "
        f"than the limit of {limit:.1%}. {found.sentence}"
    )
    return found.model_copy(update={"state": "undecided", "sentence": sentence})


def _require_tag(tag: str | None) -> None:
    """Raise InvalidRequest for a tag that a run cannot have, before anything is measured."""
    try:
        TypeAdapter(Tag | None).validate_python(tag)
    except ValidationError as error:
        raise InvalidRequest(
            f"{tag!r} cannot be a tag.",
            remedy="A tag has at most 32 letters, digits, '.', '_' and '-', and begins with a letter or digit.",
            field="tag",
        ) from error


def _find_baseline(client: APIClient, baseline: str) -> str:
    """Return the tag or the id of the run; raises InvalidRequest, NotFound, and Conflict for a run not finished."""
    if any(client.items("/runs", 1, tag=baseline, state="finished")):
        return baseline
    run_id = find_run(client, baseline)
    try:
        run = shaped(RunDetail, client.get(f"/runs/{run_id}"))
    except (NotFound, InvalidRequest) as error:
        raise InvalidRequest(
            f"{error.detail} No finished run has this tag either: there is nothing to compare with.",
            remedy=f"Begin the baseline with the runs of the main branch: --baseline {baseline} --tag {baseline} "
            "--allow-undecided.",
            field="baseline",
        ) from error
    if run.state != "finished":
        raise Conflict(
            f"The baseline, run {run.id}, is {run.state}.",
            remedy="Choose a finished run: ciphermark runs list --state finished.",
            field="baseline",
        )
    return run.id


def _compare(
    execution: PlanExecution, run_id: str, baseline: str, measure: str | None, *, begins: bool
) -> tuple[object, Regressions]:
    """Return the comparison with the baseline, as JSON as well, after the confirmations that it needs."""
    confirmations: list[str] = []
    while True:
        document = execution.client.get_within(
            _COMPARISON_SECONDS,
            "/regressions",
            run=run_id,
            baseline=baseline,
            measure=measure,
            confirmation=confirmations or None,
            may_be_empty=begins or None,
        )
        found = shaped(Regressions, document)
        if found.state != "confirm":
            return document, found
        notes().print(found.sentence, markup=False)
        confirmations.append(execution.execute(RunRequest(plan=found.confirmation_plan)).id)


def _print(found: Regressions) -> None:
    if found.changes:
        print_rows(change_columns(found.measure), found.changes)
        print_changes(found.differences)
    console().print(found.sentence, markup=False)
    left_out = [*found.lost, *found.left_out]
    if left_out:
        print_rows([Column("not compared", value="case_words"), Column("why", value="reason")], left_out[:_SHOWN_CASES])
    if len(left_out) > _SHOWN_CASES:
        console().print(f"… and {len(left_out) - _SHOWN_CASES} more; --json and --junit list all.", markup=False)
    if limit := detection_limit(found):
        console().print(limit, style="dim", markup=False)
