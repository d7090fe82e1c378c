"""How large a difference is beside the noise of single blocks, where its interval says how sure it is."""

from dataclasses import dataclass

from orchestrator.statistics.location import Floats


@dataclass(frozen=True)
class EffectSize:
    """A paired difference without a unit."""

    superiority: float  # share of blocks in which the first is larger, 0 to 1; a block that shows none counts half
    standardized: float | None  # d_z: mean over standard deviation of the blocks; None where they do not differ


def effect_size(ratios: Floats) -> EffectSize:
    """Return the effect size of log-ratios, one per block.

    ratios: dimensionless, shape (n,), n >= 1, finite, positive where the first one is larger. Superiority above 0.5
    speaks for the first: 0.5 is none, 1 is every block. d_z: 0.2 is small, 0.5 medium, 0.8 large in psychology; of
    programs on a quiet machine it easily reaches 20.
    Source: Grissom and Kim, Effect Sizes for Research, 2nd ed. (2012), chapter 5 (probability of superiority);
    Cohen, Statistical Power Analysis, 2nd ed. (1988), section 2.3.5 (d_z).
    """
    share = float(((ratios > 0) + 0.5 * (ratios == 0)).mean())
    spread = float(ratios.std(ddof=1)) if len(ratios) > 1 else 0.0
    return EffectSize(superiority=share, standardized=float(ratios.mean()) / spread if spread > 0 else None)
