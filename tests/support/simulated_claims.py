"""Simulated claims of a paper that are true, false or exactly on their limit, for tests and benches of the verdicts."""

import math
from collections.abc import Sequence

import numpy as np

from orchestrator.statistics.claims.ordering import Ordering
from orchestrator.statistics.claims.part import ClaimPart
from orchestrator.statistics.claims.verdict import Statement
from orchestrator.statistics.location import Floats

KINDS = ("true", "false", "borderline")
LIMIT = math.log(1.01)
"""Of "faster": by at least 1 %."""
MARGIN = math.log(1.05)
"""Of "no difference"."""
_STEP = 0.2
"""Difference between neighboring rows of an order."""


def times(generator: np.random.Generator, blocks: int) -> Floats:
    """Return ln(time) of a case whose true value is 0."""
    values = generator.normal(0.0, 0.02, size=blocks) + np.log(np.linspace(1.0, 1.05, blocks))
    hit = generator.random(size=blocks) < 0.03
    return np.where(hit, values + np.log(generator.uniform(3, 10, size=blocks)), values)


def parts(
    generator: np.random.Generator, blocks: int, places: Sequence[float], low: float, high: float
) -> list[ClaimPart]:
    """Return a part for each true location, of paired times."""
    return [
        ClaimPart(f"part {n}", times(generator, blocks) - times(generator, blocks) + place, low, high)
        for n, place in enumerate(places)
    ]


def ordering(generator: np.random.Generator, blocks: int, order: Sequence[float], min_tau: float) -> Ordering:
    """Return an order of rows, published 0, 1, 2 …; order: true place of each row."""
    measured = {f"row {n}": times(generator, blocks) + _STEP * place for n, place in enumerate(order)}
    return Ordering("rows", {name: float(n) for n, name in enumerate(measured)}, measured, min_tau)


def simulated_paper(generator: np.random.Generator, blocks: int) -> dict[str, Statement]:
    """Return nine claims, named by their truth. On the limit, one part or one pair of equal rows decides the claim."""
    far = [LIMIT + 0.3] * 3
    tau = (10 - 2) / 10
    return {
        "true faster": parts(generator, blocks, [LIMIT + 0.02, *far], LIMIT, math.inf),
        "false faster": parts(generator, blocks, [LIMIT - 0.02, *far], LIMIT, math.inf),
        "borderline faster": parts(generator, blocks, [LIMIT, *far], LIMIT, math.inf),
        "true equal": parts(generator, blocks, [0.0, MARGIN - 0.02], -MARGIN, MARGIN),
        "false equal": parts(generator, blocks, [0.0, MARGIN + 0.02], -MARGIN, MARGIN),
        "borderline equal": parts(generator, blocks, [0.0, MARGIN], -MARGIN, MARGIN),
        "true order": ordering(generator, blocks, [0, 1, 2, 4, 3], tau),
        "false order": ordering(generator, blocks, [0, 2, 1, 4, 3], tau),
        "borderline order": ordering(generator, blocks, [0, 1.5, 1.5, 4, 3], tau),
    }
