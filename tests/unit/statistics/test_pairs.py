import numpy as np
import pytest

from orchestrator.statistics.location import MAX_BLOCKS
from orchestrator.statistics.paired import SIGNIFICANCE, compare
from orchestrator.statistics.rankings.pairs import test_pairs as pairs_of


@pytest.mark.parametrize(
    ("blocks", "inputs", "missing"), [(6, 1, 0.0), (12, 3, 0.0), (20, 4, 0.2), (MAX_BLOCKS + 30, 2, 0.1), (40, 1, 0.3)]
)
def test_pairs_are_those_of_single_comparisons(blocks: int, inputs: int, missing: float) -> None:
    generator = np.random.default_rng(blocks)
    speeds = np.exp(generator.normal(np.linspace(0.0, 0.2, 7)[:, None, None], 0.02, size=(7, blocks, inputs)))
    speeds[generator.random(speeds.shape) < 0.05] /= 5  # disturbed
    speeds[generator.random(speeds.shape) < missing] = np.nan
    both = np.isfinite(speeds[:, None] + speeds[None]).any(axis=3).sum(axis=2) >= 6
    found = pairs_of(np.log(speeds), both, np.full((7, 7), 0.01))
    for one, other in zip(*np.triu_indices(7, 1), strict=True):
        single = compare(speeds[one], speeds[other])
        if not both[one, other]:
            assert np.isnan(found.p[one, other])
            continue
        assert found.p[one, other] == pytest.approx(single.p, rel=1e-9)
        if single.p is not None and single.p <= SIGNIFICANCE:
            ratio, exact = found.log_ratios[one, other], np.log(single.ratio)
            assert ratio == pytest.approx(exact, rel=1e-9) or 0.01 < abs(ratio) <= abs(exact)
            assert np.sign(ratio) == np.sign(exact)
