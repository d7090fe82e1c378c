"""Health checks over HTTP: judged, kept, forgiven; what follows for jobs, and the time line of sensors."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select, update

from orchestrator.agents import heartbeats
from orchestrator.database.models import Agent, Event, SensorReading, now
from orchestrator.scheduler.prune import prune_sensor_readings
from orchestrator.wire.heartbeats import Heartbeat
from tests.support.agent_reports import build, enroll, health_check, heartbeat, inventory
from tests.support.live_service import Served
from tests.support.offers import add_job


@pytest.fixture
def agent(served: Served) -> tuple[httpx.Client, str]:
    client, identity = enroll(served)
    client.post("/api/v1/inventories", json=inventory())
    client.post("/api/v1/builds", json=build())
    return client, str(identity["agent_id"])


def report(client: httpx.Client, **changes: Any) -> str:
    answer = client.post("/api/v1/health-checks", json=health_check(**changes))
    assert answer.status_code == 200, answer.text
    return str(answer.json()["state"])


def shown(served: Served, agent_id: str, path: str = "", **query: str) -> Any:
    answer = served.viewer.get(f"/api/v1/agents/{agent_id}{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


class TestReport:
    def test_a_drift_quarantines_and_a_clean_check_brings_back(
        self, served: Served, agent: tuple[httpx.Client, str]
    ) -> None:
        client, agent_id = agent
        assert shown(served, agent_id)["health"] == "unchecked"
        assert [report(client, control_wall_ns=ns) for ns in (5e6, 5.1e6, 8e6, 5.5e6, 5e6)] == [
            "healthy", "healthy", "quarantined", "degraded", "healthy",
        ]  # fmt: skip
        detail = shown(served, agent_id)
        assert (detail["health"], detail["health_reason"]) == ("healthy", "")
        checks = shown(served, agent_id, "/health-checks")["items"]
        assert [one["drift"] and round(one["drift"], 3) for one in checks] == [-0.01, 0.089, 0.584, 0.02, None]
        assert "58% longer than in the median of 2 earlier checks" in checks[2]["reason"]
        with served.database.read() as session:
            events = session.scalars(
                select(Event.data).where(Event.kind == "agent-health", Event.agent_id == agent_id).order_by(Event.id)
            ).all()
        assert [data["health"] for data in events] == ["healthy", "healthy", "quarantined", "degraded", "healthy"]

    def test_the_same_check_again_is_stored_once(self, served: Served, agent: tuple[httpx.Client, str]) -> None:
        client, agent_id = agent
        check = health_check()
        first, second = (client.post("/api/v1/health-checks", json=check).json() for _ in range(2))
        assert first == second
        assert len(shown(served, agent_id, "/health-checks")["items"]) == 1

    def test_throttled_checks_are_not_what_others_are_held_against(self, agent: tuple[httpx.Client, str]) -> None:
        client, _ = agent
        assert report(client, control_wall_ns=20e6, throttled=["throttled"]) == "quarantined"
        assert report(client, control_wall_ns=5e6) == "healthy"

    def test_the_baseline_does_not_follow_a_slow_decline(self, agent: tuple[httpx.Client, str]) -> None:
        """Each check is 1 % slower than the one before: only the last differs from the first."""
        client, _ = agent
        states = [report(client, control_wall_ns=5e6 * 1.01**step) for step in range(16)]
        assert states[0] == "healthy"
        assert states[-1] == "degraded"

    def test_check_of_an_unknown_build_is_refused(self, agent: tuple[httpx.Client, str]) -> None:
        problem = agent[0].post("/api/v1/health-checks", json=health_check(build_key="f" * 64))
        assert (problem.status_code, "POST /api/v1/builds" in problem.json()["remedy"]) == (404, True)


class TestAsking:
    def beat(self, client: httpx.Client) -> bool:
        return bool(client.post("/api/v1/heartbeats", json=heartbeat()).json()["check_health"])

    def test_check_is_requested_until_the_agent_reports_it(self, agent: tuple[httpx.Client, str]) -> None:
        client, _ = agent
        assert self.beat(client)
        assert self.beat(client)
        report(client)
        assert not self.beat(client)

    def test_an_old_check_is_made_again(self, served: Served, agent: tuple[httpx.Client, str]) -> None:
        client, agent_id = agent
        report(client)
        message = Heartbeat.model_validate(heartbeat())

        def is_requested(after: timedelta) -> bool:
            return heartbeats.receive(served.database, agent_id, message, now() + after).check_health

        assert [is_requested(timedelta(hours=3.9)), is_requested(timedelta(hours=4.1))] == [False, True]

    def test_a_quarantine_is_checked_after_1_5_and_15_minutes(
        self, served: Served, agent: tuple[httpx.Client, str]
    ) -> None:
        # Finding S125: an honest machine that was busy for minutes stayed quarantined.
        client, agent_id = agent
        message = Heartbeat.model_validate(heartbeat())
        requested = []
        for minutes in (1, 5, 15, 15):
            report(client, throttled=["throttled"])
            for part in (0.9, 1.1):
                at = now() + timedelta(minutes=minutes * part)
                requested.append(heartbeats.receive(served.database, agent_id, message, at).check_health)
        assert requested == [False, True] * 4


class TestAcceptance:
    def accept(self, served: Served, agent_id: str, role: Any = "admin") -> httpx.Response:
        return served.client(role).post(f"/api/v1/agents/{agent_id}/health-check", json={"accept": True})

    def test_the_present_speed_becomes_the_normal_one(self, served: Served, agent: tuple[httpx.Client, str]) -> None:
        client, agent_id = agent
        report(client)
        assert report(client, control_wall_ns=9e6) == "quarantined"
        detail = self.accept(served, agent_id).json()
        assert (detail["health"], detail["health_reason"]) == ("healthy", "")
        assert report(client, control_wall_ns=9.1e6) == "healthy"
        assert report(client, control_wall_ns=5e6) == "quarantined"
        accepted = [one["accepted"] for one in shown(served, agent_id, "/health-checks")["items"]]
        assert accepted == [False, False, True, False, False]

    def test_what_throttles_cannot_be_accepted_away(self, served: Served, agent: tuple[httpx.Client, str]) -> None:
        client, agent_id = agent
        report(client, throttled=["under-voltage"])
        assert self.accept(served, agent_id).json()["health"] == "quarantined"

    def test_disturbed_check_is_no_reference(self, served: Served, agent: tuple[httpx.Client, str]) -> None:
        # Finding S125: an agent whose first check fell into load was quarantined when it became quiet.
        client, agent_id = agent
        assert report(client, control_wall_ns=9e6, disturbed_share=0.9) == "degraded"
        refused = self.accept(served, agent_id)
        assert (refused.status_code, "90% of its executions" in refused.json()["detail"]) == (409, True)
        assert [report(client, control_wall_ns=5e6) for _ in range(2)] == ["healthy", "healthy"]

    def test_it_needs_an_admin_and_a_check(self, served: Served, agent: tuple[httpx.Client, str]) -> None:
        client, agent_id = agent
        assert self.accept(served, agent_id).status_code == 409
        report(client)
        assert self.accept(served, agent_id, "submitter").status_code == 403


class TestJobs:
    def test_run_shows_why_it_waits(self, served: Served, agent: tuple[httpx.Client, str]) -> None:
        client, agent_id = agent
        client.post("/api/v1/heartbeats", json=heartbeat())
        add_job(served.database, agent_id, run_state="running", state="sent")
        with served.client("viewer") as viewer:
            assert viewer.get("/api/v1/runs/run000000001").json()["waiting_for"] == []
            report(client, throttled=["under-voltage"])
            (waiting,) = viewer.get("/api/v1/runs/run000000001").json()["waiting_for"]
            name = shown(served, agent_id)["name"]
            assert waiting.startswith(f"{name} is quarantined: the firmware reports under-voltage")
            (listed,) = viewer.get("/api/v1/runs").json()["items"]
            assert listed["waiting_for"] == [waiting]
            page = viewer.get("/runs/run000000001").text
            assert "waiting for agent" in page
            assert "the firmware reports under-voltage" in page
            with served.database.write() as session:
                session.execute(update(Agent).values(last_heartbeat_at=now() - timedelta(minutes=1)))
            assert viewer.get("/api/v1/runs/run000000001").json()["waiting_for"] == [name]


class TestSensorReadings:
    START = now() - timedelta(hours=1)

    def reading(self, minute: int, sensor: str = "temperature_celsius soc", **changes: Any) -> dict[str, Any]:
        at = (self.START + timedelta(minutes=minute)).isoformat()
        return {"sensor": sensor, "unit": "celsius", "read_at": at, "value": 50.0 + minute, **changes}

    def test_they_are_kept_and_found_by_sensor_and_time(self, served: Served, agent: tuple[httpx.Client, str]) -> None:
        client, agent_id = agent
        absent = self.reading(3, value=None, reason="it read -300 °C")
        rows = [self.reading(minute) for minute in range(3)] + [absent, self.reading(3, "frequency_hz cpu3", unit="Hz")]
        assert client.post("/api/v1/heartbeats", json=heartbeat(sensor_readings=rows)).status_code == 200
        # Sent again because the answer was lost: a time line with doubled points was the consequence once.
        assert client.post("/api/v1/heartbeats", json=heartbeat(sensor_readings=rows)).status_code == 200
        since = (self.START + timedelta(minutes=2)).isoformat()
        found = shown(served, agent_id, "/sensor-readings", sensor="temperature_celsius soc", since=since)["items"]
        assert [(one["value"], one["reason"]) for one in found] == [(52.0, ""), (None, "it read -300 °C")]
        first = shown(served, agent_id, "/sensor-readings", limit="4")
        second = shown(served, agent_id, "/sensor-readings", cursor=first["next_cursor"])
        assert (len(first["items"]), [one["unit"] for one in second["items"]]) == (4, ["Hz"])

    def test_old_and_too_many_ones_are_thrown_away(self, served: Served, agent: tuple[httpx.Client, str]) -> None:
        client, agent_id = agent
        old = {"read_at": (now() - timedelta(days=31)).isoformat()}
        rows = [self.reading(0, **old) for _ in range(5)] + [
            self.reading(0, read_at=now().isoformat(), value=float(number)) for number in range(8)
        ]
        client.post("/api/v1/heartbeats", json=heartbeat(sensor_readings=rows))
        assert prune_sensor_readings(served.database, now()) == 5
        assert prune_sensor_readings(served.database, now(), kept=6) == 2
        assert prune_sensor_readings(served.database, now(), kept=6) == 0
        with served.database.read() as session:
            lowest = select(func.min(SensorReading.value)).where(SensorReading.agent_id == agent_id)
            assert session.scalar(lowest) == 2.0


class TestPage:
    def test_agent_page_shows_its_health_and_why_readings_are_absent(
        self, served: Served, agent: tuple[httpx.Client, str]
    ) -> None:
        client, agent_id = agent
        client.post("/api/v1/inventories", json=inventory(counters={"cycles": "ENOENT", "task-clock": "granted"}))
        report(client)
        report(client, control_wall_ns=9e6, temperature_celsius=None, absent={"temperature_celsius": "no zone"})
        readings = [
            {"sensor": "frequency_hz cpu3", "unit": "Hz", "read_at": now().isoformat(), "value": 1.5e9},
            {"sensor": "power_watts", "unit": "W", "read_at": now().isoformat(), "value": None, "reason": "it is gone"},
        ]
        client.post("/api/v1/heartbeats", json=heartbeat(sensor_readings=readings))
        page = served.viewer.get(f"/agents/{agent_id}", headers={"Accept": "text/html"}).text
        for part in ("The control workload (aes-128-ctr by own, 1 MiB) takes", "+80.0 %", "no zone", "1\u202f500 MHz"):
            assert part in page
        assert "it is gone" in page
        assert "not cycles: ENOENT" in page
