"""Soak test: random small plans while the parts of the system fail, each execution exactly once in the end.

A service with its scheduler and Redis (`ciphermark up`) and several agents work on plans drawn from a seed, while
faults of the same seed are done to them one after the other: every process is killed alone and in pairs, Redis is
wiped, processes are paused, networks cut, disks filled and made read-only, clocks stepped, agents cloned, programs
removed and journals damaged. After each fault the time until the affected agents deliver new results is measured.

At the end every execution must have one result and be ok, no run may have failed, the database must be intact, no
process may be left, and no process may have grown. Exits with 1 otherwise. Namespaces and disks need root; without it,
their faults count as missed. The clock of the machine stays: those of the daemons are stepped.

Usage: .venv/bin/python bench/soak.py [--hours 8 | --faults 1000] [--agents 2] [--seed 1] [--runners build/runners]
"""

import json
import shutil
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import psutil

from bench._children import RUNNERS
from bench._options import options
from bench._soak_faults import Done, Fault, Injector, draw
from bench._soak_system import SoakSystem, Stuck, wait_until

BACKLOG = 150
"""Executions that wait for each agent; another plan is submitted below."""
RECOVERY_SECONDS = 240.0
END_SECONDS = 900.0
SETTLED_SECONDS = 20.0
"""Age of a process from which its growth is measured."""
MAX_NEW_DESCRIPTORS = 30
MAX_NEW_MIB = 64
MIB = 2**20
ALGORITHMS = ("aes-128-ctr", "aes-192-cbc", "chacha20-256", "salsa20-128", "ascon-aead128")


@dataclass
class Growth:
    """Descriptors and memory of one process, first and last."""

    name: str
    descriptors: int
    private_bytes: int
    new_descriptors: int = 0
    new_bytes: int = 0


@dataclass
class Soak:
    """State of one soak test."""

    system: SoakSystem
    random: Random
    plans: Random
    runs: list[str] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)
    growth: dict[tuple[int, float], Growth] = field(default_factory=dict)
    _looked_at: float = 0.0

    def pause(self, seconds: float) -> None:
        """Wait while everything that ended is started again."""
        end = time.monotonic() + seconds
        while True:
            self.system.tend()
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, 0.1))

    def submit_if_needed(self) -> None:
        """Keep work for each agent; a submission that fails is repeated later."""
        if min(self.system.waiting(agent) for agent in self.system.agents) >= BACKLOG:
            return
        plan = {
            "version": 1,
            "name": f"soak-{len(self.runs)}",
            "repetitions": self.plans.randint(5, 30),
            "seed": self.plans.randrange(2**31),
            "matrix": [
                {
                    "providers": self.plans.sample(self.system.providers, 1),
                    "algorithms": self.plans.sample(ALGORITHMS, self.plans.randint(1, 3)),
                    "inputs": {"kinds": ["text"], "sizes": self.plans.sample(["16 KiB", "64 KiB", "128 KiB"], 2)},
                }
            ],
        }
        answer = self.system.request("POST", "/runs", {"plan": plan})
        if answer is not None and answer.status_code == 201:
            self.runs.append(answer.json()["id"])

    def disturb(self, injector: Injector, fault: Fault) -> Done:
        """Do one fault and measure the time from its end to new results of every agent."""
        hit, problems = injector.inject(fault)
        ended_at = time.monotonic()
        # Records that were on their way count for nothing: the execution must have been started after the fault.
        moment = datetime.now(UTC)
        try:
            wait_until(lambda: self._all_advanced(moment), f"new results after {fault.name}", RECOVERY_SECONDS)
        except Stuck as error:
            return Done(fault, hit, None, "; ".join([*problems, str(error)]))
        return Done(fault, hit, time.monotonic() - ended_at, "; ".join(problems))

    def _all_advanced(self, moment: datetime) -> bool:
        self.system.tend()
        self.look_at_growth()
        with suppress(Exception):  # the database may be locked for a moment
            self.submit_if_needed()
            return all(self.system.has_measured_since(agent, moment) for agent in self.system.agents)
        return False

    def look_at_growth(self) -> None:
        """Compare descriptors and memory of each settled process with its first look."""
        if time.monotonic() - self._looked_at < 2.0:
            return
        self._looked_at = time.monotonic()
        parts: list[tuple[str, list[psutil.Process]]] = [
            (part, self.system.processes(part)) for part in ("up", "service", "scheduler", "redis")
        ]
        parts += [("daemon", self.system.processes("daemon", agent)) for agent in self.system.agents]
        for name, processes in parts:
            for process in processes:
                with suppress(psutil.Error, FileNotFoundError):
                    if time.time() - process.create_time() < SETTLED_SECONDS:
                        continue
                    descriptors, private = process.num_fds(), process.memory_full_info().uss
                    seen = self.growth.setdefault(
                        (process.pid, process.create_time()), Growth(name, descriptors, private)
                    )
                    seen.new_descriptors = descriptors - seen.descriptors
                    seen.new_bytes = private - seen.private_bytes

    def finish(self) -> None:
        """Wait until every run has ended."""

        def ended() -> bool:
            self.system.tend()
            self.look_at_growth()
            with suppress(Exception):
                open_runs = "SELECT count(*) FROM runs WHERE state NOT IN ('finished', 'failed', 'cancelled')"
                return not self.system.rows(open_runs)[0][0]
            return False

        wait_until(ended, "the end of all runs", END_SECONDS)


