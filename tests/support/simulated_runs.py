"""Simulated executions of one program in one run, for the error rates of comparisons between runs."""

from dataclasses import dataclass

import numpy as np

from orchestrator.statistics.location import Floats


@dataclass(frozen=True)
class Executions:
    """Properties of the executions of a run."""

    noise: float = 0.02
    """Standard deviation of the logarithm of a time."""
    disturbed: float = 0.03
    """Share of executions that take 3 to 10 times as long."""
    drift: float = 0.05
    """Relative change of the times from the first execution to the last."""


def run_of(generator: np.random.Generator, executions: Executions, count: int) -> Floats:
    """Return the times of so many executions, of which the undisturbed ones have the median 1, shape (count,)."""
    course = executions.drift * (np.arange(count) - (count - 1) / 2) / max(1, count - 1)
    logs = generator.normal(0.0, executions.noise, size=count) + course
    slow = generator.random(count) < executions.disturbed
    times: Floats = np.exp(logs) * np.where(slow, generator.uniform(3, 10, size=count), 1.0)
    return times
