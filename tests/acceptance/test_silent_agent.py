"""A run waits without a limit for an agent that is switched off or quarantined."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime

import httpx
import pytest

from orchestrator.wire.base import WIRE_VERSION, WIRE_VERSION_HEADER
from tests.support.system import Document, System, a_plan, assert_exactly_once
from tests.support.waiting import until

TICKS_OF_SILENCE = int(os.environ.get("CIPHERMARK_TEST_TICKS_OF_SILENCE", "3"))
"""The scheduler ticks every 4 s while nothing changes: 150 of them are ten minutes of silence."""


@pytest.mark.long
def test_run_waits_for_its_agent_and_continues(system: System) -> None:
    # Found before the run, which a fast machine could finish during the search.
    daemon = system.part("daemon")
    run_id = system.submit(a_plan(repetitions=60))
    system.wait_for_progress(run_id, 10)
    # Suspended, not killed: the supervisor would restart it.
    daemon.suspend()
    until(lambda: system.get(f"/runs/{run_id}")["waiting_for"], "waiting for agent")
    waiting = system.states(run_id)["waiting"]
    assert "waiting for agent" in system.command("runs", "show", run_id)
    system.wait_for_ticks(TICKS_OF_SILENCE)
    assert system.states(run_id)["waiting"] == waiting > 0
    daemon.resume()
    system.wait_for_run(run_id)
    assert_exactly_once(system, run_id, 3 * 2 * 60)


class TestQuarantine:
    @pytest.fixture
    def agent(self, system: System) -> Iterator[httpx.Client]:
        """A client with the agent's token."""
        identity = json.loads((system.folder / "agent" / "identity.json").read_text())
        token = identity["enrollment"]["agent_token"]
        with system.client_of(token, **{WIRE_VERSION_HEADER: str(WIRE_VERSION)}) as client:
            yield client

    def test_throttled_agent_gets_no_jobs_until_a_clean_check(self, system: System, agent: httpx.Client) -> None:
        checked = self.first_check(system)
        self.report(agent, checked, throttled=["under-voltage"])
        run_id = system.submit(a_plan(repetitions=6))
        (waiting,) = until(lambda: system.get(f"/runs/{run_id}")["waiting_for"], "waiting for agent")
        assert "is quarantined: the firmware reports under-voltage" in waiting
        assert "waiting for agent: " in system.command("runs", "show", run_id)
        system.wait_for_ticks(2)
        assert set(system.states(run_id)) == {"waiting"}
        # A real check, by the daemon on this machine, where no firmware holds anything back.
        check = json.loads(system.command("agents", "check", checked["agent"], "--wait", "--json"))
        assert check["health"] in ("healthy", "degraded")
        system.wait_for_run(run_id)
        assert_exactly_once(system, run_id, 3 * 2 * 6)

    def first_check(self, system: System) -> Document:
        """Return the daemon's first health check, and the agent's name."""
        agent = system.get("/agents")["items"][0]
        path = f"/agents/{agent['id']}/health-checks"
        checks = until(lambda: system.get(path)["items"], "the first health check", 60)
        return {"agent": agent["name"], **checks[0]}

    def report(self, agent: httpx.Client, check: Document, throttled: list[str]) -> None:
        same = ("build_key", "control", "noise_floor", "disturbed_share", "temperature_celsius")
        report = {name: check[name] for name in same} | {
            "throttled": throttled, "checked_at": datetime.now(UTC).isoformat(), "absent": {},
        }  # fmt: skip
        answer = agent.post("health-checks", json=report)
        assert answer.is_success, answer.text
        assert answer.json()["state"] == "quarantined"
