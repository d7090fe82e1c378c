"""Overhead of our launcher over a bare posix_spawn and wait4, and the effect of sampling on wall times.

Launch: batches of launches of a static program that does nothing, by `native/spawn_loop.c` and by ciphermark-launcher,
on the same core, in turns, the latter with and without the stop at a program's exit. `wall` is from before the spawn to
after the wait, as each sees it itself; `period` is from one launch to the next, with everything that a daemon does
around it.
Sampling: a child that knows how long it was there (`native/stamper.c`) is executed under each sampling interval, in
random order within each round. The error is our wall time minus the child's own, which is the cost of start and
end; it must be the same under each interval.

Usage: .venv/bin/python bench/launch_overhead.py [--rounds 40] [--batch 50]
"""

import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bench._children import RUNNERS, child, compiled, instrument, measured_core
from bench._options import options
from orchestrator.measurement.instrument.measure import Instrument
from orchestrator.measurement.instrument.monitor import UNWATCHED, Monitor, MonitorPlan
from orchestrator.measurement.launch.launcher import Launcher, LaunchRequest
from orchestrator.statistics.median import summarize

LAUNCHER = RUNNERS / "ciphermark-launcher"
LIMIT_NS = 100_000
CHILD_MS = "30"
WAYS = ("bare loop", "without exit stop", "our launcher", "a whole measurement")
SHIFT_LIMIT_NS = 50_000
"""Largest accepted difference between the errors with and without sampling."""


@dataclass(frozen=True)
class Batch:
    """Consecutive launches: the median wall time of one, and the mean time from one to the next."""

    wall_ns: float
    period_ns: float


