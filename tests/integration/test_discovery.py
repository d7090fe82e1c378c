"""A service announces itself on a network, and a device that knows no address joins it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.discovery import SERVICE_TYPE, announced, find_services
from orchestrator.errors import SetupError
from orchestrator.security import tokens
from orchestrator.settings import ServiceSettings
from orchestrator.supervisor.announcement import require_announcement
from tests.support.live_service import serve
from tests.support.waiting import until

# Multicast that stays on this machine.
LOOPBACK = ["127.0.0.1"]


def search(url: str) -> list[str]:
    """Return the found services among the one that is expected; other tests announce theirs at the same time."""
    return [found for found in find_services(2.0, LOOPBACK) if found == url]


def test_announced_service_is_found_until_it_ends() -> None:
    url = "http://127.0.0.1:18451"
    with announced(url, LOOPBACK):
        until(lambda: search(url) == [url], "the announcement")
    until(lambda: search(url) == [], "the end of the announcement")


def test_announcement_that_is_no_address_is_ignored() -> None:
    with announced("http://bench example/", LOOPBACK):
        assert not any("bench" in found for found in find_services(1.5, LOOPBACK))


def join(code: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "orchestrator.cli.main", "daemon", "join", "--seconds", "2", *options],
        input=code, env=os.environ | {"CIPHERMARK_DATA_FOLDER": str(folder / "agent")},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def test_device_joins_without_an_address(tmp_path: Path) -> None:
    with serve(tmp_path / "service") as served, announced(served.url, LOOPBACK):
        with served.database.write() as session:
            _, code = tokens.create(session, "join", "test", agent_name="pi-attic")

        def searched() -> subprocess.CompletedProcess[str] | None:
            """Return the ended command, or None where a busy machine answered too late for it."""
            ended = join(code, tmp_path)
            return None if "No service announced itself" in ended.stderr else ended

        done = until(searched, "the service's answer to a device that searches")
        if "Several services are announced" in done.stderr:
            # Other tests on this machine announce theirs at the same time.
            assert served.url in done.stderr
            done = join(code, tmp_path, "--server", served.url)
        assert done.returncode == 0, done.stderr
        assert "This machine is the agent pi-attic." in done.stderr


def test_loopback_service_is_not_announced() -> None:
    with pytest.raises(SetupError, match="no other machine reaches it"):
        require_announcement(ServiceSettings())
    require_announcement(ServiceSettings(host="0.0.0.0"))


def test_service_type_is_that_of_dns_sd() -> None:
    assert SERVICE_TYPE == "_ciphermark._tcp.local."
