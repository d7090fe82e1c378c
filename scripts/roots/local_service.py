"""A service on this machine for a trial, started by a command of the README, with a data folder of its own."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, build_opener

from scripts.roots import root
from scripts.roots.machines import TrialError
from scripts.roots.steps import wait_for
from scripts.roots.trial import REPOSITORY

_UP = "Stop with Ctrl-C"
_UP_SECONDS = 600.0
_END_SECONDS = 90.0


class LocalService:
    """Commands of the checkout against the service of one data folder, as the user who started the trial."""

    def __init__(self, data_folder: Path) -> None:
        self.environment = os.environ | {"CIPHERMARK_DATA_FOLDER": str(data_folder)}
        caller = {name: int(os.environ[name]) for name in ("SUDO_UID", "SUDO_GID") if name in os.environ}
        self._rights: dict[str, Any] = {}
        if len(caller) == 2 and os.geteuid() == 0:  # sudo made this program root, not the service
            self._rights = {"user": caller["SUDO_UID"], "group": caller["SUDO_GID"], "extra_groups": []}
            data_folder.mkdir(parents=True, exist_ok=True)
            os.chown(data_folder, *caller.values())

    def output(self, command: str, log: Path | None = None) -> str:
        """Execute a command in the checkout and return its standard output; raises TrialError if it fails."""
        done = subprocess.run(
            ["bash", "-c", command], cwd=REPOSITORY, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, **self._rights,
        )  # fmt: skip
        if log is not None:
            log.write_text(done.stdout + done.stderr, encoding="utf-8")
        if done.returncode != 0:
            raise TrialError(f"Exit code {done.returncode}: {command}\n{done.stdout}{done.stderr}")
        return str(done.stdout)

    def json(self, arguments: str) -> Any:
        """Return the JSON that a command of ciphermark prints."""
        return json.loads(self.output(f".venv/bin/ciphermark {arguments} --json"))

    @contextmanager
    def running(self, command: str, log: Path) -> Iterator[None]:
        """Execute a command that starts the service, wait until it is up, and press Ctrl-C at the end."""
        with log.open("wb") as output:
            process = subprocess.Popen(
                ["bash", "-c", f"exec {command}"], cwd=REPOSITORY, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, start_new_session=True, **self._rights,
            )  # fmt: skip

        def is_up() -> bool:
            if process.poll() is not None:
                raise TrialError(f"It ended with exit code {process.returncode}: {command}\n{root.tail(log)}")
            return _UP in log.read_text(encoding="utf-8", errors="replace")

        try:
            wait_for(is_up, _UP_SECONDS, f"the address that '{command}' prints")
            yield
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()  # the kernel then ends its children
                process.wait()

    def page(self, path: str) -> str:
        """Return a page of the dashboard, as a browser that logged in receives it."""
        login = self.json("token login")["url"]
        base = login.partition("/login")[0]
        browser = build_opener(HTTPCookieProcessor(CookieJar()))
        browser.open(login, timeout=60).close()
        with browser.open(f"{base}{path}", timeout=60) as response:
            return str(response.read().decode())