def judge(soak: Soak) -> tuple[dict[str, Any], list[str]]:
    """Return the figures of the end and what is wrong."""
    system = soak.system
    states = dict(system.rows("SELECT state, count(*) FROM executions GROUP BY state"))
    failed_runs = system.rows("SELECT id, reason FROM runs WHERE state != 'finished'")
    expected = system.rows("SELECT sum(executions_total) FROM runs")[0][0] or 0
    doubled = system.rows(
        "SELECT count(*) FROM (SELECT 1 FROM executions GROUP BY case_id, repetition, purpose HAVING count(*) > 1)"
    )[0][0]
    repeated = system.rows("SELECT count(*) FROM executions WHERE earlier_attempts IS NOT NULL")[0][0]
    failures = system.rows(
        "SELECT json_extract(failure, '$.error'), json_extract(failure, '$.detail'), count(*) FROM executions"
        " WHERE state NOT IN ('ok', 'waiting') GROUP BY 1, 2"
    )
    integrity = system.rows("PRAGMA integrity_check")[0][0]
    foreign = system.rows("PRAGMA foreign_key_check")
    figures = {
        "runs": len(system.rows("SELECT id FROM runs")),
        "executions": sum(states.values()),
        "expected": expected,
        "states": states,
        "repeated after a failure of the infrastructure": repeated,
        "double": doubled,
        "integrity_check": integrity,
        "foreign_key_check": len(foreign),
    }
    wrong = []
    if states != {"ok": expected} or sum(states.values()) != expected:
        wrong.append(f"executions: {states}, expected {expected} ok; {failures}")
    if failed_runs:
        wrong.append(f"runs that did not finish: {failed_runs}")
    if doubled or integrity != "ok" or foreign:
        wrong.append(f"database: {doubled} double, {integrity}, {len(foreign)} foreign keys")
    wrong += [f"{one.fault.name}: {one.problem}" for one in soak.done if one.problem]
    wrong += [
        f"{seen.name} grew by {seen.new_descriptors} descriptors and {seen.new_bytes / MIB:.0f} MiB"
        for seen in soak.growth.values()
        if seen.new_descriptors > MAX_NEW_DESCRIPTORS or seen.new_bytes > MAX_NEW_MIB * MIB
    ]
    return figures, wrong


def left_over(folder: Path) -> list[str]:
    """Return the processes that still use the folder."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.pid != psutil.Process().pid and str(folder) in " ".join(process.environ().values()):
                found.append(f"{process.pid} {' '.join(process.cmdline())[:100]}")
    return found


def table(done: list[Done]) -> None:
    """Print the recovery times by kind of fault."""
    times: dict[str, list[float]] = defaultdict(list)
    missed: dict[str, int] = defaultdict(int)
    for one in done:
        if not one.hit:
            missed[one.fault.name] += 1
        elif one.recovery_seconds is not None:
            times[one.fault.name].append(one.recovery_seconds)
    print(f"{'fault':34} {'times':>5} {'missed':>6} {'median s':>9} {'worst s':>8}")
    for name in sorted({*times, *missed}):
        found = times[name]
        middle = f"{statistics.median(found):9.1f} {max(found):8.1f}" if found else f"{'-':>9} {'-':>8}"
        print(f"{name:34} {len(found):5} {missed[name]:6} {middle}")


def main() -> int:
    """Execute the soak test; return the exit code."""
    given = options(__doc__, hours=0.0, faults=0, agents=2, seed=1, runners=RUNNERS, keep=False)
    if not given.hours and not given.faults:
        raise SystemExit("give --hours or --faults")
    began_at = time.monotonic()
    deadline = began_at + given.hours * 3600 if given.hours else float("inf")
    folder = Path(tempfile.mkdtemp(prefix="ciphermark-soak-"))
    print(f"seed {given.seed}, {given.agents} agents, folder {folder}", flush=True)
    with SoakSystem(folder, given.agents, given.runners) as system:
        if not system.networked:
            print("no network namespaces: networks are not cut")
        soak = Soak(system, Random(given.seed), Random(given.seed + 1))
        injector = Injector(system, soak.pause)
        soak.submit_if_needed()
        try:
            while time.monotonic() < deadline and (not given.faults or len(soak.done) < given.faults):
                system.make_room_for_results()
                fault = draw(soak.random, given.agents)
                done = soak.disturb(injector, fault)
                soak.done.append(done)
                print(json.dumps({
                    "n": len(soak.done), "at": round(time.monotonic() - began_at), "fault": fault.name,
                    "agent": fault.agent + 1, "hit": done.hit, "recovery": done.recovery_seconds
                    and round(done.recovery_seconds, 1), "problem": done.problem,
                }), flush=True)  # fmt: skip
                soak.pause(soak.random.uniform(0.0, 1.0))
            soak.finish()
        except Stuck as error:
            soak.done.append(Done(Fault("end"), False, None, str(error)))
        figures, wrong = judge(soak)
        if given.keep or wrong:
            shutil.copytree(system.log_folder, folder / "kept", dirs_exist_ok=True)
            shutil.copytree(
                system.data_folder, folder / "kept" / "data", ignore=shutil.ignore_patterns("*.sock", "corpus"),
                dirs_exist_ok=True,
            )  # fmt: skip
    orphans = left_over(folder)
    wrong += [f"left over: {line}" for line in orphans]
    table(soak.done)
    figures |= {
        "faults": len(soak.done),
        "missed": sum(not one.hit for one in soak.done),
        "hours": round((time.monotonic() - began_at) / 3600, 3),
        "orphans": len(orphans),
        "largest growth": {
            "descriptors": max((seen.new_descriptors for seen in soak.growth.values()), default=0),
            "MiB": round(max((seen.new_bytes for seen in soak.growth.values()), default=0) / MIB, 1),
        },
    }
    for name, value in figures.items():
        print(f"{name}: {value}")
    for line in wrong:
        print(f"WRONG: {line}")
    if not (given.keep or wrong):
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
