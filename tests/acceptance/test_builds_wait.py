"""A run whose builds exist is executed first, while another run on the same agent waits for its builds."""

from contextlib import suppress

import httpx
import psutil

from orchestrator.wire.base import WIRE_VERSION, WIRE_VERSION_HEADER
from tests.support.agent_reports import build, heartbeat, inventory
from tests.support.system import System, a_plan, assert_exactly_once
from tests.support.waiting import GENEROUS_SECONDS, until

TWO_BUILDS = [{"compiler": "gcc", "optimization": ["O1", "Og"]}]


def compilers(system: System) -> set[str]:
    """Return the states of the compilers that run now; each ends after a second or two."""
    states = set()
    for process in system.family():
        with suppress(psutil.NoSuchProcess):
            if process.name() == "cc1plus":
                states.add(process.status())
    return states


def join(system: System) -> None:
    """Enroll an agent that reports a build and a heartbeat; it matches the patterns of both plans."""
    token = system.command("token", "create", "--role", "agent", "--quiet").strip()
    headers = {"Authorization": f"Bearer {token}", WIRE_VERSION_HEADER: str(WIRE_VERSION)}
    with httpx.Client(base_url=system.client.base_url, timeout=GENEROUS_SECONDS, headers=headers) as client:
        joining = client.post("/agents", json={"name": "joined"})
        client.headers["Authorization"] = f"Bearer {joining.raise_for_status().json()['agent_token']}"
        for path, report in (("/inventories", inventory()), ("/builds", build()), ("/heartbeats", heartbeat())):
            client.post(path, json=report).raise_for_status()


def test_ready_run_is_executed_before_builds_of_another_one(system: System) -> None:
    """Regression: the ready run waited for whole builds, and an agent that joined was pulled into both runs."""
    building = system.submit(a_plan(name="building", priority=0, toolchains=TWO_BUILDS))
    until(lambda: compilers(system), "the first compiler", 120)
    assert "building: gcc -O1" in system.command("runs", "show", building)
    ready = system.submit(a_plan(name="ready", priority=9, repetitions=150))
    join(system)

    until(lambda: system.get(f"/runs/{ready}")["activity"]["name"] == "measuring", "the ready run's first job")
    # A job is claimed before its daemon stops the build.
    until(lambda: compilers(system) <= {psutil.STATUS_STOPPED}, "the pause of the build")
    run = system.wait_for_run(ready)
    other = system.get(f"/runs/{building}")

    assert (run["state"], other["state"], other["activity"]["name"]) == ("finished", "planned", "building")
    assert_exactly_once(system, ready, 3 * 2 * 150)
    assert [len(one["agents"]) for one in (run, other)] == [1, 1]
    system.post(f"/runs/{building}/cancel")
