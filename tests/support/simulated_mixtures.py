"""Simulated candidates whose time is a known function of the message length, for tests and benches of mixtures."""

from collections.abc import Callable

import numpy as np

from orchestrator.statistics.location import Floats
from orchestrator.statistics.median import ConfidenceInterval
from orchestrator.statistics.mixtures.cost import Mixture, Times
from orchestrator.statistics.ranking import Field, rank_together
from tests.support.simulated_fields import simulated_times

Truth = Callable[[Floats], Floats]
"""Nanoseconds of messages of these lengths."""
MEASURED = (16, 64, 256, 1024, 1504)


def line(start_up_ns: float, per_byte_ns: float) -> Truth:
    """Return a time that rises with each byte."""
    return lambda lengths: start_up_ns + per_byte_ns * lengths


def blocks_of(size: int, start_up_ns: float, per_block_ns: float) -> Truth:
    """Return a time that rises with each begun block of a cipher."""
    return lambda lengths: start_up_ns + per_block_ns * np.ceil(lengths / size)


def curve(start_up_ns: float, per_byte_ns: float, start_up_bytes: float) -> Truth:
    """Return a time whose cost per byte falls with the length, down to its last value."""
    return lambda lengths: start_up_ns + per_byte_ns * (lengths + start_up_bytes * (1 - np.exp(-lengths / 200)))


def random_mixture(generator: np.random.Generator, lengths: int) -> Mixture:
    """Return a mixture of random lengths between the measured ones, with key changes."""
    sizes = generator.choice(np.arange(MEASURED[0], MEASURED[-1] + 1), size=lengths, replace=False)
    changes = float(generator.uniform(0, 5))
    return Mixture.of([int(size) for size in sizes], generator.uniform(0.1, 1, lengths).tolist(), changes)


def true_cost_ns(truth: Truth, mixture: Mixture, key_setup_ns: float = 0.0) -> float:
    """Return the cost of a message, without noise."""
    times = truth(np.asarray(mixture.lengths_bytes, dtype=np.float64))
    return float(np.asarray(mixture.shares) @ times) + mixture.key_changes * key_setup_ns


def measured(generator: np.random.Generator, truth: Truth, blocks: int, key_setup_ns: float) -> Times:
    """Return the times of a simulated run; its drift of 5 % is divided out in the middle."""
    exact = np.append(truth(np.asarray(MEASURED, dtype=np.float64)), key_setup_ns)
    (times,) = simulated_times(generator, [exact / 1.025], blocks)
    return Times(MEASURED, times[:, :-1], times[:, -1])


def interval_of(times: Times, mixture: Mixture) -> ConfidenceInterval:
    """Return the interval of a cost with the error of interpolation."""
    (place,) = rank_together({"": Field({"": 1 / times.sums_ns(mixture)[:, None]})}).places[""]
    assert place.level is not None
    assert place.level.interval is not None
    low, high = (float(np.exp(-limit)) for limit in (place.level.interval.high, place.level.interval.low))
    error = times.interpolation_error(mixture)
    return ConfidenceInterval(low * (1 - error.below), high * (1 + error.above))
