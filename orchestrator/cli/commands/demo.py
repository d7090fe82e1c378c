"""Measure a small real plan through the whole path and print the answer."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import corpus
from orchestrator.agents.schemas import AgentSummary
from orchestrator.cli.client import shaped
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.output import JSONOption, console, notes, print_json
from orchestrator.cli.running.progress import ProgressLines
from orchestrator.cli.running.stage import Stage, named_providers, stage
from orchestrator.cli.running.submission import read_plan_text
from orchestrator.cli.settings import service_settings
from orchestrator.cli.tables.answer import print_answer
from orchestrator.cli.watching import watch
from orchestrator.compilation.native.build import build
from orchestrator.compilation.native.compilers import find_compilers
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.daemon.builds.cross_built import install_carried
from orchestrator.results.schemas import RunAnswer
from orchestrator.runs.planning.budget import Budget
from orchestrator.runs.planning.inputs import ChunkInput, PlanInputs
from orchestrator.runs.planning.plan import PlanDocument, read_plan
from orchestrator.runs.schemas import Progress, RunDetail, RunRequest
from orchestrator.shared import logs
from orchestrator.shared.errors import UnsupportedCPU
from orchestrator.shared.resources import checkout, shipped
from orchestrator.shared.settings import DaemonSettings
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.plans import Plan

app = typer.Typer()


@app.command()
def demo(
    plan: Annotated[Path | None, typer.Option(help="Plan to execute [the built-in demo plan].")] = None,
    as_json: JSONOption = False,
) -> None:
    """Measure a small real plan on this machine (REST, Celery, daemon, runners, SQLite), then stop everything."""
    settings = service_settings()
    logs.configure("error")
    path = plan or shipped("plans") / "demo.yaml"
    # Refuses an invalid plan before anything is started.
    document = read_plan(None, read_plan_text(path))
    out = notes()
    out.print("preparing the runners, and starting the service, the scheduler and the agent")
    progress, ended = ProgressLines(out), threading.Event()
    with ThreadPoolExecutor(3) as workers, _ending(ended), _ending(progress.ended):
        workers.submit(progress.repeat)
        # The agent waits for these runners.
        providers = named_providers(document.plan)
        observer = BuildObserver(progress.show, ended.is_set)
        runners = workers.submit(_make_runners, settings.cache_folder, observer, providers)
        with stage(settings, out, providers) as running:
            # Chunks that do not exist yet cost as much time as the measurement.
            chunks = workers.submit(_make_chunks, settings.corpus_folder, document.plan)

            def show(agent: AgentSummary, *, is_ready: bool) -> None:
                if is_ready:
                    progress.show("making the input data")
                elif runners.done():
                    runners.result()  # The agent would fail in the same way, after the same time.
                    progress.show(agent.activity or "starting the agent")

            running.wait_until_ready(show, chunks.done)
            progress.ended.set()
            _measure(running, document, out, as_json=as_json)


@contextmanager
def _ending(ended: threading.Event) -> Iterator[None]:
    """Set the event when the block ends, also by an error, so that no thread goes on."""
    try:
        yield
    finally:
        ended.set()


def _make_runners(cache_folder: Path, observer: BuildObserver, providers: frozenset[str] | None) -> None:
    """Make the default build while the service starts; an agent with other runners does not need it."""
    settings = DaemonSettings()
    if settings.runners_folder is not None:
        return
    with suppress(UnsupportedCPU):  # The agent compiles, or refuses with the reason.
        if settings.cross_built_runners and install_carried(cache_folder, observer) is not None:
            return
    if find_compilers():
        build(shipped("runners"), Toolchain(), cache_folder, observer, providers=providers)


def _make_chunks(folder: Path, plan: Plan) -> None:
    """Make the missing chunks of a plan. What fails here is made by the service, or reported by it."""
    inputs = PlanInputs(plan, None, Budget(None))
    named = {one for index in range(len(plan.matrix)) for one in inputs.of_matrix(index) if isinstance(one, ChunkInput)}
    for kind in sorted({one.kind for one in named}):
        corpus.build(folder, sorted({one.length_bytes for one in named if one.kind == kind}), [kind])


def _measure(running: Stage, plan: PlanDocument, out: Console, *, as_json: bool) -> None:
    """Execute the plan and print the answer; raises Exit if not everything was verified."""
    request = RunRequest(plan=plan.document | {"agents": [running.agent_id]})
    submitted = shaped(RunDetail, running.client.post("/runs", request))
    run = watch(running.client, submitted.id, out, running.tend)
    answer = running.client.get(f"/runs/{run.id}/answer")
    if as_json:
        print_json({"run": running.client.get(f"/runs/{run.id}"), "answer": answer})
    else:
        _print(run.progress, shaped(RunAnswer, answer))
    if run.state != "finished" or run.progress.done != run.progress.ok:
        raise typer.Exit(ExitCode.RUN_NOT_FINISHED)


def _print(progress: Progress, answer: RunAnswer) -> None:
    # The demo stops the service, without which the command line shows nothing.
    up, command = ("make up", ".venv/bin/ciphermark") if checkout() else ("ciphermark up", "ciphermark")
    program = f"{up}, and in a second terminal {command}"
    print_answer(answer, details=False, program=program)
    verified = f"{progress.ok} of {progress.total} executions were verified. Results are kept."
    console().print(f"{verified} '{up}' opens the dashboard, too.", markup=False)
