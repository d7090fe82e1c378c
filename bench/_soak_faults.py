"""The faults of the soak test, drawn from a seed: each is done to the running system and ended after a while."""

import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

import psutil
import redis

from bench._soak_system import SoakAgent, SoakSystem
from orchestrator.compilation.folders import builds_folder

CLONE_EXIT_CODE = 75
CLONE_SECONDS = 60.0
READ_ONLY_TRIES = 40
_PARTS_OF_SERVICE = ("up", "service", "scheduler", "redis")
_PARTS_OF_AGENT = ("daemon", "launcher", "runner")
PARTS = (*_PARTS_OF_SERVICE, *_PARTS_OF_AGENT)


@dataclass(frozen=True)
class Fault:
    """One fault of the list that a seed gives."""

    kind: str
    parts: tuple[str, ...] = ()
    agent: int = 0
    """Index of the agent that it concerns; the second of a pair of parts concerns the next agent."""
    seconds: float = 0.0
    """How long it lasts; 0 for a kill."""
    value: float = 0.0

    @property
    def name(self) -> str:
        """Name in the table."""
        return f"{self.kind} {' + '.join(sorted(self.parts))}".strip()


@dataclass
class Done:
    """Result of a fault."""

    fault: Fault
    hit: bool
    """Whether there was something to hit."""
    recovery_seconds: float | None
    problem: str = ""
    notes: list[str] = field(default_factory=list)


def draw(random: Random, agents: int) -> Fault:
    """Return the next fault."""
    agent, seconds = random.randrange(agents), random.uniform(0.5, 4.0)
    kind = random.choices(
        ("kill", "kill pair", "pause", "redis wiped", "network cut", "disk full", "disk read-only", "clock step",
         "agent cloned", "program removed", "journal damaged"),
        weights=(30, 14, 12, 8, 10, 8, 4, 6, 2, 4, 2),
    )[0]  # fmt: skip
    if kind in ("kill", "kill pair"):
        return Fault(kind, tuple(random.sample(PARTS, 2 if kind == "kill pair" else 1)), agent)
    if kind == "network cut":
        return Fault(kind, (), agent, random.choice((seconds, 3 * seconds)))
    places = {"pause": ("redis", "service", "scheduler", "daemon")}
    if kind in ("pause", "disk full", "disk read-only"):
        return Fault(kind, (random.choice(places.get(kind, ("service", "agent"))),), agent, seconds)
    if kind == "clock step":
        return Fault(
            kind, ("forward",) if random.random() < 0.5 else ("back",), agent, 0.0, random.choice((2, 90, 4000))
        )
    return Fault(kind, (), agent)


