"""The cost of random mixtures, from the times of few lengths, compared with measuring the lengths of the mixtures.

A block executes each algorithm with the measured lengths and with the lengths of all mixtures, in random order. The
cost of a mixture is predicted from the measured lengths only; the measured cost is the median over blocks of the sum of
its own lengths. Times are CPU times of one call.

Usage: .venv/bin/python bench/traffic.py [--runner build/runners/ciphermark-own] [--blocks 12] [--mixtures 20]
"""

import random
import sys
from pathlib import Path

import numpy as np

from bench._children import RUNNERS, latency
from bench._options import options
from orchestrator.statistics.location import Floats
from orchestrator.statistics.mixtures.cost import Mixture, Times
from orchestrator.statistics.rankings.sums import weighted_sums
from tests.support.simulated_mixtures import interval_of

ALGORITHMS = ("aes-128-gcm", "chacha20-poly1305", "ascon-aead128", "tinyjambu-128")
MEASURED = {
    "whole blocks": (16, 64, 256, 1024, 1504),
    "any lengths": (16, 30, 60, 120, 240, 480, 960, 1500),
}
SHORTEST, LONGEST = 16, 1500
LENGTHS_OF_MIXTURES = 24
MIN_COVERED = 0.95


def call_ns(runner: Path, algorithm: str, length: int) -> float:
    """Return the median CPU time of one call of a new process."""
    call = ("--algorithm", algorithm, "--operation", "encrypt", "--length", str(length))
    report = latency(runner, *call, "--timings", "5", "--min-time-ms", "1")
    return float(np.median([one.cpu_ns / one.iterations for one in report.timings]))


def measure(runner: Path, lengths: list[int], blocks: int, order: random.Random) -> dict[str, Floats]:
    """Return the times of each algorithm, shape (blocks, lengths)."""
    cases = [(algorithm, place) for algorithm in ALGORITHMS for place in range(len(lengths))]
    found = {algorithm: np.empty((blocks, len(lengths))) for algorithm in ALGORITHMS}
    for block in range(blocks):
        for algorithm, place in order.sample(cases, len(cases)):
            found[algorithm][block, place] = call_ns(runner, algorithm, lengths[place])
        print(f"block {block + 1} of {blocks}", file=sys.stderr, flush=True)
    return found


def main() -> int:
    """Measure and print; 1 when too few measured costs are inside their predicted interval."""
    given = options(__doc__, runner=RUNNERS / "ciphermark-own", blocks=12, mixtures=20)
    chance = random.Random(20261123)
    between = sorted(chance.sample(range(SHORTEST + 1, LONGEST), LENGTHS_OF_MIXTURES))
    lengths = sorted({*between, *(length for measured in MEASURED.values() for length in measured)})
    times = measure(given.runner, lengths, given.blocks, chance)
    mixtures = []
    for _ in range(given.mixtures):
        chosen = chance.sample(between, chance.randint(1, 8))
        mixtures.append(Mixture.of(chosen, [chance.uniform(0.1, 1) for _ in chosen]))
    met = [covered(name, times, lengths, mixtures) for name in MEASURED]
    return 0 if all(met) else 1


def covered(name: str, times: dict[str, Floats], lengths: list[int], mixtures: list[Mixture]) -> bool:
    """Return whether enough measured costs are inside the interval of those predicted from some of the lengths."""
    inside, widths = 0, []
    columns = [lengths.index(length) for length in MEASURED[name]]
    for mixture in mixtures:
        for algorithm in ALGORITHMS:
            predicted = Times(MEASURED[name], times[algorithm][:, columns])
            interval = interval_of(predicted, mixture)
            own = [lengths.index(int(length)) for length in mixture.lengths_bytes]
            cost_ns = float(np.median(weighted_sums(times[algorithm][:, own], mixture.shares)))
            inside += interval.contains(cost_ns)
            widths.append((interval.high - interval.low) / 2 / cost_ns)
            if not interval.contains(cost_ns):
                print(f"{algorithm}: {predicted.cost_ns(mixture):.1f} ns ({interval.low:.1f} to {interval.high:.1f}), "
                      f"measured {cost_ns:.1f} ns, lengths {mixture.lengths_bytes}")  # fmt: skip
    count = len(widths)
    print(f"{name}: {inside} of {count} measured costs are inside the interval of the predicted ones, "
          f"which has ± {float(np.median(widths)):.1%} (median)")  # fmt: skip
    return inside >= MIN_COVERED * count


if __name__ == "__main__":
    sys.exit(main())
