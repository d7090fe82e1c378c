"""Commands of the command line against a running system, in the form for people and as JSON."""

import json
import re
from pathlib import Path

import pytest

from tests.support.system import System, a_plan


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(a_plan(name="from-a-file", repetitions=1)))
    return file


def test_agents_are_listed_and_shown_with_their_builds(system: System) -> None:
    (listed,) = json.loads(system.command("agents", "list", "--json"))

    assert listed["name"] in system.command("agents", "list")
    shown = system.command("agents", "show", listed["name"])
    assert listed["id"] in shown
    assert re.search(r"core \d+ is measured", shown)
    assert "default" in shown
    assert re.search(r"noise-floor: [0-9.e-]+ % of work_wall_ns", shown)
    assert json.loads(system.command("agents", "show", listed["id"], "--json"))["id"] == listed["id"]


def test_doctor_finds_the_service_and_everything_that_measuring_needs(system: System) -> None:
    findings = {finding["name"]: finding for finding in json.loads(system.command("doctor", "--json"))}

    assert findings["service"]["present"]
    assert all(finding["present"] for finding in findings.values() if finding["needed"])
    assert "Nothing is missing." in system.command("doctor")


def test_daemon_reports_its_status_and_the_inventory_of_the_machine(system: System) -> None:
    agent_folder = {"CIPHERMARK_DATA_FOLDER": str(system.folder / "agent")}
    (agent,) = system.get("/agents")["items"]

    status = json.loads(system.command("daemon", "status", "--json", **agent_folder))

    assert (status["agent_id"], status["daemon_lives"]) == (agent["id"], True)
    assert agent["id"] in system.command("daemon", "status", **agent_folder)
    assert "is measured" in system.command("daemon", "inventory", **agent_folder)


def test_plan_of_a_file_is_previewed_submitted_and_watched(system: System, plan_file: Path) -> None:
    before = len(system.rows("SELECT id FROM runs"))
    preview = system.command("submit", str(plan_file), "--preview")
    assert "estimated duration" in preview
    assert len(system.rows("SELECT id FROM runs")) == before

    submitted = system.command("submit", str(plan_file), "--agent", "*")
    assert "6 executions" in submitted
    watched = json.loads(system.command("submit", str(plan_file), "--watch", "--json"))
    assert watched["run"]["state"] == "finished"
    assert watched["answer"]
