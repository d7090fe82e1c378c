"""`ciphermark submit` with the plan of a run and with other variants, against a service."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import Command, command_of, succeeded
from tests.support.fleet import Fleet, open_fleet


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


def test_plan_of_a_file_has_the_given_agents_and_variants(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    matrix = {"providers": ["botan"], "algorithms": ["aes-192-ctr"], "inputs": {"kinds": ["text"], "sizes": ["1 KiB"]}}
    path.write_text(json.dumps({"version": 1, "name": "one", "repetitions": 6, "matrix": [matrix]}))
    run = json.loads(succeeded(command("submit", str(path), "--agent", "*", "--variant", "*", "--json")))
    assert (run["plan"]["agents"], run["plan"]["matrix"][0]["variants"]) == (["*"], ["*"])
