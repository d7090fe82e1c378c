"""Size of a difference relative to the noise of single blocks."""

from dataclasses import dataclass

from orchestrator.statistics.location import Floats


@dataclass(frozen=True)
class EffectSize:
    """Dimensionless size of a paired difference."""

    superiority: float  # share of blocks in which the first is larger, 0 to 1; an equal block counts half
    standardized: float | None  # d_z: mean / standard deviation of the blocks; None if they do not differ


def effect_size(ratios: Floats) -> EffectSize:
    """Return the effect size of log-ratios, one per block.

    ratios: dimensionless, shape (n,), n >= 1, finite, positive if the first one is larger. Superiority is 0.5 without a
    difference and 1 if the first is larger in every block. d_z: 0.2 is small, 0.5 medium, 0.8 large in psychology;
    programs on a quiet machine easily reach 20.
    Source: Grissom and Kim, Effect Sizes for Research, 2nd ed. (2012), chapter 5 (probability of superiority);
    Cohen, Statistical Power Analysis, 2nd ed. (1988), section 2.3.5 (d_z).
    """
    share = float(((ratios > 0) + 0.5 * (ratios == 0)).mean())
    deviation = float(ratios.std(ddof=1)) if len(ratios) > 1 else 0.0
    return EffectSize(superiority=share, standardized=float(ratios.mean()) / deviation if deviation > 0 else None)
