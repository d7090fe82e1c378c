"""Errors of comparisons without common blocks: false differences, planted differences, missed intervals.

Each simulated comparison has the executions of one program in two runs: log-normal noise of another size in each run,
disturbed executions, and a drift inside each run. Families of many cases must rarely have a false difference.

Usage: .venv/bin/python bench/comparison_errors.py [--comparisons 4000] [--families 400]
"""

import sys

import numpy as np

from bench._options import options
from bench._rates import report
from orchestrator.statistics.comparisons.two_sample import compare_samples
from orchestrator.statistics.holm import holm
from orchestrator.statistics.paired import SIGNIFICANCE
from tests.support.simulated_runs import Executions, run_of

MISSED_LIMIT = 0.065
FOUND_LIMIT = 0.85
SIZES = ((6, 6), (10, 10), (20, 20), (40, 40), (6, 40), (40, 10))
DESIGNS = {
    "noise of 2 and 2 %": (Executions(), Executions()),
    "noise of 1 and 4 %": (Executions(noise=0.01), Executions(noise=0.04)),
    "no disturbed executions": (Executions(disturbed=0.0), Executions(disturbed=0.0)),
    "no drift": (Executions(drift=0.0), Executions(drift=0.0)),
}
CASES_OF_A_FAMILY = 100


def missed(comparisons: int) -> bool:
    """Compare a program with itself; return whether few enough intervals miss the ratio 1."""
    met = True
    for name, (one, other) in DESIGNS.items():
        for sizes in SIZES:
            generator, wrong = np.random.default_rng(20261123), 0
            for _ in range(comparisons):
                found = compare_samples(run_of(generator, one, sizes[0]), run_of(generator, other, sizes[1]))
                wrong += found.interval is None or not found.interval.contains(1.0)
            met &= (
                report(f"missed: {name}, {sizes[0]} and {sizes[1]} executions", wrong, comparisons)[1] <= MISSED_LIMIT
            )
    return met


def planted(comparisons: int) -> bool:
    """Compare runs of which the second is 3 % slower; return whether enough differences are found."""
    met = True
    for size, limit in ((20, 0.8), (40, FOUND_LIMIT)):
        generator, found = np.random.default_rng(20261124), 0
        for _ in range(comparisons):
            first, second = (run_of(generator, Executions(), size) for _ in range(2))
            p = compare_samples(first * 1.03, second).p
            found += p is not None and p <= SIGNIFICANCE
        met &= report(f"found: 3 % slower, {size} and {size} executions", found, comparisons)[0] >= limit - 0.05
    return met


def families(count: int) -> bool:
    """Compare runs of 100 equal cases; return whether few enough have a false difference."""
    generator, wrong = np.random.default_rng(20261125), 0
    for _ in range(count):
        p_values = [
            compare_samples(run_of(generator, Executions(), 10), run_of(generator, Executions(), 10)).p
            for _ in range(CASES_OF_A_FAMILY)
        ]
        wrong += min(holm([p for p in p_values if p is not None])) <= SIGNIFICANCE
    return report(f"false difference among {CASES_OF_A_FAMILY} equal cases, 10 executions", wrong, count)[0] <= 0.05


def main() -> int:
    """Simulate and print; 1 when a limit is missed."""
    given = options(__doc__, comparisons=4000, families=400)
    met = [missed(given.comparisons), planted(given.comparisons // 4), families(given.families)]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
