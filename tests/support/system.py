"""The complete system on this machine, started by `ciphermark up`, without substitutes."""

import json
import os
import signal
import sqlite3
import ssl
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Self

import httpx
import psutil

from orchestrator.shared.tls import verification
from tests.support.commands import executed
from tests.support.paths import FIXTURES
from tests.support.waiting import GENEROUS_SECONDS, until

CIPHERMARK = (sys.executable, "-m", "orchestrator.cli.main")
START_SECONDS = 900.0  # includes a build of the runners and its footprints, on a busy machine
NO_VALGRIND = FIXTURES / "programs" / "no-valgrind"
"""Tests of constant time have a valgrind; a daemon here would use a core for it until the system ends."""
SETTLED = ("finished", "cancelled", "failed")

Document = dict[str, Any]


def a_plan(**changes: Any) -> Document:
    """Return a plan of 3 providers × 2 algorithms × 1 chunk, some of its fields replaced."""
    plan: Document = {
        "version": 1,
        "name": "acceptance",
        "repetitions": 6,
        "seed": 1,
        "matrix": [
            {
                "providers": ["own", "cryptopp", "botan"],
                "algorithms": ["aes-128-ctr", "chacha20-256"],
                "inputs": {"kinds": ["text"], "sizes": ["128 KiB"]},
            }
        ],
    }
    return plan | changes


