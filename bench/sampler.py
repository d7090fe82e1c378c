"""Cost of sampling: the share of a core that the sampling thread uses, and its effect on the CPU time of the child.

A child with the same work each time is executed with the 10 ms curve (and psutil each 100 ms, as daemons do) and
without any sampling, in interleaved pairs. The cost is the CPU time of the thread that waits, samples and reads the
launcher's answer, over the wall time of the execution. The shift is the median ratio of the child's CPU times.

Usage: .venv/bin/python bench/sampler.py [--pairs 60]
"""

import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bench._children import RUNNERS, WATCHED, Child, child, compiled, instrument
from bench._options import options
from orchestrator.measurement.instrument.measure import Instrument
from orchestrator.measurement.instrument.monitor import UNWATCHED, MonitorPlan
from orchestrator.statistics.median import summarize

ROUNDS = "400000000"
"""About half a second."""
COST_LIMIT, SHIFT_LIMIT = 0.010, 0.005


@dataclass(frozen=True)
class Execution:
    """Times of one execution."""

    wall_ns: int
    child_cpu_ns: int
    watcher_cpu_ns: int

    @property
    def cost(self) -> float:
        """The watching thread's share of one core."""
        return self.watcher_cpu_ns / self.wall_ns


def execute(opened: Instrument, command: Child, plan: MonitorPlan) -> Execution:
    """Execute the child once."""
    began_ns = time.thread_time_ns()
    seen = opened.measure(command, plan)
    watcher_cpu_ns = time.thread_time_ns() - began_ns
    assert seen.failure is None, seen.failure
    cpu_ns = (seen.readings["process_user_ns"] or 0) + (seen.readings["process_system_ns"] or 0)
    return Execution(int(seen.columns["process_wall_ns"] or 0), int(cpu_ns), watcher_cpu_ns)


def measure_pairs(opened: Instrument, command: Child, pairs: int) -> list[tuple[Execution, Execution]]:
    """Return so many pairs (watched, unwatched), each in random order."""
    order, found = Random(0), []
    for _ in range(pairs):
        plans = [WATCHED, UNWATCHED]
        one = order.randrange(2)
        first = execute(opened, command, plans[one])
        second = execute(opened, command, plans[1 - one])
        found.append((first, second) if one == 0 else (second, first))
    return found


def report(found: list[tuple[Execution, Execution]]) -> bool:
    """Print the figures; False when an aim is missed."""
    cost = statistics.median(watched.cost for watched, _ in found)
    bare = statistics.median(unwatched.cost for _, unwatched in found)
    shift = summarize([watched.child_cpu_ns / unwatched.child_cpu_ns - 1 for watched, unwatched in found])
    assert shift is not None
    assert shift.interval is not None
    print(f"{len(found)} pairs, child of {statistics.median(u.child_cpu_ns for _, u in found) / 1e6:.0f} ms CPU time")
    print(f"watching thread, share of a core: {cost:.2%} with the 10 ms curve, {bare:.2%} without (median)")
    print(f"shift of the child's CPU time:    {shift.median:+.2%}, 95 % {shift.interval.low:+.2%} to ", end="")
    print(f"{shift.interval.high:+.2%}")
    print(f"aims: at most {COST_LIMIT:.1%} of a core, shift at most {SHIFT_LIMIT:.1%}")
    return cost <= COST_LIMIT and abs(shift.median) <= SHIFT_LIMIT


def main() -> int:
    """Measure and print; 1 when an aim is missed."""
    given = options(__doc__, pairs=60, launcher=RUNNERS / "ciphermark-launcher")
    with tempfile.TemporaryDirectory() as folder, instrument(given.launcher) as opened:
        command = child(compiled("spinner.c", Path(folder)), ROUNDS)
        found = measure_pairs(opened, command, given.pairs)
    return 0 if report(found) else 1


if __name__ == "__main__":
    sys.exit(main())
