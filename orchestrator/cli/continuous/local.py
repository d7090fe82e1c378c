"""Two builds of the runners, measured by a system of this machine that exists for the duration of one command."""

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from orchestrator.cli.output import notes
from orchestrator.cli.running.execution import Check, MeasuredRun, PlanExecution
from orchestrator.cli.running.progress import ProgressLines
from orchestrator.cli.running.stage import named_providers, stage
from orchestrator.cli.running.submission import changed_request
from orchestrator.cli.supervisor.layout import Layout
from orchestrator.cli.supervisor.lock import UpLock
from orchestrator.compilation.native.build import build
from orchestrator.compilation.native.programs import find_programs
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.runs.planning.plan import parse_text, read_plan
from orchestrator.runs.schemas import RunRequest
from orchestrator.shared import logs
from orchestrator.shared.errors import InvalidRequest, NotFound
from orchestrator.shared.resources import shipped
from orchestrator.shared.settings import ServiceSettings
from orchestrator.wire.builds import Toolchain

_SOURCES = "CMakeLists.txt"


@dataclass(frozen=True)
class Builds:
    """The two builds that are compared: folders of programs, of the runners' sources, or checkouts."""

    former: Path
    new: Path | None
    """None: the sources of this installation."""


@contextmanager
def local_run(
    settings: ServiceSettings,
    builds: Builds,
    request: RunRequest,
    former_runs: int,
    check: Check,
) -> Iterator[MeasuredRun]:
    """Start the system and measure both builds; the agent keeps the new one until the end of the block.

    Half of the former build's runs are made before that of the new one, half after it, so that a machine that becomes
    slower or faster steadily does not make one build look slower. check: called before the first run.
    """
    logs.configure("error")
    document = parse_text(request.plan_text or "")
    if document.get("toolchains"):
        raise InvalidRequest(
            "The plan has toolchains, but a local comparison has one build on each side.",
            remedy="Remove toolchains from the plan, or build both sides with the toolchain: ciphermark runners build.",
            field="toolchains",
        )
    providers = named_providers(read_plan(document, None).plan)
    for folder in filter(None, (builds.former, builds.new)):
        if not folder.is_dir():
            raise NotFound(f"The folder {folder} does not exist.", remedy="Name a checkout, or a folder of programs.")
    settings.data_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    UpLock(Layout(settings.data_folder).lock).close()  # Refused before minutes of compilation.
    with tempfile.TemporaryDirectory(prefix="ciphermark-ci-") as scratch:
        former = _programs(builds.former, Path(scratch, "former"), settings.cache_folder, providers)
        new = _programs(builds.new or shipped("runners"), Path(scratch, "new"), settings.cache_folder, providers)
        notes().print("starting the service, the scheduler and the agent")
        with stage(settings, notes(), None, former) as running:
            running.wait_until_ready()
            execution = PlanExecution(running.client, running.tend)
            request = changed_request(request, [running.agent_id])
            check(execution, request)
            tag = f"former-{secrets.token_hex(4)}"

            def measure_former(numbers: range) -> None:
                for number in numbers:
                    notes().print(f"run {number + 1} of {former_runs} of the former build")
                    running.client.patch(f"/runs/{execution.execute(request).id}", {"tags": [tag]})

            half = former_runs // 2
            measure_former(range(half))
            running.use_runners(new)
            notes().print("run of the new build")
            run = execution.execute(request)
            running.use_runners(former)
            measure_former(range(half, former_runs))
            running.use_runners(new)
            yield MeasuredRun(execution, run, tag)


def _programs(folder: Path, into: Path, cache_folder: Path, providers: frozenset[str] | None) -> Path:
    """Return a folder of programs: the folder itself, or one that is filled with what its sources are compiled to."""
    for source in (folder, folder / "runners"):
        if (source / _SOURCES).is_file():
            notes().print(f"building the runners of {source}", markup=False, soft_wrap=True)
            observer = BuildObserver(ProgressLines(notes()).show)
            build(source.resolve(), Toolchain(), cache_folder, observer, providers=providers).copy_programs(into)
            return into
    find_programs(folder)
    return folder.resolve()