class Injector:
    """Does the faults to a system."""

    def __init__(self, system: SoakSystem, pause: Callable[[float], None]) -> None:
        """Pause by `pause`, which starts again what has ended."""
        self._system, self._pause = system, pause

    def inject(self, fault: Fault) -> tuple[bool, list[str]]:
        """Do the fault and end it; return whether it hit something, and problems that it showed."""
        agent = self._system.agents[fault.agent]
        actions: dict[str, Callable[[Fault, SoakAgent], tuple[bool, list[str]]]] = {
            "kill": self._kill,
            "kill pair": self._kill,
            "pause": self._stop_and_continue,
            "redis wiped": self._wipe,
            "network cut": self._cut,
            "disk full": self._fill,
            "disk read-only": self._set_read_only,
            "clock step": self._step_clock,
            "agent cloned": self._clone,
            "program removed": self._remove_program,
            "journal damaged": self._damage_journal,
        }
        return actions[fault.kind](fault, agent)

    def _targets(self, fault: Fault, agent: SoakAgent) -> list[psutil.Process]:
        found = []
        for part in fault.parts:
            owner = None if part in _PARTS_OF_SERVICE else agent
            # Launchers and runners live for moments.
            deadline = time.monotonic() + 3.0
            while not (processes := self._system.processes(part, owner)) and time.monotonic() < deadline:
                self._pause(0.01)
            found += processes[:1]
        return found

    def _kill(self, fault: Fault, agent: SoakAgent) -> tuple[bool, list[str]]:
        targets, hits = self._targets(fault, agent), 0
        for process in targets:
            with suppress(psutil.NoSuchProcess):
                process.kill()
                hits += 1
        return hits == len(fault.parts), []

    def _stop_and_continue(self, fault: Fault, agent: SoakAgent) -> tuple[bool, list[str]]:
        targets = self._targets(fault, agent)
        for process in targets:
            with suppress(psutil.NoSuchProcess):
                process.suspend()
        self._pause(fault.seconds)
        for process in targets:
            with suppress(psutil.NoSuchProcess):  # a watchdog may have ended it
                process.resume()
        return bool(targets), []

    def _wipe(self, _fault: Fault, _agent: SoakAgent) -> tuple[bool, list[str]]:
        with suppress(redis.RedisError, OSError):
            client = self._system.redis()
            client.flushall()
            client.close()
            return True, []
        return False, []

    def _cut(self, fault: Fault, agent: SoakAgent) -> tuple[bool, list[str]]:
        if agent.namespace is None:
            return False, []
        agent.set_connected(False)
        self._pause(fault.seconds)
        agent.set_connected(True)
        return True, []

    def _fill(self, fault: Fault, agent: SoakAgent) -> tuple[bool, list[str]]:
        disk = self._system.service_disk if "service" in fault.parts else agent.disk
        if disk is None:
            return False, []
        disk.fill()
        self._pause(fault.seconds)
        disk.empty()
        return True, []

    def _set_read_only(self, fault: Fault, agent: SoakAgent) -> tuple[bool, list[str]]:
        """Let a disk turn read-only together with the end of its programs: open files would prevent the remount."""
        service = "service" in fault.parts
        disk = self._system.service_disk if service else agent.disk
        kept = self._system.up if service else agent.kept
        if disk is None:
            return False, []
        for process in kept.family():
            with suppress(psutil.NoSuchProcess):
                process.kill()
        if kept.process is not None:
            kept.process.wait(10)
        hit, tries = disk.set_read_only(True), 1
        while not hit and tries < READ_ONLY_TRIES:
            time.sleep(0.05)
            hit, tries = disk.set_read_only(True), tries + 1
        self._pause(fault.seconds)
        while not disk.set_read_only(False):
            self._pause(0.05)
        return hit, []

    def _step_clock(self, fault: Fault, agent: SoakAgent) -> tuple[bool, list[str]]:
        """Step the wall clock of a daemon and back again; the clock of the machine stays."""
        agent.shift_clock(fault.value if "forward" in fault.parts else -fault.value)
        self._pause(4.0)
        agent.shift_clock(0.0)
        return True, []

    def _clone(self, _fault: Fault, agent: SoakAgent) -> tuple[bool, list[str]]:
        """Start a daemon on a copy of the agent's data folder; it must end by itself."""
        if not self._system.processes("daemon", agent):
            return False, []
        copy = self._system.folder / f"clone-{agent.number}-{time.monotonic_ns()}"
        shutil.copytree(agent.folder, copy, ignore=shutil.ignore_patterns("*.sock"))
        environment = agent.kept.environment | {"CIPHERMARK_DATA_FOLDER": str(copy)}
        clone = subprocess.Popen(
            agent.kept.command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + CLONE_SECONDS
        while clone.poll() is None and time.monotonic() < deadline:
            self._pause(0.2)
        problems = []
        if clone.poll() != CLONE_EXIT_CODE:
            problems.append(f"the clone ended with {clone.poll()}, expected {CLONE_EXIT_CODE}")
            clone.kill()
        clone.wait()
        shutil.rmtree(copy, ignore_errors=True)
        return True, problems

    def _remove_program(self, _fault: Fault, agent: SoakAgent) -> tuple[bool, list[str]]:
        programs = list(builds_folder(agent.folder.parent / "cache").glob("*/ciphermark-own"))
        for program in programs:
            program.unlink(missing_ok=True)
        return bool(programs), []

    def _damage_journal(self, _fault: Fault, agent: SoakAgent) -> tuple[bool, list[str]]:
        """Kill a daemon and invert bytes in the middle of its journal."""
        for process in agent.kept.family():
            with suppress(psutil.NoSuchProcess):
                process.kill()
        hit = False
        for journal in agent.folder.glob("journal-*.sqlite"):
            content = bytearray(journal.read_bytes())
            begin = len(content) // 2 // 4096 * 4096
            content[begin : begin + 200] = bytes(byte ^ 0xFF for byte in content[begin : begin + 200])
            journal.write_bytes(content)
            hit = True
        return hit, []
