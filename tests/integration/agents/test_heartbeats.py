from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.agents import heartbeats
from orchestrator.database.models import Agent, now
from orchestrator.shared.errors import SecondSession
from orchestrator.wire.heartbeats import LIVE_SECONDS, Heartbeat
from tests.support.agent_reports import enroll, heartbeat, inventory
from tests.support.live_service import Served
from tests.support.offers import add_job

START = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture
def agent_id(served: Served) -> str:
    _, identity = enroll(served)
    return str(identity["agent_id"])


def beat(served: Served, agent_id: str, seconds: float, **changes: object) -> None:
    at = START + timedelta(seconds=seconds)
    heartbeats.receive(served.database, agent_id, Heartbeat.model_validate(heartbeat(**changes)), at)


def idle_seconds(served: Served, agent_id: str) -> float | None:
    with served.database.read() as session:
        since = session.get_one(Agent, agent_id).idle_since
    return None if since is None else (since - START).total_seconds()


class TestSecondSession:
    def test_a_copy_is_refused_while_the_first_lives(self, served: Served, agent_id: str) -> None:
        beat(served, agent_id, 0, session_id="a" * 32)
        with pytest.raises(SecondSession, match="Another daemon runs as agent"):
            beat(served, agent_id, LIVE_SECONDS, session_id="b" * 32)
        beat(served, agent_id, LIVE_SECONDS, session_id="a" * 32)

    def test_a_restarted_daemon_takes_over_from_a_silent_one(self, served: Served, agent_id: str) -> None:
        beat(served, agent_id, 0, session_id="a" * 32)
        beat(served, agent_id, LIVE_SECONDS + 0.1, session_id="b" * 32)
        with pytest.raises(SecondSession):
            beat(served, agent_id, LIVE_SECONDS + 1, session_id="a" * 32)


class TestIdleness:
    def test_it_counts_from_the_first_idle_heartbeat_in_a_row(self, served: Served, agent_id: str) -> None:
        beat(served, agent_id, 0)
        beat(served, agent_id, 2)
        assert idle_seconds(served, agent_id) == 0
        beat(served, agent_id, 4, jobs=[{"job_id": 1, "attempt": 1}])
        assert idle_seconds(served, agent_id) is None
        beat(served, agent_id, 6)
        assert idle_seconds(served, agent_id) == 6

    def test_new_session_restarts_the_idle_time(self, served: Served, agent_id: str) -> None:
        beat(served, agent_id, 0, session_id="a" * 32)
        beat(served, agent_id, 60, session_id="b" * 32)
        assert idle_seconds(served, agent_id) == 60


class TestAnswers:
    def test_a_held_job_of_a_cancelled_run_is_stopped(self, served: Served, agent_id: str) -> None:
        job_id = add_job(served.database, agent_id, run_state="cancelled", state="cancelled")
        message = Heartbeat.model_validate(heartbeat(jobs=[{"job_id": job_id, "attempt": 1}]))
        answer = heartbeats.receive(served.database, agent_id, message, now())
        assert [(order.job_id, order.reason) for order in answer.stop] == [(job_id, "cancelled")]

    def test_unknown_inventory_is_requested_until_it_is_stored(self, served: Served) -> None:
        client, identity = enroll(served)
        report = inventory()
        message = heartbeat(inventory_sha256=report["sha256"])
        assert client.post("/api/v1/heartbeats", json=message).json()["send_inventory"] is True
        first = client.post("/api/v1/inventories", json=report).json()
        assert client.post("/api/v1/heartbeats", json=message).json()["send_inventory"] is False
        assert client.post("/api/v1/inventories", json=report).json() == first
        newer = inventory(memory_bytes=2**33)
        assert client.post("/api/v1/inventories", json=newer).json()["id"] != first["id"]
        shown = served.viewer.get(f"/api/v1/agents/{identity['agent_id']}").json()
        history = served.viewer.get(f"/api/v1/agents/{identity['agent_id']}/inventories?limit=1").json()
        older = served.viewer.get(
            f"/api/v1/agents/{identity['agent_id']}/inventories", params={"cursor": history["next_cursor"]}
        ).json()
        assert (shown["liveness"], shown["architecture"], shown["device_model"]) == (
            "live", "aarch64", "Raspberry Pi 4 Model B Rev 1.4",
        )  # fmt: skip
        assert shown["inventory"]["memory_bytes"] == 2**33
        assert [one["sha256"] for one in history["items"] + older["items"]] == [newer["sha256"], report["sha256"]]
