"""Submit a plan, or preview it."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.client import APIClient, shaped
from orchestrator.cli.connection import connect
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.moments import show_age
from orchestrator.cli.output import JSONOption, console, notes, print_json, print_pairs, print_rows, print_table
from orchestrator.cli.running.submission import changed_request, post_plan, read_plan_text
from orchestrator.cli.tables.answer import print_answer
from orchestrator.cli.watching import watch
from orchestrator.results.schemas import RunAnswer
from orchestrator.runs.chunks.schemas import ChunkEstimate
from orchestrator.runs.schemas import (
    AgentEstimate,
    AgentMatchSummary,
    BuildEstimate,
    ExpectationSummary,
    MissingChunkSummary,
    PlanPreview,
    RunDetail,
    RunRequest,
)
from orchestrator.shared.tables import Column, number
from orchestrator.shared.units import (
    format_bytes_approximately,
    format_duration_ns,
    format_half_width,
    format_share,
    format_size,
)
from orchestrator.shared.values.text import counted

app = typer.Typer()

_SHOWN_OMISSIONS = 20
_RUN_ID = re.compile(r"[a-z0-9]{12}")


@app.command()
def submit(
    ctx: typer.Context,
    plan: Annotated[Path, typer.Argument(help="YAML or JSON document, or the id of a run, whose plan is repeated.")],
    *,
    preview: Annotated[bool, typer.Option("--preview", help="Print what the plan would do; store nothing.")] = False,
    watching: Annotated[bool, typer.Option("--watch", help="Watch the run to its end and print its answer.")] = False,
    register: Annotated[
        bool,
        typer.Option("--register", help="Register the repetitions; the answer states whether all were made."),
    ] = False,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", help="Agent id, name or glob in place of the plan's; can be repeated."),
    ] = None,
    variants: Annotated[
        list[str] | None,
        typer.Option("--variant", help="Variant or glob in place of the plan's: '*' for all; can be repeated."),
    ] = None,
    as_json: JSONOption = False,
) -> None:
    """Submit a plan, or preview it."""
    is_run = not plan.exists() and _RUN_ID.fullmatch(str(plan)) is not None
    request = None if is_run else RunRequest(plan_text=read_plan_text(plan))
    with connect(ctx) as client:
        request = request or RunRequest(plan=shaped(RunDetail, client.get(f"/runs/{plan}")).plan)
        request = changed_request(request, agents, variants)
        if preview:
            document = post_plan(client, "/plans/preview", request)
            print_json(document) if as_json else print_preview(shaped(PlanPreview, document))
            return
        run = post_plan(client, "/runs", request.model_copy(update={"registered": register}))
        if not watching:
            print_json(run) if as_json else _print_submitted(shaped(RunDetail, run))
            return
        finish_watching(client, shaped(RunDetail, run).id, as_json)


def finish_watching(client: APIClient, run_id: str, as_json: bool) -> None:
    """Watch a run to its end and print its answer; exit with 10 if it did not finish."""
    run = watch(client, run_id, notes())
    answer = client.get(f"/runs/{run_id}/answer")
    if as_json:
        print_json({"run": client.get(f"/runs/{run_id}"), "answer": answer})
    else:
        print_answer(shaped(RunAnswer, answer), details=False)
        console().print(f"Page: {client.access.url}/runs/{run_id}", soft_wrap=True)
    if run.state != "finished":
        notes().print(f"The run is {run.state}: {run.reason or 'no reason given'}", markup=False)
        raise typer.Exit(ExitCode.RUN_NOT_FINISHED)


def _print_submitted(run: RunDetail) -> None:
    console().print(f"Run {run.id} ({run.name}): {counted(run.executions_total, 'execution')}", markup=False)
    console().print(f"Watch it: ciphermark runs watch {run.id}", markup=False)


def print_preview(preview: PlanPreview) -> None:
    """Print the preview of a plan."""
    builds = [(agent.agent_name, build) for agent in preview.agents for build in agent.builds]
    print_pairs(
        [
            ("plan", preview.name),
            ("cases", preview.cases),
            ("executions", _executions(preview.executions_total, preview.expected_executions)),
            ("estimated duration", _duration(preview.estimated_seconds)),
            ("chunks first", _chunks(preview.chunk_estimate)),
            ("builds first", _duration(preview.estimated_build_seconds) if builds else "none"),
            ("input", f"{format_bytes_approximately(preview.input_bytes)} of chunks"),
            ("stored", f"about {format_bytes_approximately(preview.estimated_stored_bytes)}"),
        ]
    )
    columns = (
        Column("agent", value="agent_name"),
        number("cases"),
        number("executions", "expected_executions"),
        number("duration", lambda agent: _duration(agent.estimated_seconds)),
        Column("estimated from", value="basis"),
    )
    print_rows(columns, preview.agents)
    _print_other_agents(preview.agent_matches)
    for agent in preview.agents:
        for library, versions in agent.library_versions.items():
            text = f"{agent.agent_name} executes {library} in the versions {', '.join(versions)}."
            console().print(text, markup=False)
    for agent in preview.agents:
        if agent.health in ("degraded", "quarantined"):
            waits = "; its executions wait until the quarantine ends" if agent.health == "quarantined" else ""
            age = show_age(agent.health_checked_at, datetime.now(UTC))
            checked = f" in the check {age}" if age else ""
            text = f"{agent.agent_name} was {agent.health}{checked}: {agent.health_reason}{waits}"
            console().print(text, style="yellow", markup=False)
    print_expectations(preview)
    if builds:
        _print_builds(builds)
    if preview.omissions:
        console().print(f"Omitted: {counted(preview.omissions_total, 'combination')}", style="bold")
        omitted = (
            Column("agent", value="agent_name"), Column("provider"), Column("algorithm"), Column("why", value="reason"),
        )  # fmt: skip
        print_rows(omitted, preview.omissions[:_SHOWN_OMISSIONS])
    if preview.chunk_estimate:
        _print_chunks(preview.chunk_estimate, preview.missing_chunks)


def _print_other_agents(matches: Sequence[AgentMatchSummary]) -> None:
    """Print the agents that do not match the plan, with the reasons."""
    others = [(match.agent_name, " and ".join(match.reasons)) for match in matches if not match.matches]
    if others:
        console().print("Other agents:", style="bold")
        print_table((Column("agent"), Column("why it does not match")), others)


def _chunks(making: ChunkEstimate | None) -> str:
    if making is None:
        return "none"
    size = f"{making.chunks}, {format_bytes_approximately(making.total_bytes)}"
    return f"{size}, cannot be made" if making.obstacle else f"{size}, {_duration(making.estimated_seconds)}"


def _print_chunks(making: ChunkEstimate, missing: Sequence[MissingChunkSummary]) -> None:
    """Print the chunks that the corpus lacks by kind, and why they cannot be made, if they cannot."""
    sizes: dict[str, list[str]] = {}
    for chunk in missing:
        sizes.setdefault(chunk.kind, []).append(format_size(chunk.length_bytes))
    title = "Chunks that the corpus lacks:" if making.obstacle else "Chunks made before the first execution, once:"
    console().print(title, style="bold")
    print_table((Column("kind"), Column("lengths")), [(kind, ", ".join(lengths)) for kind, lengths in sizes.items()])
    if making.obstacle:
        console().print(f"The plan cannot be submitted: {making.obstacle}", style="red", markup=False)
        console().print(making.remedy, markup=False, soft_wrap=True)
    else:
        console().print(f"Duration: {making.basis}", markup=False)


def _executions(laid_out: int, expected: int) -> str:
    """Return the number of executions, initial and expected."""
    return (
        str(laid_out)
        if laid_out == expected
        else f"{laid_out} initially, about {expected} until the precision is reached"
    )


def _print_builds(builds: Sequence[tuple[str, BuildEstimate]]) -> None:
    console().print("Builds made before the first execution, once:", style="bold")
    columns = (Column("agent"), Column("toolchain"), number("duration"), Column("estimated from"))
    print_table(
        columns,
        [(agent, one.toolchain_words, _duration(one.estimated_seconds), one.basis) for agent, one in builds],
    )
    for agent, one in builds:
        if one.obstacle:
            console().print(f"{agent}, {one.toolchain_words}: {one.obstacle}", style="yellow", markup=False)
        if one.earlier_failure:
            last = one.earlier_failure.strip().splitlines()[-1]
            console().print(f"{one.toolchain_words} failed on {agent} in the last build: {last}", markup=False)


def _duration(seconds: float) -> str:
    return format_duration_ns(seconds * 1e9)


def print_expectations(preview: PlanPreview) -> None:
    """Print the expected precision of a plan, and the effect of more repetitions."""
    known = [agent for agent in preview.agents if agent.expectation.single_execution_spread is not None]
    if known:
        differences = [format_share(one.difference) for one in known[0].expectation.repetitions_for_difference]
        console().print("Expected precision, from the agents' noise floors:", style="bold")
        columns = (
            Column("agent", value="agent_name"),
            number("repetitions", lambda agent: agent.expectation.expected_repetitions),
            number("median", lambda agent: _shown(agent.expectation.expected_relative_interval, format_half_width)),
            number("finds", lambda agent: _shown(agent.expectation.detectable_difference, format_share)),
            *(
                number(f"for {difference}", partial(_repetitions, place))
                for place, difference in enumerate(differences)
            ),
        )
        print_rows(columns, known)
        text = (
            "median: half of its 95 % interval; finds, for: differences found in 9 of 10 comparisons, and repetitions."
        )
        console().print(text, style="dim")
    for agent in preview.agents:
        if agent.expectation.reason:
            console().print(f"{agent.agent_name}: {agent.expectation.reason}", markup=False)
        if agent.expectation.cases_at_budget and preview.plan.precision is not None:
            seconds = preview.plan.precision.seconds_per_case
            console().print(_at_budget(agent.agent_name, agent.expectation, seconds), markup=False)


def _shown(value: float | None, form: Callable[[float], str]) -> str | None:
    return None if value is None else form(value)


def _repetitions(place: int, agent: AgentEstimate) -> int | None:
    return agent.expectation.repetitions_for_difference[place].repetitions


def _at_budget(agent_name: str, expectation: ExpectationSummary, seconds_per_case: float) -> str:
    budget, cases = format_duration_ns(seconds_per_case * 1e9), expectation.cases_at_budget
    return f"{agent_name}: {counted(cases, 'case')} will stop at the budget of {budget}, before the required precision."
