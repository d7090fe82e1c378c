import numpy as np
import pytest

from orchestrator.shared.errors import NoData
from orchestrator.statistics.location import Floats
from orchestrator.statistics.scaling import scale

LENGTHS = [2**power for power in (12, 14, 16, 18, 20, 22)]
SIZES = np.array(LENGTHS, dtype=np.float64)


def noisy(line_ns: Floats, blocks: int, seed: int, disturbed: float = 0.0) -> Floats:
    """Return times with 2 % of noise each, 2 % on each block, and some 3 to 10 times as long."""
    generator = np.random.default_rng(seed)
    times = line_ns * np.exp(generator.normal(0, 0.02, (blocks, 6)) + generator.normal(0, 0.02, (blocks, 1)))
    hit = generator.random(times.shape) < disturbed
    return np.asarray(times * np.where(hit, generator.uniform(3, 10, times.shape), 1.0))


class TestScale:
    def test_exact_line_is_recovered(self) -> None:
        found = scale(np.tile(2e6 + 1.5 * SIZES, (8, 1)), LENGTHS)
        assert found.start_up_ns.middle == pytest.approx(2e6)
        assert found.per_byte_ns.middle == pytest.approx(1.5)
        assert found.lack_of_fit is not None
        assert found.lack_of_fit.p == 1.0
        assert found.line_ns(1000) == pytest.approx(2e6 + 1500)
        assert found.bytes_per_ns == pytest.approx(1 / 1.5)

    def test_cost_per_byte_within_the_noise_has_no_throughput(self) -> None:
        found = scale(noisy(2e6 + 1e-6 * SIZES, 10, seed=2), LENGTHS)
        assert found.per_byte_ns.middle > 0
        assert found.bytes_per_ns is None

    def test_start_up_and_cost_per_byte_are_separated_despite_disturbances(self) -> None:
        found = scale(noisy(2e6 + 1.5 * SIZES, 20, seed=1, disturbed=0.03), LENGTHS)
        assert found.start_up_ns.middle == pytest.approx(2e6, rel=0.02)
        assert found.per_byte_ns.middle == pytest.approx(1.5, rel=0.02)

    def test_intervals_contain_the_truth_and_lack_of_fit_is_rare(self) -> None:
        trials = 300
        found = [scale(noisy(2e6 + 1.5 * SIZES, 10, seed, disturbed=0.03), LENGTHS) for seed in range(trials)]
        missed = [not (one.start_up_ns.interval and one.start_up_ns.interval.contains(2e6)) for one in found]
        refused = [one.lack_of_fit is not None and one.lack_of_fit.p <= 0.05 for one in found]
        # Of 300 trials at 5 %: 15 expected, more than 25 in one of a hundred.
        assert sum(missed) <= 25
        assert sum(refused) <= 25

    def test_cache_step_is_reported_as_lack_of_fit(self) -> None:
        stepped = 2e6 + 1.5 * SIZES + np.where(SIZES > 300_000, 0.5 * (SIZES - 300_000), 0)
        found = scale(noisy(stepped, 10, seed=3), LENGTHS)
        assert found.lack_of_fit is not None
        assert found.lack_of_fit.p < 0.001
        assert found.lack_of_fit.largest_miss > 0.02
        slopes = [step.slope.middle for step in found.steps[2:]]
        assert slopes[0] == pytest.approx(1.5, rel=0.25)
        assert slopes[-1] == pytest.approx(2.0, rel=0.1)

    def test_the_largest_miss_is_the_distance_of_a_shown_point_from_the_shown_line(self) -> None:
        for seed in range(20):
            found = scale(noisy(2e6 + 1.5 * SIZES, 8, seed, disturbed=0.1), LENGTHS)
            misses = [abs(time / found.line_ns(size) - 1) for size, time in zip(LENGTHS, found.times_ns, strict=True)]
            assert found.lack_of_fit is not None
            assert found.lack_of_fit.largest_miss == pytest.approx(max(misses))
            assert found.lack_of_fit.worst_length_bytes == LENGTHS[int(np.argmax(misses))]

    def test_slow_block_is_not_lack_of_fit(self) -> None:
        times = noisy(2e6 + 1.5 * SIZES, 10, seed=4) * np.geomspace(1.0, 3.0, 10)[:, None]
        found = scale(times, LENGTHS)
        assert found.lack_of_fit is not None
        assert found.lack_of_fit.p > 0.05

    def test_incomplete_blocks_are_excluded(self) -> None:
        times = noisy(2e6 + 1.5 * SIZES, 8, seed=5)
        times[2, 3] = np.nan
        assert scale(times, LENGTHS).blocks == 7

    def test_two_lengths_or_no_complete_block_raise_no_data(self) -> None:
        with pytest.raises(NoData, match="2 lengths"):
            scale(np.ones((8, 2)), [1, 2])
        with pytest.raises(NoData, match="No block"):
            scale(np.full((8, 3), np.nan), [1, 2, 3])

    def test_one_block_has_no_lack_of_fit(self) -> None:
        assert scale(np.array([[1.0, 2.0, 4.0]]), [1, 2, 3]).lack_of_fit is None
