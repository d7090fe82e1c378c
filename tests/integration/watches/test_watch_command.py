"""``ciphermark watch``: the commands against a service whose looks are measured by the test."""

import json
from pathlib import Path

import pytest
import yaml

from tests.support.commands import Command, command_of
from tests.support.fleet import plan
from tests.support.watched_fleet import WatchedFleet


@pytest.fixture
def command(watched: WatchedFleet, tmp_path: Path) -> Command:
    return command_of(watched.fleet.served, "submitter", tmp_path / "token")


@pytest.fixture
def plan_file(tmp_path: Path) -> str:
    file = tmp_path / "plan.yaml"
    file.write_text(yaml.safe_dump(plan()))
    return str(file)


def output_of(command: Command, *words: str) -> str:
    result = command("watch", *words)
    assert result.exit_code == 0, result.output
    return str(result.output)


def test_watch_is_added_listed_paused_resumed_and_removed(command: Command, plan_file: str) -> None:
    added = output_of(
        command,
        "add",
        plan_file,
        "--name",
        "nightly",
        "--every",
        "24h",
        "--file",
        "--webhook",
        "http://127.0.0.1:9/hook",
    )
    assert "Watch nightly: every" in added
    assert "Key of the webhook's signatures:" in added
    listed = output_of(command, "list")
    assert "nightly" in listed
    assert "waiting for its first look" in listed
    assert json.loads(output_of(command, "list", "--json"))[0]["name"] == "nightly"

    assert output_of(command, "pause", "nightly") == "Watch nightly is paused.\n"
    assert output_of(command, "resume", "nightly") == "Watch nightly is resumed.\n"
    assert output_of(command, "remove", "nightly") == "Watch nightly was removed. Its runs stay.\n"
    assert json.loads(output_of(command, "list", "--json")) == []


def test_name_of_the_plan_is_the_default_and_a_build_may_begin_looks(command: Command, plan_file: str) -> None:
    added = json.loads(output_of(command, "add", plan_file, "--on", "build", "--json"))
    assert (added["name"], added["on_build"], added["every_seconds"]) == ("test", True, None)
    assert "after each new build" in output_of(command, "show", "test")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "either --every DURATION or --on build"),
        (("--every", "24h", "--on", "build"), "either --every DURATION or --on build"),
        (("--on", "sunrise"), "expected build"),
        (("--every", "soon"), "soon"),
        (("--every", "24h", "--baseline", "latest"), "There is no run yet"),
    ],
)
def test_bad_option_is_refused_with_the_expected_one(
    command: Command, plan_file: str, options: tuple[str, ...], words: str
) -> None:
    result = command("watch", "add", plan_file, *options)
    assert result.exit_code != 0
    assert words in " ".join(f"{result.output} {result.exception}".replace("│", " ").split())
    assert json.loads(output_of(command, "list", "--json")) == []
