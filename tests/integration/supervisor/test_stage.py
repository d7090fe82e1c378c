"""The system that a command starts for itself: waiting for its agent, programs that end, two builds on one machine."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from sqlalchemy import update

from orchestrator.agents.schemas import AgentSummary
from orchestrator.cli.client import APIClient
from orchestrator.cli.continuous.local import Builds, local_run
from orchestrator.cli.running import progress, stage
from orchestrator.cli.running.progress import ProgressLines
from orchestrator.cli.running.stage import Stage, named_providers
from orchestrator.cli.supervisor.access import ServiceAccess
from orchestrator.cli.supervisor.layout import Layout
from orchestrator.cli.supervisor.lock import UpLock
from orchestrator.database.models import Agent
from orchestrator.runs.planning.plan import read_plan
from orchestrator.runs.schemas import RunRequest
from orchestrator.shared.errors import AlreadyRunning, BuildFailed, InvalidRequest, NotFound, SetupError
from orchestrator.shared.settings import ServiceSettings
from tests.support.fleet import plan
from tests.support.live_service import Served
from tests.support.offers import add_agent
from tests.support.paths import REPOSITORY


@pytest.fixture
def client(served: Served) -> Iterator[APIClient]:
    token = served.client("admin").headers["Authorization"].split()[1]
    with APIClient(ServiceAccess(url=served.url, token=token)) as connected:
        yield connected


def agent_in(served: Served, state: str, activity: str = "") -> str:
    with served.database.write() as session:
        agent_id = add_agent(session, state)
        session.execute(update(Agent).where(Agent.id == agent_id).values(state=state, activity=activity))
    return agent_id


def program(log: Path, starts: int) -> Any:
    return SimpleNamespace(starts=starts, program=SimpleNamespace(name="daemon", log_file=log))


class Programs:
    """In place of the supervisor: programs that struggle, and an agent that is ready after some looks."""

    def __init__(self, *children: Any, looks: int = 0) -> None:
        self.children, self.looks, self.folders = children, looks, list[Path]()

    def tend(self) -> None:
        self.looks -= 1

    def struggling(self, starts: int) -> list[Any]:
        return [one for one in self.children if one.starts >= starts]

    def agent_is_ready(self) -> bool:
        return self.looks < 0

    def restart_agent(self, folder: Path) -> None:
        self.folders.append(folder)


def test_waiting_shows_what_the_agent_does_until_it_is_ready_and_the_caller_is_done(
    served: Served, client: APIClient
) -> None:
    agent_id = agent_in(served, "preparing", "building: 3/9")
    shown = list[tuple[str | None, bool]]()

    def show(agent: AgentSummary, *, is_ready: bool) -> None:
        shown.append((agent.activity, is_ready))
        if len(shown) == 1:
            with served.database.write() as session:
                session.execute(update(Agent).where(Agent.id == agent_id).values(state="ready"))

    Stage(client, agent_id).wait_until_ready(show, lambda: len(shown) > 1)
    assert shown == [("building: 3/9", False), ("building: 3/9", True)]


def test_agent_that_cannot_measure_is_not_waited_for(served: Served, client: APIClient) -> None:
    agent_id = agent_in(served, "refusing", "no compiler")
    with pytest.raises(SetupError, match="The agent cannot measure: no compiler"):
        Stage(client, agent_id).wait_until_ready()


def test_agent_that_never_becomes_ready_ends_the_command(
    served: Served, client: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent_id = agent_in(served, "building")
    monkeypatch.setattr(stage, "READY_SECONDS", 0.5)
    with pytest.raises(SetupError, match="was not ready within"):
        Stage(client, agent_id).wait_until_ready()


def test_program_that_ends_again_and_again_ends_the_command_with_its_last_lines(
    client: APIClient, tmp_path: Path
) -> None:
    log = tmp_path / "daemon.log"
    log.write_text("first\n" + "line\n" * 10 + "no such file\n")
    up: Any = Programs(program(log, 1))
    Stage(client, "a", up).tend()
    up.children = (program(log, 4),)
    with pytest.raises(SetupError, match=r"daemon ended \(start 4\):\n(line\n){9}no such file"):
        Stage(client, "a", up).tend()


def test_agent_measures_with_other_programs_once_it_is_ready_again(
    served: Served, client: APIClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    up: Any = Programs(looks=1)
    Stage(client, agent_in(served, "executing"), up).use_runners(tmp_path)
    assert up.folders == [tmp_path]
    assert "restarting the agent" in capsys.readouterr().err


@pytest.mark.parametrize(("providers", "found"), [(["own", "botan"], {"own", "botan"}), (["*"], None)])
def test_only_the_providers_that_a_plan_names_are_built(providers: list[str], found: set[str] | None) -> None:
    one = plan()
    one["matrix"][0]["providers"] = providers
    assert named_providers(read_plan(one, None).plan) == found


def test_progress_is_a_line_at_intervals_and_again_while_nothing_new_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    lines = ProgressLines(Console(file=out, width=200))
    lines.show("building: aes.cpp")
    lines.show("too early for another line")
    assert out.getvalue().count("\n") == 1
    monkeypatch.setattr(progress, "_LINE_SECONDS", 0.0)
    monkeypatch.setattr(lines, "_next_line", 0.0)
    waits = iter((False, True))
    monkeypatch.setattr(lines, "ended", SimpleNamespace(wait=lambda _seconds: next(waits)))
    lines.repeat()
    assert "too early for another line" in out.getvalue().splitlines()[-1]


def local(tmp_path: Path, document: dict[str, Any], former: Path) -> None:
    request = RunRequest(plan_text=json.dumps(document))
    with local_run(ServiceSettings(data_folder=tmp_path), Builds(former, None), request, 10, lambda *_: None):
        pytest.fail("nothing may be measured")


def test_local_comparison_refuses_toolchains_and_folders_without_programs(tmp_path: Path) -> None:
    toolchains = plan(toolchains=[{"compiler": "gcc"}])
    with pytest.raises(InvalidRequest, match="one build on each side"):
        local(tmp_path, toolchains, tmp_path)
    with pytest.raises(BuildFailed, match="contains no programs"):
        local(tmp_path, plan(), tmp_path)
    with pytest.raises(NotFound, match=r"The folder .*former does not exist"):
        local(tmp_path, plan(), tmp_path / "former")


def test_local_comparison_is_refused_before_it_compiles_while_up_is_running(tmp_path: Path) -> None:
    """Regression: both builds were compiled first."""
    with UpLock(Layout(tmp_path).lock), pytest.raises(AlreadyRunning):
        local(tmp_path, plan(), REPOSITORY)
