from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from orchestrator.database.models import APIToken, now
from orchestrator.wire.base import WIRE_VERSION, WIRE_VERSION_HEADER
from tests.support.device import Device
from tests.support.live_service import Served


@pytest.fixture
def device(tmp_path: Path) -> Device:
    # A package index that does not answer: only tests that name one may install packages.
    return Device(tmp_path / "home", {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0"})


class Inviting:
    """The operator of a service."""

    def __init__(self, service: Served, folder: Path) -> None:
        self.service = service
        self.script = folder / "join.sh"
        made = service.admin.post("/api/v1/invitations", json={}, timeout=120)
        assert made.status_code == 201
        self.script.write_bytes(service.admin.get("/api/v1/downloads/join.sh").content)

    def invite(self, **body: object) -> dict[str, Any]:
        invitation: dict[str, Any] = self.service.admin.post("/api/v1/invitations", json=body).json()
        return invitation

    def expired_code(self) -> str:
        invitation = self.invite()
        with self.service.database.write() as session:
            session.get_one(APIToken, invitation["id"]).expires_at = now() - timedelta(seconds=1)
        return str(invitation["code"])

    def used_code(self) -> str:
        code = self.invite(name="first")["code"]
        headers = {"Authorization": f"Bearer {code}", WIRE_VERSION_HEADER: str(WIRE_VERSION)}
        assert self.service.client().post("/api/v1/agents", json={"name": "pi"}, headers=headers).status_code == 201
        return str(code)

    def agents(self) -> dict[str, dict[str, Any]]:
        """Return the agents by name."""
        return {agent["name"]: agent for agent in self.service.admin.get("/api/v1/agents").json()["items"]}


@pytest.fixture
def operator(served: Served, tmp_path: Path) -> Inviting:
    return Inviting(served, tmp_path)
