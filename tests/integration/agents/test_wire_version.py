"""A daemon of another version is refused with the version that it needs."""

from pathlib import Path

import httpx
import pytest

from orchestrator import __version__
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.shared.errors import UpgradeRequired
from orchestrator.wire.base import WIRE_VERSION, WIRE_VERSION_HEADER
from orchestrator.wire.heartbeats import Heartbeat
from tests.support.agent_reports import SESSION, enroll
from tests.support.live_service import serve
from tests.support.waiting import GENEROUS_SECONDS

OLD_HEARTBEAT = {"session_id": SESSION, "state": "ready", "doing": "waits for jobs", "jobs": []}


def test_daemon_of_version_one_is_refused_with_the_version_it_needs(tmp_path: Path) -> None:
    with serve(tmp_path) as served:
        _, identity = enroll(served)
        token = identity["agent_token"]
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=served.url, headers=headers, timeout=GENEROUS_SECONDS) as old:
            response = old.post("/api/v1/heartbeats", json=OLD_HEARTBEAT)
            assert response.status_code == 426
            problem = response.json()
            assert f"messages of version 1, expected version {WIRE_VERSION}" in problem["detail"]
            assert f"Install {__version__} on the device" in problem["remedy"]
            assert problem["facts"] == {"expected_version": __version__}
            assert old.get("/api/v1/downloads").status_code == 200


def test_present_daemon_reports_the_refusal_of_a_newer_service(tmp_path: Path) -> None:
    with serve(tmp_path) as served:
        _, identity = enroll(served)
        token = identity["agent_token"]
        daemon = ServiceClient(ServiceAddress(served.url, token, 60))
        daemon._client.headers[WIRE_VERSION_HEADER] = str(WIRE_VERSION + 1)
        with pytest.raises(UpgradeRequired, match=rf"version {WIRE_VERSION + 1}, expected version {WIRE_VERSION}"):
            daemon.heartbeat(Heartbeat(session_id=SESSION, state="ready"))
        daemon.close()