class BareLoop:
    """The process of spawn_loop, which launches on request."""

    def __init__(self, loop: Path, core: int, program: Path) -> None:
        """Start it; it sleeps between batches."""
        words = [str(loop), str(core), str(program), "0"]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def batch(self, launches: int) -> Batch:
        """Make that many launches."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{launches}\n")
        self._process.stdin.flush()
        wall_ns, period_ns = self._process.stdout.readline().split()
        return Batch(float(wall_ns), float(period_ns))

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def by_launcher(launcher: Launcher, program: Path, core: int, launches: int) -> Batch:
    """Make that many launches through the launcher alone, without sampling."""
    request = LaunchRequest((str(program), "0"), 10.0, 65_536, core)
    began_ns, walls_ns = time.monotonic_ns(), []
    for _ in range(launches):
        ended = launcher.wait(launcher.send(request), Monitor(UNWATCHED, program, core)).ended
        assert ended.exit_code == 0
        walls_ns.append(ended.end_ns - ended.spawn_ns)
    return Batch(statistics.median(walls_ns), (time.monotonic_ns() - began_ns) / launches)


def by_instrument(opened: Instrument, program: Path, launches: int) -> Batch:
    """Make that many launches with everything around an execution: page cache, facts of the core, monitor, reading."""
    command = child(program, "0")
    began_ns, walls_ns = time.monotonic_ns(), []
    for _ in range(launches):
        seen = opened.measure(command)
        assert seen.failure is None, seen.failure
        walls_ns.append(seen.columns["process_wall_ns"] or 0)
    return Batch(statistics.median(walls_ns), (time.monotonic_ns() - began_ns) / launches)


def compare_launches(folder: Path, before: Path, core: int, rounds: int, launches: int) -> bool:
    """Print the time of each way to launch; return False if ours exceeds the bare loop by more than the limit."""
    program, loop = compiled("stamper.c", folder), compiled("spawn_loop.c", folder)
    order, found = Random(0), {name: list[Batch]() for name in WAYS}
    bare = BareLoop(loop, core, program)
    untraced = Launcher(before, core, exit_stop=False)
    with Launcher(LAUNCHER, core) as launcher, untraced, instrument() as opened:
        ways = {
            "bare loop": lambda: bare.batch(launches),
            "without exit stop": lambda: by_launcher(untraced, program, core, launches),
            "our launcher": lambda: by_launcher(launcher, program, core, launches),
            "a whole measurement": lambda: by_instrument(opened, program, launches),
        }
        for _ in range(rounds):
            for name in order.sample(sorted(ways), len(ways)):
                found[name].append(ways[name]())
    bare.close()
    print(f"{rounds} rounds of {launches} launches each, core {core}, a static program that does nothing")
    print(f"{'':<22}{'wall':>10}{'period':>12}{'wall over the bare loop (95 %)':>40}")
    over = {
        name: [b.wall_ns - a.wall_ns for a, b in zip(found["bare loop"], found[name], strict=True)] for name in ways
    }
    stop_ns = [b.wall_ns - a.wall_ns for a, b in zip(found["without exit stop"], found["our launcher"], strict=True)]
    for name, batches in found.items():
        wall_ns, period_ns = (
            statistics.median(getattr(b, field) for b in batches) for field in ("wall_ns", "period_ns")
        )
        print(f"{name:<22}{wall_ns / 1e3:>7.1f} us{period_ns / 1e3:>9.1f} us{_interval(over[name]):>40}")
    print(f"the exit stop, in pairs: {_interval(stop_ns)}")
    median_ns = statistics.median(over["our launcher"])
    print(f"our launcher over the bare loop: {median_ns / 1e3:+.1f} us (median), aim at most {LIMIT_NS / 1e3:.0f} us\n")
    return median_ns <= LIMIT_NS


def compare_intervals(folder: Path, core: int, rounds: int) -> bool:
    """Print the error of the wall time under each sampling interval; False when sampling moves it."""
    program = compiled("stamper.c", folder)
    plans = {f"{ms} ms": MonitorPlan(ms * 1_000_000, 100_000_000) for ms in (1, 10, 100)} | {"off": UNWATCHED}
    order, errors_ns = Random(1), {name: list[float]() for name in plans}
    with Launcher(LAUNCHER, core) as launcher:
        for _ in range(rounds):
            for name in order.sample(sorted(plans), len(plans)):
                errors_ns[name].append(_error_ns(launcher, program, core, plans[name]))
    print(f"{rounds} rounds, a child of {CHILD_MS} ms: our wall time less the child's own")
    print(f"{'sampling':<12}{'error':>10}{'against no sampling (95 %)':>40}")
    good = True
    for name, errors in errors_ns.items():
        moved = [error - without for error, without in zip(errors, errors_ns["off"], strict=True)]
        print(f"{name:<12}{statistics.median(errors) / 1e3:>7.1f} us{_interval(moved) if name != 'off' else '':>40}")
        good = good and not _is_beyond(moved, SHIFT_LIMIT_NS)
    print(f"aim: no interval of a difference is beyond +-{SHIFT_LIMIT_NS / 1e3:.0f} us")
    return good


def _error_ns(launcher: Launcher, program: Path, core: int, plan: MonitorPlan) -> float:
    request = LaunchRequest((str(program), CHILD_MS), 10.0, 65_536, core)
    launched = launcher.wait(launcher.send(request), Monitor(plan, program, core))
    begin_ns, end_ns = (int(word) for word in launched.stdout.split())
    return (launched.ended.end_ns - launched.ended.spawn_ns) - (end_ns - begin_ns)


def _interval(differences_ns: list[float]) -> str:
    summary = summarize(differences_ns)
    assert summary is not None
    if summary.interval is None:
        return f"{summary.median / 1e3:+.1f} us"
    return f"{summary.median / 1e3:+.1f} ({summary.interval.low / 1e3:+.1f} to {summary.interval.high / 1e3:+.1f}) us"


def _is_beyond(differences_ns: list[float], limit_ns: float) -> bool:
    summary = summarize(differences_ns)
    if summary is None or summary.interval is None:
        return False
    return summary.interval.low > limit_ns or summary.interval.high < -limit_ns


def main() -> int:
    """Measure and print; 1 when an aim is missed."""
    given = options(__doc__, rounds=40, batch=50, before=LAUNCHER)
    core, _ = measured_core()
    with tempfile.TemporaryDirectory() as folder:
        launches = compare_launches(Path(folder), given.before, core, given.rounds, given.batch)
        intervals = compare_intervals(Path(folder), core, 3 * given.rounds)
    return 0 if launches and intervals else 1


if __name__ == "__main__":
    sys.exit(main())
