"""A service that systemd or compose starts alone, and the commands of its operator on the same machine."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from orchestrator.database.engine import Database
from orchestrator.database.models import APIToken
from orchestrator.shared.tls import verification
from tests.support.commands import executed
from tests.support.ports import lasting_port
from tests.support.waiting import GENEROUS_SECONDS, until

SECONDS = 120.0
"""Timeout of a command and of the start; a loaded machine with two cores needs most of a minute to import it."""


@dataclass
class LoneService:
    data: Path
    environment: dict[str, str]
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def ciphermark(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return executed(self.environment, *arguments)

    def printed(self, *arguments: str) -> str:
        """Return what a command prints that must succeed."""
        done = self.ciphermark(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self) -> None:
        log = self.data.with_suffix(".log")
        with log.open("ab") as output:
            command = [sys.executable, "-m", "orchestrator.cli.main", "service"]
            process = subprocess.Popen(command, env=self.environment, stdout=output, stderr=output)
        self.running.append(process)

        def answers() -> bool:
            assert process.poll() is None, log.read_text()
            try:
                return httpx.get(f"{self.url}/api/v1/health", timeout=5, verify=verification(self.url)).is_success
            except httpx.TransportError:
                return False

        until(answers, "the start of `ciphermark service`", SECONDS)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.environment['CIPHERMARK_PORT']}"

    def stop(self) -> None:
        """End the service as systemd does."""
        process = self.running.pop()
        process.terminate()
        process.wait(SECONDS)


@pytest.fixture(scope="module")
def of_all_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoneService]:
    folder = tmp_path_factory.mktemp("lone")
    environment = os.environ | {
        "CIPHERMARK_DATA_FOLDER": str(folder / "data"),
        "CIPHERMARK_CACHE_FOLDER": str(folder / "cache"),
        "CIPHERMARK_PORT": str(lasting_port()),
    }
    service = LoneService(folder / "data", environment)
    yield service
    while service.running:
        service.stop()


@pytest.fixture
def lone(of_all_tests: LoneService) -> LoneService:
    """Return the service, started again if another test has stopped it."""
    if not of_all_tests.running:
        of_all_tests.start()
    return of_all_tests


def test_command_line_of_the_machine_may_create_rotate_and_revoke_tokens(lone: LoneService) -> None:
    assert f"{lone.url}/" in lone.printed("token", "login")
    created = json.loads(lone.printed("token", "create", "--role", "viewer", "--label", "wall", "--json"))
    rotated = json.loads(lone.printed("token", "rotate", created["id"], "--grace", "0", "--expires", "90d", "--json"))
    bearers = {
        name: {"Authorization": f"Bearer {made['token']}"} for name, made in (("old", created), ("new", rotated))
    }
    seen = {
        name: httpx.get(f"{lone.url}/api/v1/runs", headers=bearer, timeout=GENEROUS_SECONDS).status_code
        for name, bearer in bearers.items()
    }
    assert seen == {"old": 401, "new": 200}
    assert "is revoked" in lone.printed("token", "revoke", rotated["id"])
    states = {row["id"]: row["revoked_at"] is not None for row in json.loads(lone.printed("token", "list", "--json"))}
    assert states[rotated["id"]]
    assert "revoked" in lone.printed("token", "list")


def test_own_token_is_replaced_in_the_file_of_the_command_line(lone: LoneService) -> None:
    access = lone.data / "cli.json"
    before = json.loads(access.read_text())["token"]
    assert "uses the new token" in lone.printed("token", "rotate")
    after = json.loads(access.read_text())["token"]
    assert before not in {"", after}
    assert access.stat().st_mode & 0o777 == 0o600
    bearer = {"Authorization": f"Bearer {before}"}
    assert httpx.get(f"{lone.url}/api/v1/runs", headers=bearer, timeout=GENEROUS_SECONDS).status_code == 401
    assert "admin" in lone.printed("token", "list")


def test_backup_is_made_while_the_service_runs_and_restored_when_it_does_not(lone: LoneService) -> None:
    lone.printed("token", "create", "--role", "viewer", "--label", "in the backup")
    made = lone.printed("backup")
    assert "0 executions, verified" in made
    folder = made.split()[0]
    (listed,) = json.loads(lone.printed("backup", "--list", "--json"))
    assert listed["folder"] == folder
    lone.printed("token", "create", "--role", "viewer", "--label", "after the backup")

    refused = lone.ciphermark("restore", folder)
    assert refused.returncode != 0
    assert "uses the database" in refused.stderr
    lone.stop()
    absent = lone.ciphermark("restore", str(lone.data / "no-backup"))
    assert absent.returncode != 0
    assert "ciphermark backup --list" in absent.stderr
    restored = lone.printed("restore", folder)
    assert "Restored 0 executions" in restored
    assert "The replaced database is" in restored
    with Database(f"sqlite:///{lone.data / 'ciphermark.sqlite'}") as database, database.read() as session:
        labels = set(session.scalars(select(APIToken.label)))
    assert "in the backup" in labels
    assert "after the backup" not in labels
