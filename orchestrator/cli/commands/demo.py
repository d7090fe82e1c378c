"""Measure a small real plan through the whole path and print the answer."""

import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

import corpus
from orchestrator.agents.schemas import AgentSummary
from orchestrator.cli.client import APIClient, ServiceAccess, shaped
from orchestrator.cli.commands.submit import read_plan_text
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.output import JSONOption, console, notes, print_json
from orchestrator.cli.settings import service_settings
from orchestrator.cli.supervisor.layout import Layout
from orchestrator.cli.tables.answer import print_answer
from orchestrator.cli.watching import watch
from orchestrator.compilation.native.build import build
from orchestrator.compilation.native.compilers import find_compilers
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.daemon.builds.cross_built import install_carried
from orchestrator.daemon.session.identity import load_identity
from orchestrator.results.schemas import RunAnswer
from orchestrator.runs.planning.budget import Budget
from orchestrator.runs.planning.inputs import ChunkInput, PlanInputs
from orchestrator.runs.planning.plan import PlanDocument, read_plan
from orchestrator.runs.schemas import Progress, RunDetail, RunRequest
from orchestrator.shared import logs
from orchestrator.shared.errors import AlreadyRunning, SetupError, UnsupportedCPU
from orchestrator.shared.resources import checkout, shipped
from orchestrator.shared.settings import DaemonSettings, ServiceSettings
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.plans import Plan

if TYPE_CHECKING:
    from orchestrator.cli.supervisor.up import Up

app = typer.Typer()

READY_SECONDS = 3600.0
"""Timeout of the agent's first start, which builds the runners: minutes, on a loaded machine half an hour."""
_MOST_DEATHS = 4
_TEND_SECONDS = 0.2
_LINE_SECONDS = 4.0
"""Interval between two lines of progress: with the second until the next look, never 5 s without one."""
_STEP = re.compile(r".*\[(\d+)/(\d+)\] .*", re.DOTALL)
"""Progress of Ninja, alone or at the end of an activity."""
_CONFIGURING = re.compile(r"-- .*")
"""A line of CMake."""

_NAME = re.compile(r"[a-z0-9_-]+")


@dataclass(frozen=True)
class _Stage:
    """Surroundings of the demo."""

    client: APIClient
    agent_id: str
    tend: Callable[[], None]  # keeps the programs running during the demo


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
    progress, ended = _Progress(out), threading.Event()
    with ThreadPoolExecutor(3) as workers, _ending(ended), _ending(progress.ended):
        workers.submit(progress.repeat)
        # The agent waits for these runners.
        providers = _named_providers(document.plan)
        observer = BuildObserver(progress.show, ended.is_set)
        runners = workers.submit(_make_runners, settings.cache_folder, observer, providers)
        with _stage(settings, out, providers) as stage:
            # Chunks that do not exist yet cost as much time as the measurement.
            chunks = workers.submit(_make_chunks, settings.corpus_folder, document.plan)
            _wait_until_ready(stage, (runners, chunks), progress)
            progress.ended.set()
            _measure(stage, document, out, as_json=as_json)


class _Progress:
    """Lines about what is done, at most one each few seconds. Called from several threads."""

    def __init__(self, out: Console) -> None:
        """Begin now."""
        self._out, self._began = out, time.monotonic()
        self._next_line = self._began
        self._activity = "starting"
        self._lock = threading.Lock()
        self.ended = threading.Event()
        """To be set when nothing is waited for any more."""

    def repeat(self) -> None:
        """Print the last activity again while no other comes, until the end."""
        while not self.ended.wait(1.0):
            self.show()

    def show(self, activity: str | None = None) -> None:
        """Print the activity, by default the last one again, if the last line is old enough."""
        with self._lock:
            self._activity = activity or self._activity
            now = time.monotonic()
            if now >= self._next_line:
                self._next_line = now + _LINE_SECONDS
                text = _CONFIGURING.sub("examining the compiler", self._activity)
                text = _STEP.sub(r"compiling the runners: \1 of \2", text)
                self._out.print(f"{now - self._began:4.0f} s  {text}"[:100], markup=False)


@contextmanager
def _ending(ended: threading.Event) -> Iterator[None]:
    """Set the event when the block ends, also by an error, so that no thread goes on."""
    try:
        yield
    finally:
        ended.set()


@contextmanager
def _stage(settings: ServiceSettings, out: Console, providers: frozenset[str] | None) -> Iterator[_Stage]:
    """Start everything, or use the programs already running on this data folder; stop what was started."""
    # Takes 2 s where no bytecode exists yet, in which the compiler works already.
    from orchestrator.cli.supervisor.up import Up  # noqa: PLC0415

    agent_folder = Layout(settings.data_folder).agent_folder
    try:
        up = Up(settings, lambda text: out.print(text, markup=False), providers=providers or ())
    except AlreadyRunning as running:
        out.print(running.detail, markup=False)
        with APIClient(ServiceAccess.find()) as client:
            yield _Stage(client, load_identity(agent_folder).enrollment.agent_id, lambda: None)
        return
    with up, APIClient(ServiceAccess(up.access.url, up.access.token, up.access.certificate)) as client:
        yield _Stage(client, load_identity(agent_folder).enrollment.agent_id, _careful(up))


def _careful(up: "Up") -> Callable[[], None]:
    def tend() -> None:
        up.tend()
        for child in up.struggling(_MOST_DEATHS):
            log = child.program.log_file
            last = "\n".join(log.read_text(errors="replace").splitlines()[-10:])
            raise SetupError(f"{child.program.name} ended (start {child.starts}):\n{last}", remedy=f"See {log}.")

    return tend


def _named_providers(plan: Plan) -> frozenset[str] | None:
    """Return the providers of a plan, whose runners suffice for its answer; None if it has patterns for them."""
    names = frozenset(name for matrix in plan.matrix for name in matrix.providers)
    return names if all(_NAME.fullmatch(name) for name in names) else None


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


def _wait_until_ready(stage: _Stage, work: "tuple[Future[None], Future[None]]", progress: _Progress) -> None:
    """Return once the agent can measure and the chunks are made, and show what is done."""
    runners, chunks = work
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        stage.tend()
        agent = shaped(AgentSummary, stage.client.get(f"/agents/{stage.agent_id}"))
        live = agent.liveness == "live"
        is_ready = live and agent.state in {"ready", "executing"}
        if is_ready and chunks.done():
            return
        if live and agent.state == "refusing":
            raise SetupError(f"The agent cannot measure: {agent.activity}.", remedy="ciphermark doctor")
        if is_ready:
            progress.show("making the input data")
        elif runners.done():
            runners.result()  # The agent would fail in the same way, after the same time.
            progress.show(agent.activity or "starting the agent")
        time.sleep(_TEND_SECONDS)
    raise SetupError(f"The agent was not ready within {READY_SECONDS:.0f} s.", remedy="ciphermark doctor")


def _measure(stage: _Stage, plan: PlanDocument, out: Console, *, as_json: bool) -> None:
    """Execute the plan and print the answer; raises Exit if not everything was verified."""
    request = RunRequest(plan=plan.document | {"agents": [stage.agent_id]})
    submitted = shaped(RunDetail, stage.client.post("/runs", request))
    run = watch(stage.client, submitted.id, out, stage.tend)
    answer = stage.client.get(f"/runs/{run.id}/answer")
    if as_json:
        print_json({"run": stage.client.get(f"/runs/{run.id}"), "answer": answer})
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
