"""False alarms and detections of a regression watch over simulated months.

Each simulated day executes 500 cases once. The logarithm of a time has the variation between runs (its own value for
each run and case) and the noise of single executions; 3 % of the executions take 3 to 10 times as long. A history
without change should have no alarm. In the others, the time of one case out of 500 rises by 3 % on one day.

Usage: .venv/bin/python bench/watch_errors.py [--histories 20] [--days 90] [--cases 500]
"""

import argparse
import sys
from dataclasses import dataclass, replace

import numpy as np

from bench._options import options
from bench._rates import report
from orchestrator.statistics.comparisons.between_runs import (
    CONFIRMATIONS,
    WINDOW,
    compare_runs,
    error_level,
    run_values,
    suspects,
)
from orchestrator.statistics.incomplete import Flags
from orchestrator.statistics.location import Floats

CHANGED_CASES = 1


@dataclass(frozen=True)
class Machine:
    """Assumed noise of one machine; standard deviations of logarithms (0.01 is 1 %)."""

    between_runs: float = 0.005
    within_runs: float = 0.015
    executions: int = 20
    disturbed: float = 0.03
    common: float = 0.0
    """Share of the variance between runs that all cases of a run have in common."""
    same_day: float = 0.0
    """Share of the variance between runs that all runs of one day have in common."""
    varied: float = 0.0
    """Standard deviation of the logarithm of each case's variation between runs."""
    heavy: bool = False
    """Variation between runs by Student's t with 4 degrees of freedom instead of a normal distribution."""


class History:
    """Days of one machine."""

    def __init__(self, machine: Machine, cases: int, generator: np.random.Generator) -> None:
        """Draw the scatter of each case."""
        self.machine, self.cases, self.generator = machine, cases, generator
        self._scatter = machine.between_runs * np.exp(generator.normal(0, machine.varied, cases))
        self.executed = 0

    def day(self) -> Floats:
        """Return what the runs of one day have in common, shape (cases,)."""
        return self._drawn(self.machine.same_day)

    def run(self, day: Floats, shift: Floats, chosen: Flags | None = None) -> Floats:
        """Return the value of each case in one run of a day; chosen: cases that it contains, others are NaN."""
        machine = self.machine
        kept = np.arange(self.cases) if chosen is None else np.flatnonzero(chosen)
        middle = (shift + day + self._drawn(1 - machine.same_day))[kept]
        shape = (len(kept), machine.executions)
        times = np.exp(middle[:, None] + self.generator.normal(0, machine.within_runs, shape))
        slow = self.generator.random(shape) < machine.disturbed
        times *= np.where(slow, self.generator.uniform(3, 10, shape), 1.0)
        values = np.full(self.cases, np.nan)
        values[kept] = run_values(times)
        self.executed += times.size
        return values

    def _drawn(self, share: float) -> Floats:
        """Return deviations of runs with this share of the variance between runs."""
        common = self.machine.common
        own, shared = self._standard(self.cases), self._standard(1)
        drawn: Floats = self._scatter * np.sqrt(share) * (np.sqrt(1 - common) * own + np.sqrt(common) * shared)
        return drawn

    def _standard(self, count: int) -> Floats:
        heavy, generator = self.machine.heavy, self.generator
        drawn: Floats = generator.standard_t(4, count) / np.sqrt(2) if heavy else generator.normal(0, 1, count)
        return drawn


def simulate(history: History, days: int, changed_on: int | None, size: float) -> tuple[set[int], bool]:
    """Return the days with a false alarm, and whether the change was found on its day."""
    shift, window = np.zeros(history.cases), list[Floats]()
    alarms, found = set(), False
    for number in range(days if changed_on is None else changed_on + 1):
        if number == changed_on:
            shift[:CHANGED_CASES] = np.log1p(size)
        day = history.day()
        new = [history.run(day, shift)]
        if window:
            former = np.stack(window[-WINDOW:])
            doubtful = suspects(compare_runs(new[0][None], former))
            for _ in range(CONFIRMATIONS):
                if doubtful.any():
                    new.append(history.run(day, shift, doubtful))
                    doubtful &= suspects(compare_runs(np.stack(new), former))
            if doubtful.any():
                decided = compare_runs(np.stack(new), former).differ(error_level(history.cases)) & doubtful
                if number == changed_on:
                    found = bool(decided[:CHANGED_CASES].any())
                    decided[:CHANGED_CASES] = False
                if decided.any():
                    alarms.add(number)
        window.append(new[0])
    return alarms, found


def without_change(machine: Machine, name: str, given: argparse.Namespace) -> int:
    """Simulate histories without change; print and return how many have a false alarm."""
    generator, hits, executed = np.random.default_rng(20261123), 0, 0
    for _ in range(given.histories):
        history = History(machine, given.cases, generator)
        hits += bool(simulate(history, given.days, None, 0.0)[0])
        executed += history.executed
    report(f"false alarm within {given.days} days: {name}", hits, given.histories)
    planned = given.histories * given.days * given.cases * machine.executions
    print(f"    executions of confirmations: {executed / planned - 1:.1%} more", flush=True)
    return hits


def with_change(machine: Machine, name: str, size: float, former: int, given: argparse.Namespace) -> int:
    """Simulate histories with a change in one case after so many days; print and return how many found it that day."""
    generator, hits = np.random.default_rng(20261124), 0
    for _ in range(given.histories):
        hits += simulate(History(machine, given.cases, generator), former + 1, former, size)[1]
    report(f"found on its day: one case {size:+.1%} after {former} days: {name}", hits, given.histories)
    return hits


def main() -> int:
    """Simulate and print; 1 when an aim is missed."""
    given = options(__doc__, histories=20, days=90, cases=500)
    usual = Machine()
    aims = {
        "0.5 % between runs, 1.5 % within": usual,
        "0.5 % between runs, 1 % within": replace(usual, within_runs=0.01),
        "0.5 % between runs, 2 % within": replace(usual, within_runs=0.02),
        "half of the variation common to all cases": replace(usual, common=0.5),
        "cases of unequal variation (0.2 to 1.3 %)": replace(usual, varied=0.5),
        "heavy tails between runs": replace(usual, heavy=True),
    }
    met = True
    for name, machine in aims.items():
        met &= without_change(machine, name, given) <= given.histories / 20
    for name in list(aims)[:3]:
        met &= with_change(aims[name], name, 0.03, WINDOW, given) >= given.histories * 0.95
    print("Without an aim, to show the limits:")
    for share in (0.25, 0.5, 1.0):
        without_change(
            replace(usual, same_day=share), f"{share:.0%} of the variation between runs common to a day", given
        )
    for name in list(aims)[3:]:
        with_change(aims[name], name, 0.03, WINDOW, given)
    for former in (7, 14, 30, 45):
        with_change(usual, "0.5 % between runs, 1.5 % within", 0.03, former, given)
    for size in (0.01, 0.015, 0.02, -0.03):
        with_change(usual, "0.5 % between runs, 1.5 % within", size, WINDOW, given)
    with_change(replace(usual, between_runs=0.01), "1 % between runs, 1.5 % within", 0.03, WINDOW, given)
    with_change(replace(usual, executions=6), "6 executions", 0.03, WINDOW, given)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
