"""The complete system for the soak test: `up` and agents as processes, each agent in a network namespace of its own.

The data folder of the service and those of the agents are small disks (tmpfs). Without the permissions of root the
system runs without disks and namespaces of its own.
"""

import json
import os
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import psutil
import redis

from orchestrator.cli.supervisor.layout import Layout
from orchestrator.cli.supervisor.ports import choose_port
from orchestrator.cli.supervisor.private_redis import PrivateRedis
from orchestrator.shared.units import MIB
from tests.support.small_disk import SmallDisk, mounted

CIPHERMARK = (sys.executable, "-m", "orchestrator.cli.main")
BRIDGE = f"cms{os.getpid() % 100_000}"
"""Prefix of the names of interfaces and namespaces, which have at most 15 characters."""
HOST_ADDRESS = f"10.231.{os.getpid() % 250 + 1}.1"
SERVICE_DISK_MIB, AGENT_DISK_MIB = 512, 160
MIN_FREE_MIB = 24
MORE_MIB = 256
"""Enlargement of the service's disk when results have filled it: 330 MiB in an hour (2-core VM, 2026-11)."""
START_SECONDS = 600.0
RESTART_SECONDS = 0.5
"""Pause after which a program that ended is started again, as systemd does."""
_PARTS = {
    "redis": ("redis-server",),
    "service": ("orchestrator.cli.processes.service", "service"),
    "scheduler": ("orchestrator.cli.processes.scheduler", "scheduler"),
    "launcher": ("ciphermark-launcher",),
    "runner": ("ciphermark-", "process"),
}


class Stuck(Exception):
    """Something that must come back did not."""


def wait_until(condition: Any, what: str, seconds: float) -> Any:
    """Return the first true value of a condition; raise Stuck after so many seconds."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise Stuck(f"waited {seconds:g} s for {what}")
        time.sleep(0.05)
    return value


def run(*command: str, check: bool = True) -> bool:
    """Execute a command; return whether it succeeded."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.returncode == 0


