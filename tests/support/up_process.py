"""``ciphermark up`` as a separate process, with its children and its URL."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import psutil

from orchestrator.shared.tls import verification
from tests.support.commands import executed
from tests.support.waiting import until

SECONDS = 120.0
"""Timeout of a start; a loaded machine with two cores needs most of a minute to import the service."""


class UpProcess:
    def __init__(self, folder: Path, *options: str, with_agent: bool = False, **settings: str) -> None:
        """Start it; ``settings`` become CIPHERMARK_* variables."""
        self.with_agent = with_agent
        self.data = folder / "data"
        self.environment = os.environ | {
            "CIPHERMARK_DATA_FOLDER": str(self.data),
            "CIPHERMARK_CACHE_FOLDER": str(folder / "cache"),
            **{f"CIPHERMARK_{name.upper()}": value for name, value in settings.items()},
        }
        self.output = folder / "up.log"
        self.options = options
        self.start()

    def start(self) -> None:
        agent = "--agent" if self.with_agent else "--no-agent"
        (folder := self.data.parent / "here").mkdir(exist_ok=True)
        (folder / "http.py").write_text("raise SystemExit('imported from the working folder')")
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                self.command("up", agent, *self.options), env=self.environment, stdout=output, stderr=output, cwd=folder
            )

    @staticmethod
    def command(*arguments: str) -> list[str]:
        return [sys.executable, "-P", "-m", "orchestrator.cli.main", *arguments]

    def ciphermark(self, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Execute a command in this process."""
        return executed(self.environment, *arguments, given=given)

    def get(self, path: str) -> Any:
        """Return the JSON of the API at a path, which costs less than a command."""
        access = json.loads((self.data / "cli.json").read_text())
        headers = {"Authorization": f"Bearer {access['token']}"}
        answer = httpx.get(f"{self.url}/api/v1{path}", headers=headers, timeout=SECONDS, verify=verification(self.url))
        return answer.raise_for_status().json()

    def wait_until_up(self) -> None:
        def up() -> bool:
            assert self.process.poll() is None, self.output.read_text()
            # The last of several lines, so that the URL before it is complete.
            return "Stop with Ctrl-C" in self.output.read_text()

        until(up, "the start of `ciphermark up`", SECONDS)

    @property
    def url(self) -> str:
        return str(json.loads((self.data / "cli.json").read_text())["url"])

    def children(self) -> dict[str, psutil.Process]:
        """Return the children by the last word of their command line, and Redis by its program."""
        found = {}
        for child in psutil.Process(self.process.pid).children():
            # A child that was just killed has no command line, or does not exist.
            with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
                if line := child.cmdline():
                    found["redis" if "redis-server" in line[0] else line[-1]] = child
        return found

    def ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/api/v1/readiness", timeout=5, verify=verification(self.url)).is_success
        except httpx.TransportError:
            return False

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(60)
