"""`ciphermark submit` with the plan of a run and with other variants, against a service."""

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console
from sqlalchemy import update

from orchestrator.cli.client import APIClient
from orchestrator.cli.running import submission
from orchestrator.cli.supervisor.access import ServiceAccess
from orchestrator.database.models import Agent
from orchestrator.shared.errors import PlanRefused
from orchestrator.shared.resources import shipped
from tests.support.commands import Command, command_of, succeeded
from tests.support.fleet import Fleet, open_fleet, plan
from tests.support.offers import EVALME_ALGORITHMS, add_agent, add_build


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with open_fleet(tmp_path_factory.mktemp("fleet")) as opened:
        yield opened


@pytest.fixture
def command(fleet: Fleet, tmp_path: Path) -> Command:
    return command_of(fleet.served, "submitter", tmp_path / "token")


def test_plan_of_a_run_is_repeated_with_all_variants(fleet: Fleet, command: Command) -> None:
    run_id = fleet.submit()
    again = json.loads(succeeded(command("submit", run_id, "--variant", "*", "--json")))
    first, second = (fleet.submitter.get(f"/api/v1/runs/{one}").json()["plan"] for one in (run_id, again["id"]))
    assert "variants" not in first["matrix"][0]
    assert second == first | {"matrix": [one | {"variants": ["*"]} for one in first["matrix"]]}


class _Display(io.StringIO):
    """A terminal on which the first line is the moment in which the agent reports its runners."""

    def __init__(self, report: Callable[[], None]) -> None:
        super().__init__()
        self._report = report

    def write(self, text: str) -> int:
        if not self.getvalue():
            self._report()
        return super().write(text)


def test_submission_waits_for_the_first_runners_of_an_agent(
    fleet: Fleet, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finding 32.6: a plan that was submitted seconds after `up` was refused."""
    with fleet.database.write() as session:
        starting = add_agent(session, "starting", {})
        session.execute(update(Agent).where(Agent.id == starting).values(state="preparing", activity="building: 3/9"))

    def report() -> None:
        with fleet.database.write() as session:
            add_build(session, starting, {"botan": EVALME_ALGORITHMS, "cryptopp": EVALME_ALGORITHMS})

    refused = command("submit", str(shipped("plans") / "quick.yaml"), "--preview", "--agent", "missing")
    assert isinstance(refused.exception, PlanRefused)  # An agent that does not exist is not waited for.
    shown = _Display(report)
    monkeypatch.setattr(submission, "notes", lambda: Console(file=shown, width=200))
    with APIClient(
        ServiceAccess(url=fleet.served.url, token=fleet.submitter.headers["Authorization"].split()[1])
    ) as client:
        run = submission.post_plan(client, "/runs", {"plan": plan(agents=["starting"])})
    assert run["executions_total"] == 24
    assert shown.getvalue().startswith("No runners yet: starting is preparing them (building: 3/9).")


def test_plan_of_a_file_has_the_given_agents_and_variants(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    matrix = {"providers": ["botan"], "algorithms": ["aes-192-ctr"], "inputs": {"kinds": ["text"], "sizes": ["1 KiB"]}}
    path.write_text(json.dumps({"version": 1, "name": "one", "repetitions": 6, "matrix": [matrix]}))
    run = json.loads(succeeded(command("submit", str(path), "--agent", "*", "--variant", "*", "--json")))
    assert (run["plan"]["agents"], run["plan"]["matrix"][0]["variants"]) == (["*"], ["*"])
