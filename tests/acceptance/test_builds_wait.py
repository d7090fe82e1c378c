"""A run whose builds exist is executed first, while another run on the same agent waits for its builds."""

import re
import shutil
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from orchestrator.compilation.folders import builds_folder
from orchestrator.compilation.installed import list_builds
from orchestrator.wire.base import WIRE_VERSION, WIRE_VERSION_HEADER
from orchestrator.wire.builds import Toolchain
from tests.support.agent_reports import build, heartbeat, inventory
from tests.support.system import System, a_plan, assert_exactly_once
from tests.support.waiting import until

TWO_BUILDS = [{"compiler": "gcc", "optimization": ["O1", "Og"]}]
PAUSED = "build paused"
"""Event in the log of the daemon, after which a job begins: the processes of the build are stopped."""


@pytest.fixture(scope="module")
def cache_folder(cache_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache with default builds alone: the usual one keeps the builds of an earlier execution of this test."""
    folder = tmp_path_factory.mktemp("cache")
    for found in list_builds(cache_folder):
        if found.report.toolchain == Toolchain():
            shutil.copytree(found.folder, builds_folder(folder) / found.build_key)
    return folder


def is_compiling(system: System) -> bool:
    """Return whether a compiler of an ordered build runs; each ends after a second or two."""
    for process in system.family():
        with suppress(psutil.NoSuchProcess):
            if process.name() == "cc1plus" and {"-O1", "-Og"} & {*process.cmdline()}:
                return True
    return False


def build_events_before_jobs(system: System, run_id: str) -> list[str]:
    """Return the last event of a build before each job of a run, from the log of the daemon."""
    events, last = list[str](), ""
    for line in (system.folder / "logs" / "daemon.log").read_text().splitlines():
        if found := re.search(r'event="(build (?:paused|continues))"', line):
            last = found[1]
        elif 'event="job started"' in line and f"run_id={run_id} " in line:
            events.append(last)
    return events


def join(system: System) -> None:
    """Enroll an agent that reports a build and a heartbeat; it matches the patterns of both plans."""
    token = system.command("token", "create", "--role", "agent", "--quiet").strip()
    with system.client_of(token, **{WIRE_VERSION_HEADER: str(WIRE_VERSION)}) as client:
        joining = client.post("/agents", json={"name": "joined"})
        client.headers["Authorization"] = f"Bearer {joining.raise_for_status().json()['agent_token']}"
        for path, report in (("/inventories", inventory()), ("/builds", build()), ("/heartbeats", heartbeat())):
            client.post(path, json=report).raise_for_status()


@pytest.mark.long
def test_ready_run_is_executed_before_builds_of_another_one(system: System) -> None:
    """Regression: the ready run waited for whole builds, and an agent that joined was pulled into both runs."""
    building = system.submit(a_plan(name="building", priority=0, toolchains=TWO_BUILDS))
    until(lambda: is_compiling(system), "the first compiler", 120)
    # Of either build, whichever the agent began with.
    assert "building: gcc -O" in system.command("runs", "show", building)
    ready = system.submit(a_plan(name="ready", priority=9, repetitions=12))
    join(system)

    run = system.wait_for_run(ready)
    other = system.get(f"/runs/{building}")

    assert (run["state"], other["state"], other["activity"]["name"]) == ("finished", "planned", "building")
    assert_exactly_once(system, ready, 3 * 2 * 12)
    events = build_events_before_jobs(system, ready)
    assert set(events) == {PAUSED}
    assert [len(one["agents"]) for one in (run, other)] == [1, 1]
    system.post(f"/runs/{building}/cancel")
