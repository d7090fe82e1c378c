import hashlib
from pathlib import Path

import pytest

from orchestrator.database.models import Agent
from orchestrator.wire.base import DEVICE_HEADER, WIRE_VERSION, WIRE_VERSION_HEADER
from tests.support.agent_reports import enroll, heartbeat
from tests.support.live_service import Served, serve


class TestEnrolment:
    def test_a_join_token_gives_one_identity(self, fresh: Served) -> None:
        with fresh.client("join") as joining:
            first = joining.post("/api/v1/agents", json={"name": "pi"})
            second = joining.post("/api/v1/agents", json={"name": "pi"})
        identity = first.json()
        assert (first.status_code, second.status_code) == (201, 401)
        assert identity["broker_username"] == f"ag-{identity['agent_id']}"
        assert identity["key_prefix"] == f"ag:{identity['agent_id']}:"
        with fresh.database.read() as session:
            agent = session.get_one(Agent, identity["agent_id"])
        assert agent.broker_password_hash == hashlib.sha256(identity["broker_password"].encode()).hexdigest()
        assert agent.approved_at is not None

    @pytest.mark.parametrize(
        ("redis_url", "sent"),
        [("redis://admin:geheim@10.0.0.1:6379/0", "redis://10.0.0.1:6379/0"),
         ("unix://admin:geheim@/run/cm/redis.sock", "redis+socket:///run/cm/redis.sock")],
    )  # fmt: skip
    def test_response_omits_the_redis_credentials_of_the_admin(self, tmp_path: Path, redis_url: str, sent: str) -> None:
        """A socket is named in the words of the daemon's library."""
        with serve(tmp_path, redis_url=redis_url) as served:
            assert enroll(served)[1]["broker_url"] == sent

    def test_a_taken_name_gets_a_number(self, fresh: Served) -> None:
        names = []
        for _ in range(3):
            _, identity = enroll(fresh, "pi")
            names.append(identity["name"])
        assert names == ["pi", "pi-2", "pi-3"]

    def test_device_repeats_its_enrollment_until_its_first_heartbeat(self, fresh: Served) -> None:
        # A response that was lost once used the code up and left an agent without a device.
        here, elsewhere = {DEVICE_HEADER: "1" * 64}, {DEVICE_HEADER: "2" * 64}
        with fresh.client("join") as joining:
            first = joining.post("/api/v1/agents", json={"name": "pi"}, headers=here).json()
            assert joining.post("/api/v1/agents", json={"name": "pi"}, headers=elsewhere).status_code == 401
            second = joining.post("/api/v1/agents", json={"name": "pi"}, headers=here).json()
            assert (second["agent_id"], second["name"]) == (first["agent_id"], "pi")
            assert (_heartbeat(fresh, first), _heartbeat(fresh, second)) == (401, 200)
            repeated = joining.post("/api/v1/agents", json={"name": "pi"}, headers=here)
            assert (repeated.status_code, repeated.json()["detail"]) == (401, "This join code is used already.")


def _heartbeat(served: Served, identity: dict[str, str]) -> int:
    """Send a heartbeat with the token of an identity; return the status."""
    headers = {"Authorization": f"Bearer {identity['agent_token']}", WIRE_VERSION_HEADER: str(WIRE_VERSION)}
    return served.client().post("/api/v1/heartbeats", json=heartbeat(), headers=headers).status_code


class TestApproval:
    def test_agent_waits_for_approval_if_the_service_requires_it(self, tmp_path: Path) -> None:
        with serve(tmp_path, approve_agents=True) as served:
            client, identity = enroll(served)
            assert client.post("/api/v1/heartbeats", json=heartbeat()).json()["approved"] is False
            assert served.admin.post(f"/api/v1/agents/{identity['agent_id']}/approve", json={}).status_code == 200
            assert client.post("/api/v1/heartbeats", json=heartbeat()).json()["approved"] is True

    def test_revocation_ends_the_token_immediately(self, fresh: Served) -> None:
        client, identity = enroll(fresh)
        assert client.post("/api/v1/heartbeats", json=heartbeat()).status_code == 200
        revoked = fresh.admin.post(f"/api/v1/agents/{identity['agent_id']}/revoke", json={})
        assert revoked.json()["revoked_at"] is not None
        assert revoked.json()["liveness"] == "silent"
        assert client.post("/api/v1/heartbeats", json=heartbeat()).status_code == 401
        approved = fresh.admin.post(f"/api/v1/agents/{identity['agent_id']}/approve", json={})
        assert (approved.status_code, approved.json()["type"]) == (409, "/problems/conflict")
