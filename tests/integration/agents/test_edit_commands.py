"""`ciphermark agents edit` and `runs edit`, against a service with a filled run."""

import json
from datetime import timedelta

import pytest
from sqlalchemy import update

from orchestrator.database.models import Agent, now
from orchestrator.shared.errors import InvalidRequest, NotFound
from tests.support.commands import Command, printed, succeeded
from tests.support.database import Shape, fill
from tests.support.live_service import Served
from tests.support.offers import add_agent

RUN = "edited000001"
AGENT = "raspberrypi"


@pytest.fixture
def served(fresh: Served) -> Served:
    fill(fresh.database, Shape(run_id=RUN, algorithms=("aes-128-ctr",), kinds=("text",), with_curves=False))
    return fresh


class TestAgentsEdit:
    def test_labels_are_added_and_removed_and_the_name_changes(self, command: Command) -> None:
        assert "with the labels kitchen, fanless" in printed(
            command("agents", "edit", AGENT, "--label", "kitchen", "--label", "fanless")
        )
        shown = json.loads(
            printed(
                command("agents", "edit", AGENT, "--remove-label", "kitchen", "--name", "pi4", "--note", "x", "--json")
            )
        )
        assert (shown["name"], shown["labels"], shown["notes"]) == ("pi4", ["fanless"], "x")
        assert "is pi4 without labels" in printed(command("agents", "edit", shown["id"], "--remove-label", "fanless"))

    def test_absent_label_and_agent_are_refused_with_what_exists(self, command: Command) -> None:
        missing = command("agents", "edit", AGENT, "--remove-label", "attic")
        assert isinstance(missing.exception, InvalidRequest)
        assert missing.exception.remedy == "Present: none."
        unknown = command("agents", "edit", "nowhere", "--label", "x")
        assert isinstance(unknown.exception, NotFound)
        assert "ciphermark agents list" in unknown.exception.remedy

    def test_edit_of_nothing_names_the_options(self, command: Command) -> None:
        result = command("agents", "edit", AGENT)
        assert result.exit_code == 2
        assert "--remove-label" in result.output


def test_activity_is_that_of_a_live_agent(served: Served, command: Command) -> None:
    for age, shown in ((timedelta(0), True), (timedelta(hours=1), False)):
        with served.database.write() as session:
            session.execute(update(Agent).values(activity="compiling: 3 of 119", last_heartbeat_at=now() - age))
        assert ("compiling: 3 of 119" in printed(command("agents", "show", AGENT))) == shown


class TestRunsEdit:
    def test_tags_and_archive(self, command: Command) -> None:
        assert "is finished; tags: baseline, gcc-12." in printed(
            command("runs", "edit", RUN, "--tag", "baseline", "--tag", "gcc-12")
        )
        assert RUN in printed(command("runs", "list", "--tag", "baseline", "--until", "0s"))
        assert "is archived; tags: gcc-12." in printed(
            command("runs", "edit", RUN, "--remove-tag", "baseline", "--archive")
        )
        assert RUN not in printed(command("runs", "list"))
        assert RUN in printed(command("runs", "list", "--archived", "only"))
        assert "is finished" in printed(command("runs", "edit", RUN, "--unarchive"))

    def test_latest_run_is_the_newest_that_is_not_archived(self, command: Command) -> None:
        # It once reported that there is no run.
        assert RUN in printed(command("runs", "show", "latest"))
        command("runs", "edit", RUN, "--archive")
        result = command("runs", "show", "latest")
        assert isinstance(result.exception, NotFound)
        assert "All runs are archived" in result.exception.detail
        assert f"Name the run: {RUN}" in result.exception.remedy

    def test_edit_of_nothing_names_the_options(self, command: Command) -> None:
        result = command("runs", "edit", RUN)
        assert result.exit_code == 2
        assert "--remove-tag" in result.output


class TestAgentsList:
    def test_conditions_select_agents_as_the_page_does(self, served: Served, command: Command) -> None:
        with served.database.write() as session:
            add_agent(session, "pi-attic", architecture="armv7l")

        def listed(*options: str) -> list[str]:
            return [one["name"] for one in json.loads(succeeded(command("agents", "list", *options, "--json")))]

        assert listed() == ["pi-attic", AGENT]
        assert listed("--architecture", "armv7l") == ["pi-attic"]
        assert listed("--feature", "asimd", "--search", "attic") == ["pi-attic"]
        assert listed("--feature", "avx512f") == []
        assert listed("--label", "nowhere") == []
        pages = served.viewer.get("/agents", params={"architecture": "armv7l"}, headers={"Accept": "text/html"}).text
        assert "pi-attic" in pages
        first = served.viewer.get("/api/v1/agents", params={"limit": 1}).json()
        second = served.viewer.get("/api/v1/agents", params={"limit": 1, "cursor": first["next_cursor"]}).json()
        assert [one["name"] for one in (*first["items"], *second["items"])] == ["pi-attic", AGENT]
        assert second["next_cursor"] is None

    def test_unknown_state_is_refused_with_the_known_ones(self, command: Command) -> None:
        refused = command("agents", "list", "--state", "sleeping")
        assert isinstance(refused.exception, InvalidRequest)
        assert "silent" in str(refused.exception)
