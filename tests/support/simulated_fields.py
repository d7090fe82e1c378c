"""Simulated fields of candidates with missing inputs, for tests and benches of the ranking."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orchestrator.statistics.incomplete import select
from orchestrator.statistics.location import Floats
from orchestrator.statistics.ranking import Field, rank_together


@dataclass(frozen=True)
class Simulation:
    """Shape and noise of a field; every execution has log-normal noise of 2 %."""

    candidates: int = 7
    inputs: int = 8
    blocks: int = 12
    missing_inputs: float = 0.3
    """Share of the inputs that a candidate was not measured with."""
    missing_executions: float = 0.02
    disturbed: float = 0.03
    """Share of executions that take 3 to 10 times as long."""
    drift: float = 0.05
    """Slowdown of the machine over the run."""

    def field(self, generator: np.random.Generator, lead: float = 0.0) -> dict[str, Floats]:
        """Return speeds of candidates that are equal, but for the first, which is faster by `lead` (0.02 is 2 %)."""
        levels = np.exp(generator.uniform(0.0, np.log(100.0), size=self.inputs))
        field = {}
        for place in range(self.candidates):
            shape = self.blocks, self.inputs
            speeds = 1e9 / levels * np.exp(generator.normal(0.0, 0.02, size=shape))
            speeds /= np.linspace(1.0, 1.0 + self.drift, self.blocks)[:, None]
            hit = generator.random(size=shape) < self.disturbed
            speeds = np.where(hit, speeds / generator.uniform(3, 10, size=shape), speeds)
            lacks = generator.random(size=self.inputs) < self.missing_inputs
            lacks[generator.integers(self.inputs)] = False
            speeds[:, lacks] = np.nan
            speeds[generator.random(size=shape) < self.missing_executions] = np.nan
            field[f"c{place}"] = speeds * (1.0 + lead if place == 0 else 1.0)
        return field


def simulated_times(generator: np.random.Generator, truths: Sequence[Floats], blocks: int) -> list[Floats]:
    """Return the times of candidates in the same blocks, each of shape (blocks, inputs).

    truths: true times of each candidate, shape (inputs,). Log-normal noise of 2 %, 3 % of executions 3 to 10 times as
    long, a drift of 5 % over the run.
    """
    found = []
    for truth in truths:
        shape = blocks, len(truth)
        times = truth * np.exp(generator.normal(0.0, 0.02, size=shape)) * np.linspace(1.0, 1.05, blocks)[:, None]
        hit = generator.random(size=shape) < 0.03
        found.append(np.where(hit, times * generator.uniform(3, 10, size=shape), times))
    return found


def ranks(candidates: dict[str, Floats]) -> dict[str, int]:
    """Return the rank of each candidate that can be compared."""
    selection = select(candidates)
    compared = {name: candidates[name][:, selection.inputs] for name in selection.names}
    return {place.name: place.rank for place in rank_together({"": Field(compared)}).places[""]}


def has_false_difference(candidates: dict[str, Floats]) -> bool:
    """Return whether equal candidates have different ranks."""
    return max(ranks(candidates).values(), default=1) > 1


def reacting_field(generator: np.random.Generator, reaction: float) -> tuple[dict[str, Floats], dict[str, float]]:
    """Return a field of 7 candidates and 8 inputs, a third missing, and the true ln(speed) of each over all inputs.

    reaction: standard deviation of ln(speed) by which a candidate deviates from the others with an input.
    """
    inputs = generator.uniform(0.0, np.log(100.0), size=8)
    while True:
        field, truth = {}, {}
        for place in range(7):
            cells = place / 10 - inputs + generator.normal(0.0, reaction, size=8)
            speeds = 1e9 * np.exp(cells + generator.normal(0.0, 0.01, size=(12, 8)))
            speeds[:, generator.random(size=8) < 1 / 3] = np.nan
            field[f"c{place}"], truth[f"c{place}"] = speeds, float(np.log(1e9) + cells.mean())
        selection = select(field)
        if len(selection.names) == len(field) and selection.inputs.all():
            return field, truth