class System:
    """A running `ciphermark up` with a data folder of its own."""

    def __init__(self, folder: Path, cache_folder: Path, *, with_corpus: bool = True, **settings: str) -> None:
        """Name the folders; ``settings`` become CIPHERMARK_* variables.

        with_corpus: whether chunks are made before the start; otherwise the data folder is empty.
        """
        self.folder = folder
        self.with_corpus = with_corpus
        self.environment = os.environ | {
            "CIPHERMARK_DATA_FOLDER": str(folder),
            "CIPHERMARK_CACHE_FOLDER": str(cache_folder),
            "PATH": f"{NO_VALGRIND}:{os.environ['PATH']}",
            # Other tests on the machine may halve its speed.
            "CIPHERMARK_QUARANTINE_DRIFT": "100",
            **{f"CIPHERMARK_{name.upper()}": value for name, value in settings.items()},
        }

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.up.kill()  # its children end, too
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start `up`, after chunks were made, and wait until its agent is ready."""
        if self.with_corpus:
            self.command("corpus", "build", "--size", "128 KiB", "--size", "1 MiB")
        with (self.folder / "up.log").open("ab") as log:
            self.up = subprocess.Popen(
                [*CIPHERMARK, "up", "--port", "0", "--json"],
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        access = until(self._access, "the start of the service", START_SECONDS)
        self.trust = _trust(access)
        self.client = self.client_of(access["token"])
        until(self._agent_is_ready, "the agent's readiness", START_SECONDS)

    def client_of(self, token: str, **headers: str) -> httpx.Client:
        """Return a client of the API with a token."""
        access = json.loads((self.folder / "cli.json").read_text())
        return httpx.Client(
            base_url=f"{access['url']}/api/v1",
            headers={"Authorization": f"Bearer {token}"} | headers,
            timeout=GENEROUS_SECONDS,
            verify=self.trust,
        )

    def stop(self) -> None:
        """Stop `up` as Ctrl-C does; none of its processes may be left."""
        family = self.family()
        self.up.send_signal(signal.SIGINT)
        self.up.wait(60)
        self.client.close()
        left = [process for process in family if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]
        assert not left, f"left behind by `up`: {left}"

    def execute(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Execute `ciphermark ARGUMENTS` on this data folder, in this process."""
        return executed(self.environment | variables, *arguments)

    def command(self, *arguments: str, **variables: str) -> str:
        """Execute `ciphermark ARGUMENTS`, which must succeed, and return what it printed."""
        done = self.execute(*arguments, **variables)
        assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def _access(self) -> Document | None:
        assert self.up.poll() is None, (self.folder / "up.log").read_text()
        file = self.folder / "cli.json"
        if not file.exists():
            return None
        access: Document = json.loads(file.read_text())
        try:
            return access if _is_healthy(access) else None
        except httpx.TransportError:
            return None

    def _agent_is_ready(self) -> bool:
        try:
            agents = self.get("/agents")["items"]
        except httpx.TransportError:
            return False
        return bool(agents) and agents[0]["state"] in ("ready", "executing")

    def get(self, path: str, **query: Any) -> Document:
        """Return the JSON at that path."""
        answer = self.client.get(path, params=query)
        assert answer.is_success, answer.text
        document: Document = answer.json()
        return document

    def post(self, path: str, body: Document | None = None) -> Document:
        """Post a JSON body and return the answer."""
        answer = self.client.post(path, json=body or {})
        assert answer.is_success, answer.text
        document: Document = answer.json()
        return document

    def submit(self, plan: Document) -> str:
        """Submit a plan and return its run's id."""
        return str(self.post("/runs", {"plan": plan})["id"])

    def run_state(self, run_id: str) -> str:
        """Return the run's state from the database file, because polling the service would load it."""
        return str(self.rows("SELECT state FROM runs WHERE id = ?", run_id)[0]["state"])

    def wait_for_run(self, run_id: str, seconds: float = 120) -> Document:
        """Return the run once it has ended."""
        until(lambda: self.run_state(run_id) in SETTLED, f"the end of run {run_id}", seconds)
        return self.get(f"/runs/{run_id}")

    def wait_for_progress(self, run_id: str, executions: int, seconds: float = 60) -> None:
        """Return once the database holds that many results of the run."""
        until(lambda: self.stored(run_id) >= executions, f"{executions} executions of run {run_id}", seconds)

    def wait_for_ticks(self, number: int) -> None:
        """Return once the scheduler has begun so many more ticks; the last shows that those before have ended."""
        for _ in range(number):
            last = self._last_tick()
            until(lambda last=last: self._last_tick() != last, "the scheduler's next tick")

    def _last_tick(self) -> str:
        return str(self.rows("SELECT max(ticked_at) AS at FROM ticks")[0]["at"])

    def wait_for_heartbeats(self, number: int) -> None:
        """Return once the service has taken so many more heartbeats of the agent."""
        for _ in range(number):
            last = self._last_heartbeat()
            until(lambda last=last: self._last_heartbeat() != last, "the agent's next heartbeat")

    def _last_heartbeat(self) -> str:
        return str(self.rows("SELECT max(last_heartbeat_at) AS at FROM agents")[0]["at"])

    def rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        """Return the rows of a query on the database file, independent of the service."""
        with closing(sqlite3.connect(self.folder / "ciphermark.sqlite", timeout=GENEROUS_SECONDS)) as connection:
            connection.row_factory = sqlite3.Row
            return connection.execute(query, values).fetchall()

    def states(self, run_id: str) -> Counter[str]:
        """Return how many executions of the run are in which state."""
        counted = "SELECT state, count(*) AS n FROM executions WHERE run_id = ? GROUP BY state"
        return Counter({row["state"]: row["n"] for row in self.rows(counted, run_id)})

    def stored(self, run_id: str) -> int:
        """Return how many executions of the run have a result."""
        states = self.states(run_id)
        return states.total() - states["waiting"]

    def family(self) -> list[psutil.Process]:
        """Return every process that `up` brought along."""
        return psutil.Process(self.up.pid).children(recursive=True)

    def part(self, name: str) -> psutil.Process:
        """Return a part by name: redis, service, scheduler, daemon, launcher or runner."""
        return until(lambda: next(self._parts(name), None), f"the appearance of the {name}")

    def _parts(self, name: str) -> Iterator[psutil.Process]:
        marks = {
            "redis": ("redis-server",),
            "service": ("orchestrator.cli.processes.service", "service"),
            "scheduler": ("orchestrator.cli.processes.scheduler", "scheduler"),
            "daemon": ("orchestrator.cli.processes.daemon", "daemon"),
            "launcher": ("ciphermark-launcher",),
            "runner": ("ciphermark-", "process"),
        }[name]
        for process in self.family():
            try:
                words = process.cmdline()
            except psutil.Error:
                continue
            if all(any(mark in word for word in words) for mark in marks):
                yield process


def _is_healthy(access: Document) -> bool:
    return httpx.get(f"{access['url']}/api/v1/health", timeout=2, verify=_trust(access)).is_success


def _trust(access: Document) -> ssl.SSLContext | bool:
    certificate = access.get("certificate")
    return verification(str(access["url"]), Path(certificate) if certificate else None)


def assert_exactly_once(system: System, run_id: str, executions: int) -> None:
    """Assert that every (case, repetition, purpose) has exactly one result, and that it is ok."""
    rows = system.rows(
        "SELECT case_id, repetition, purpose, position, state, stored_at FROM executions WHERE run_id = ?", run_id
    )
    assert len(rows) == executions
    assert len({(row["case_id"], row["repetition"], row["purpose"]) for row in rows}) == executions
    assert Counter(row["state"] for row in rows) == {"ok": executions}
    assert all(row["stored_at"] for row in rows)