@dataclass
class Kept:
    """A program that is started again whenever it ends."""

    name: str
    command: list[str]
    environment: dict[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0
    exit_codes: list[int] = field(default_factory=list)
    _ended_at: float = 0.0

    def keep(self) -> None:
        """Start it, unless it runs or ended less than a moment ago."""
        if self.process is not None:
            code = self.process.poll()
            if code is None:
                return
            self.exit_codes.append(code)
            self.process, self._ended_at = None, time.monotonic()
        if time.monotonic() - self._ended_at >= RESTART_SECONDS:
            with self.log.open("ab") as log:
                self.process = subprocess.Popen(
                    self.command, env=self.environment, stdout=log, stderr=log, start_new_session=True
                )
            self.starts += 1

    def family(self) -> list[psutil.Process]:
        """Return the process and all processes below it."""
        if self.process is None:
            return []
        with suppress(psutil.Error):
            own = psutil.Process(self.process.pid)
            return [own, *own.children(recursive=True)]
        return []

    def stop(self) -> None:
        """End it as a user does."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


@dataclass
class SoakAgent:
    """One agent: its daemon, disk and network."""

    number: int
    kept: Kept
    folder: Path
    disk: SmallDisk | None
    namespace: str | None
    agent_id: str = ""

    @property
    def clock_file(self) -> Path:
        """File with the offset of the daemon's wall clock."""
        return self.folder.parent / "clock-offset"

    def shift_clock(self, seconds: float) -> None:
        """Set the offset of the daemon's wall clock; the file is mapped by the daemon and keeps its inode."""
        with self.clock_file.open("r+b") as file:
            file.write(struct.pack("d", seconds))

    def set_connected(self, connected: bool) -> None:
        """Connect or cut the network of the agent."""
        run("ip", "link", "set", f"{BRIDGE}v{self.number}", "up" if connected else "down")


class SoakSystem:
    """`up` and its agents; `tend` starts again what has ended."""

    def __init__(self, folder: Path, agents: int, runners: Path) -> None:
        """Prepare disks, network and settings; nothing is started yet."""
        self.folder, self._count, self._runners = folder, agents, runners
        names = sorted(path.name.removeprefix("ciphermark-") for path in runners.glob("ciphermark-*"))
        self.providers = [name for name in names if name != "launcher"]
        self._stack = ExitStack()
        self.log_folder = folder / "logs"
        self.log_folder.mkdir(parents=True)
        self._clock_library = folder / "clock_offset.so"
        source = Path(__file__).parent / "native" / "clock_offset.c"
        run("cc", "-O1", "-fPIC", "-shared", "-o", str(self._clock_library), str(source), "-ldl", "-lm")
        self.service_disk = self._stack.enter_context(mounted(folder / "service", SERVICE_DISK_MIB))
        self.networked = self._stack.enter_context(_network(agents))
        self.host = HOST_ADDRESS if self.networked else "127.0.0.1"
        self.port = choose_port(self.host, 0).number
        self.data_folder = folder / "service" / "data"
        self.environment = os.environ | {
            "CIPHERMARK_DATA_FOLDER": str(self.data_folder),
            "CIPHERMARK_CACHE_FOLDER": str(folder / "cache"),
            "CIPHERMARK_QUARANTINE_DRIFT": "1000",
            "CIPHERMARK_MIN_FREE_MIB": str(MIN_FREE_MIB),
            "CIPHERMARK_JOB_SECONDS": "3",
        }
        listen = ["--listen", self.host, "--insecure-lan"] if self.networked else []
        self.up = Kept(
            "up",
            [*CIPHERMARK, "up", "--no-agent", "--port", str(self.port), *listen],
            self.environment,
            self.log_folder / "up.log",
        )
        self.agents: list[SoakAgent] = []
        self.client: httpx.Client | None = None

    def __enter__(self) -> "SoakSystem":
        """Start everything and wait for the agents."""
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop everything, disks and network last."""
        for kept in [*(agent.kept for agent in self.agents), self.up]:
            kept.stop()
        if self.client is not None:
            self.client.close()
        self._stack.close()

    def tend(self) -> None:
        """Start again what has ended."""
        for kept in [self.up, *(agent.kept for agent in self.agents)]:
            with suppress(OSError):  # on a full or read-only disk it cannot start
                kept.keep()

    def make_room_for_results(self) -> None:
        """Enlarge the service's disk, as its operator must when results fill it: they are no fault and stay."""
        disk = self.service_disk
        if disk is not None and shutil.disk_usage(disk.folder).free < 4 * MIN_FREE_MIB * MIB:
            disk.enlarge(MORE_MIB)

    def processes(self, part: str, agent: SoakAgent | None = None) -> list[psutil.Process]:
        """Return the processes of a part: up, service, scheduler, redis; daemon, launcher or runner of an agent."""
        root = self.up if agent is None else agent.kept
        if part in ("up", "daemon"):
            # In a namespace the daemon is the process itself: `ip netns exec` replaces itself.
            return root.family()[:1]
        found = []
        for process in root.family()[1:]:
            with suppress(psutil.Error):
                words = process.cmdline()
                if all(any(mark in word for word in words) for mark in _PARTS[part]):
                    found.append(process)
        return found

    def redis(self) -> Any:
        """Return an administrator's client of the private Redis."""
        layout = Layout(self.data_folder)
        return redis.Redis.from_url(PrivateRedis(layout).address.redis_url, socket_timeout=5.0)

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query on the database file, independent of the service."""
        path = self.data_folder / "ciphermark.sqlite"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as connection:
            return connection.execute(query, values).fetchall()

    def request(self, method: str, path: str, body: Any = None) -> httpx.Response | None:
        """Send a request as the administrator; None while the service does not answer."""
        with suppress(httpx.TransportError, OSError, ValueError, KeyError):
            if self.client is None:
                access = json.loads((self.data_folder / "cli.json").read_text())
                self.client = httpx.Client(
                    base_url=f"http://{self.host}:{self.port}/api/v1",
                    headers={"Authorization": f"Bearer {access['token']}"},
                    timeout=10,
                )
            return self.client.request(method, path, json=body)
        return None

    def has_measured_since(self, agent: SoakAgent, moment: datetime) -> bool:
        """Return whether an execution that the agent started after a moment (UTC) has a record."""
        query = (
            "SELECT 1 FROM executions e JOIN cases c ON c.id = e.case_id"
            " WHERE c.agent_id = ? AND e.state != 'waiting' AND e.started_at > ? LIMIT 1"
        )
        return bool(self.rows(query, agent.agent_id, moment.replace(tzinfo=None).isoformat(sep=" ")))

    def waiting(self, agent: SoakAgent) -> int:
        """Return how many executions an agent has to make."""
        query = (
            "SELECT count(*) FROM executions e JOIN cases c ON c.id = e.case_id"
            " WHERE c.agent_id = ? AND e.state = 'waiting'"
        )
        return int(self.rows(query, agent.agent_id)[0][0])

    def daemon_command(self, agent_number: int) -> list[str]:
        """Return the command of a daemon, in its namespace."""
        inside = ["ip", "netns", "exec", f"{BRIDGE}{agent_number}"] if self.networked else []
        return [*inside, *CIPHERMARK, "daemon", "start"]

    def _start(self) -> None:
        self.data_folder.mkdir(parents=True)
        sizes = [word for size in ("16 KiB", "64 KiB", "128 KiB") for word in ("--size", size)]
        subprocess.run([*CIPHERMARK, "corpus", "build", *sizes], env=self.environment, check=True, capture_output=True)
        self.tend()
        wait_until(self._answers, "the start of the service", START_SECONDS)
        for number in range(1, self._count + 1):
            self.agents.append(self._add_agent(number))
        wait_until(self._agents_are_ready, "the agents", START_SECONDS)
        rows = {name: agent_id for agent_id, name in self.rows("SELECT id, name FROM agents")}
        for agent in self.agents:
            agent.agent_id = rows[f"soak-{agent.number}"]

    def _answers(self) -> bool:
        self.tend()
        answer = self.request("GET", "/health")
        return answer is not None and answer.is_success

    def _add_agent(self, number: int) -> SoakAgent:
        disk_folder = self.folder / f"agent-{number}"
        disk = self._stack.enter_context(mounted(disk_folder, AGENT_DISK_MIB))
        data = disk_folder / "data"
        data.mkdir()
        environment = os.environ | {
            "CIPHERMARK_DATA_FOLDER": str(data),
            "CIPHERMARK_CACHE_FOLDER": str(disk_folder / "cache"),
            "CIPHERMARK_RUNNERS_FOLDER": str(self._runners),
            "CIPHERMARK_SHARE_CORE": "true",
            "CIPHERMARK_MIN_FREE_MIB": str(MIN_FREE_MIB),
        }
        offset = disk_folder / "clock-offset"
        offset.write_bytes(struct.pack("d", 0.0))
        environment |= {"LD_PRELOAD": str(self._clock_library), "CLOCK_OFFSET_FILE": str(offset)}
        code = subprocess.run(
            [*CIPHERMARK, "token", "create", "--role", "agent", "--quiet"],
            env=self.environment, check=True, capture_output=True, text=True,
        ).stdout.strip()  # fmt: skip
        command = self.daemon_command(number)
        enroll = [
            *command[:-2], "daemon", "enroll", "--server", f"http://{self.host}:{self.port}",
            "--name", f"soak-{number}", "--insecure-lan",
        ]  # fmt: skip
        done = subprocess.run(enroll, env=environment, input=f"{code}\n", capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Stuck(f"enrollment: {done.stdout}{done.stderr}")
        kept = Kept(f"daemon {number}", command, environment, self.log_folder / f"daemon-{number}.log")
        return SoakAgent(number, kept, data, disk, f"{BRIDGE}{number}" if self.networked else None)

    def _agents_are_ready(self) -> bool:
        self.tend()
        answer = self.request("GET", "/agents")
        states = [] if answer is None else [agent["state"] for agent in answer.json()["items"]]
        return len(states) == self._count and all(state in ("ready", "executing") for state in states)


@contextmanager
def _network(agents: int) -> Iterator[bool]:
    """Create a bridge with one namespace per agent; yield False where that is not permitted."""
    if (
        os.geteuid() != 0
        or shutil.which("ip") is None
        or not run("ip", "link", "add", BRIDGE, "type", "bridge", check=False)
    ):
        yield False
        return
    try:
        run("ip", "address", "add", f"{HOST_ADDRESS}/24", "dev", BRIDGE)
        run("ip", "link", "set", BRIDGE, "up")
        for number in range(1, agents + 1):
            name, outside, inside = f"{BRIDGE}{number}", f"{BRIDGE}v{number}", f"{BRIDGE}i{number}"
            run("ip", "netns", "add", name)
            run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside)
            run("ip", "link", "set", inside, "netns", name)
            run("ip", "link", "set", outside, "master", BRIDGE)
            run("ip", "link", "set", outside, "up")
            inner = ("ip", "-n", name)
            run(*inner, "address", "add", f"{HOST_ADDRESS.rpartition('.')[0]}.{10 + number}/24", "dev", inside)
            run(*inner, "link", "set", inside, "up")
            run(*inner, "link", "set", "lo", "up")
        yield True
    finally:
        for number in range(1, agents + 1):
            run("ip", "link", "del", f"{BRIDGE}v{number}", check=False)
            run("ip", "netns", "del", f"{BRIDGE}{number}", check=False)
        run("ip", "link", "del", BRIDGE, check=False)
