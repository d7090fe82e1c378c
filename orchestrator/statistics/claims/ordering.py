"""A stated order of rows: Kendall's rank correlation with a measured order, undecided pairs included in its limits."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from orchestrator.statistics.claims.part import ClaimPart
from orchestrator.statistics.holm import holm
from orchestrator.statistics.location import Floats, locate

Pair = tuple[str, str]


@dataclass(frozen=True)
class Ordering:
    """Published figure and measured block values of each row; larger values are larger in both."""

    name: str
    published: Mapping[str, float]
    measured: Mapping[str, Floats]
    """Logarithms, shape (blocks,), NaN for a missing block; of at least two rows of `published`, and of no others.

    Pairs of a row that is not here may have either order.
    """
    min_tau: float
    """Lowest Kendall's tau that agrees with the claim, -1 to 1."""
    error: float = 0.0
    """Possible error of a difference that repetitions do not reduce."""

    def pairs(self) -> dict[Pair, Floats]:
        """Return the differences of the block values of every pair whose published figures differ.

        They are in the published direction: positive if the pair agrees. Pairs of equal published figures state no
        order, so that they do not count.
        """
        found = {}
        for one, other in combinations(sorted(self.measured), 2):
            if self.published[one] == self.published[other]:
                continue
            above, below = (one, other) if self.published[one] > self.published[other] else (other, one)
            differences = self.measured[above] - self.measured[below]
            found[above, below] = differences[np.isfinite(differences)]
        return found

    def stated_pairs(self) -> int:
        """Return the number of pairs whose published figures differ, measured or not."""
        return sum(one != other for one, other in combinations(self.published.values(), 2))

    def agreement(self, level: float) -> "OrderAgreement":
        """Return the correlation and its limits, which contain the true one with a probability of at least 1 - level.

        Each pair is tested against equality; the p-values are Holm-corrected, so that with this probability no decided
        pair has the wrong direction. An undecided pair, or one that was not measured, counts as reversed in the lower
        limit and as agreeing in the upper one. Without ties, tau is (agreeing - reversed) / pairs; the estimate is
        that of the measured pairs.
        Source: Kendall, Rank Correlation Methods, 4th ed. (1970), section 1.9; Holm (1979).
        """
        pairs = {pair: ClaimPart(" / ".join(pair), values, low=0.0, error=self.error)
                 for pair, values in self.pairs().items() if len(values)}  # fmt: skip
        if not pairs:
            return OrderAgreement(0, 0.0, -1.0, 1.0, ())
        # A pair is tested in both directions; one of both hypotheses is false, so the p-values are doubled.
        two_sided = [min(1.0, 2 * min(part.p_inside(), part.p_outside())) for part in pairs.values()]
        decided = [p <= level for p in holm(two_sided)]
        middles = {pair: locate(part.values).middle for pair, part in pairs.items()}
        signs = [float(np.sign(middle)) for middle in middles.values()]
        total = self.stated_pairs()
        sure = sum(sign for sign, certain in zip(signs, decided, strict=True) if certain)
        open_pairs = total - sum(decided)
        against = tuple(
            pair for (pair, middle), certain in zip(middles.items(), decided, strict=True) if certain and middle < 0
        )
        return OrderAgreement(
            len(pairs), sum(signs) / len(pairs), (sure - open_pairs) / total, (sure + open_pairs) / total, against
        )

    def blocks(self) -> int:
        """Return the smallest number of blocks of a pair."""
        return min((len(values) for values in self.pairs().values()), default=0)

    def needed(self, level: float) -> int | None:
        """Return the repetitions that would probably decide as many pairs as the verdict requires; None if none would.

        Every pair is treated as the hardest of Holm's correction, so that the number is rather too high.
        """
        parts = [ClaimPart(" / ".join(pair), values, low=0.0, error=self.error)
                 for pair, values in self.pairs().items() if len(values)]  # fmt: skip
        if not parts:
            return None
        numbers = sorted(
            (part.needed(level / (2 * len(parts)), level / (2 * len(parts))) or math.inf, np.sign(part.distance))
            for part in parts
        )
        sure, total = 0.0, self.stated_pairs()
        for place, (repetitions, sign) in enumerate(numbers, start=1):
            sure += sign
            left = total - place
            if (sure - left) / total >= self.min_tau or (sure + left) / total < self.min_tau:
                return int(repetitions) if math.isfinite(repetitions) else None
        return None


@dataclass(frozen=True)
class OrderAgreement:
    """Agreement of a measured order with a published one."""

    pairs: int
    """Measured pairs."""
    tau: float
    low: float
    high: float
    against: tuple[Pair, ...]
    """Pairs that are certainly in the other order than published: (published larger, published smaller)."""
