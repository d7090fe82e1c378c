"""Errors of the ranking with missing inputs: false differences, planted differences, intervals of estimated levels.

Each simulated field has candidates that lack inputs and executions, drift and disturbed executions. Equal candidates
must not get different ranks; a planted difference must be found; the interval of a candidate that lacks inputs must
contain its speed over all inputs. The interval of a quotient of summed times must contain that of the true times, and
that of the cost of a random mixture of message lengths its true cost.

Usage: .venv/bin/python bench/ranking_errors.py [--fields 2000] [--planted 200]
"""

import math
import sys

import numpy as np

from bench._options import options
from bench._rates import report
from orchestrator.statistics.holm import holm
from orchestrator.statistics.incomplete import levels
from orchestrator.statistics.paired import SIGNIFICANCE, compare
from orchestrator.statistics.rankings.sums import weighted_sums
from tests.support.simulated_fields import (
    Simulation,
    has_false_difference,
    ranks,
    reacting_field,
    simulated_times,
)
from tests.support.simulated_mixtures import (
    blocks_of,
    curve,
    interval_of,
    line,
    measured,
    random_mixture,
    true_cost_ns,
)

FALSE_LIMIT = 0.07
FOUND_LIMIT = 0.85
COVERED_LIMIT = 0.93
FIELDS = {
    "7 candidates, 8 inputs, 12 blocks": Simulation(),
    "6 blocks": Simulation(blocks=6),
    "20 blocks, half of the inputs missing": Simulation(blocks=20, missing_inputs=0.5),
    "no input missing": Simulation(missing_inputs=0.0),
    "no disturbed executions": Simulation(disturbed=0.0),
    "20 candidates, 1 input": Simulation(candidates=20, inputs=1, missing_inputs=0.0),
    "4 candidates, 24 inputs": Simulation(candidates=4, inputs=24),
}


def false_differences(fields: int) -> bool:
    """Rank equal candidates; return whether the limit of false differences is met in every kind of field."""
    met = True
    for name, simulation in FIELDS.items():
        generator = np.random.default_rng(20261122)
        wrong = sum(has_false_difference(simulation.field(generator)) for _ in range(fields))
        met &= report(f"false difference: {name}", wrong, fields)[1] <= FALSE_LIMIT
    return met


def fastest_alone(fields: int) -> None:
    """Print the rate without a correction for the choice of the fastest: Holm over its own comparisons only."""
    generator, simulation, wrong = np.random.default_rng(20261123), FIELDS["20 candidates, 1 input"], 0
    for _ in range(fields):
        field = simulation.field(generator)
        found = levels(field)
        first = max(found, key=lambda name: found[name].middle)
        p_values = [compare(field[first], field[name]).p for name in field if name != first]
        wrong += min(holm([p for p in p_values if p is not None])) <= SIGNIFICANCE
    report("  20 equal, corrected for 19 comparisons only", wrong, fields)


def planted(fields: int) -> bool:
    """Rank fields whose first candidate is 3 % faster; return whether enough of them are found alone in first place."""
    generator, simulation = np.random.default_rng(20261124), Simulation(blocks=20)
    found = 0
    for _ in range(fields):
        placed = ranks(simulation.field(generator, lead=0.03))
        found += placed.get("c0") == 1 and list(placed.values()).count(1) == 1
    return report("found: 3 % faster than 6 equal ones, 20 blocks", found, fields)[0] >= FOUND_LIMIT - 0.05


def covered(fields: int) -> bool:
    """Rank candidates that react to inputs differently; return whether enough intervals contain the true level."""
    met = True
    for reaction in (0.05, 0.2):
        generator = np.random.default_rng(20261125)
        inside = count = 0
        for _ in range(fields):
            field, truth = reacting_field(generator, reaction)
            for name, level in levels(field).items():
                if level.interval is not None and level.inputs < field[name].shape[1]:
                    count += 1
                    inside += level.interval.contains(truth[name])
        met &= report(f"interval contains the level, reaction {reaction:.0%}", inside, count)[0] >= COVERED_LIMIT
    return met


def quotients(count: int) -> bool:
    """Return whether enough intervals of quotients of summed times contain the quotient of the true times."""
    weights, met = (1.0, 1.0, 3.0, 3.0), True
    masked, unmasked = np.array([9000.0, 9500.0, 2500.0, 2700.0]), np.array([1000.0, 1010.0, 340.0, 360.0])
    truth = float(masked @ weights / (unmasked @ weights))
    for blocks in (6, 10, 20, 40):
        generator, missed = np.random.default_rng(20261122), 0
        for _ in range(count):
            times = simulated_times(generator, [masked, unmasked], blocks)
            interval = compare(*(weighted_sums(one, weights)[:, None] for one in times)).interval
            missed += interval is None or not interval.contains(truth)
        met &= report(f"quotient of summed times missed: {blocks} blocks", missed, count)[1] <= FALSE_LIMIT
    return met


def mixtures(count: int) -> bool:
    """Return whether enough intervals of costs of random mixtures contain the true cost, for several functions."""
    truths = {"line": line(200, 1.5), "blocks of 16": blocks_of(16, 100, 25), "blocks of 64": blocks_of(64, 80, 90),
              "curve": curve(100, 0.5, 400)}  # fmt: skip
    met = True
    for name, truth in truths.items():
        for blocks in (6, 20):
            generator, missed = np.random.default_rng(20261123), 0
            for _ in range(count):
                mixture = random_mixture(generator, int(generator.integers(1, 12)))
                interval = interval_of(measured(generator, truth, blocks, 500.0), mixture)
                missed += not interval.contains(true_cost_ns(truth, mixture, 500.0))
            met &= report(f"cost of a mixture missed: {name}, {blocks} blocks", missed, count)[1] <= FALSE_LIMIT
    return met


def main() -> int:
    """Simulate and print; 1 when a limit is missed."""
    given = options(__doc__, fields=2000, planted=200)
    met = [
        false_differences(given.fields),
        planted(given.planted),
        covered(math.ceil(given.fields / 2)),
        quotients(4 * given.fields),
        mixtures(given.fields),
    ]
    fastest_alone(given.fields)
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
