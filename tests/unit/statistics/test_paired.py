import math

import numpy as np
import pytest

from orchestrator.shared.errors import NoData
from orchestrator.statistics.paired import Floats, block_log_ratios, compare, effect_size
from tests.support.seldom import seldom


def noisy(generator: np.random.Generator, blocks: int, level: float = 1e9) -> Floats:
    """Return times of eight inputs with 2 % of noise and occasional disturbances of 30 %."""
    noise = generator.normal(0.0, 0.02, size=(blocks, 8))
    disturbed = generator.random(size=(blocks, 8)) < 0.02
    return np.asarray(level * np.linspace(0.5, 1.0, 8) * np.exp(noise) * np.where(disturbed, 0.7, 1.0))


def disturbed(generator: np.random.Generator, blocks: int) -> Floats:
    """Return times of 24 inputs with 2 % of noise, 3 % of them 3 to 10 times as slow."""
    hit = generator.random(size=(blocks, 24)) < 0.03
    slower = np.where(hit, generator.uniform(3, 10, size=(blocks, 24)), 1.0)
    return np.asarray(1e9 * np.exp(generator.normal(0.0, 0.02, size=(blocks, 24))) / slower)


class TestBlockLogRatios:
    def test_factor_of_two_is_found_exactly(self) -> None:
        first = np.array([[2.0, 20.0], [4.0, 40.0]])
        assert block_log_ratios(first, first / 2) == pytest.approx([math.log(2), math.log(2)])

    def test_only_common_inputs_are_used(self) -> None:
        first = np.array([[2.0, np.nan], [np.nan, np.nan]])
        second = np.array([[1.0, 7.0], [1.0, 1.0]])
        assert block_log_ratios(first, second) == pytest.approx([math.log(2)])

    def test_no_common_input_raises_no_data(self) -> None:
        with pytest.raises(NoData):
            block_log_ratios(np.array([[1.0, np.nan]]), np.array([[np.nan, 1.0]]))


class TestCompare:
    def test_common_drift_cancels(self) -> None:
        drift = np.geomspace(1.0, 3.0, 20)[:, None]
        first, second = 1.10 * drift * np.ones((20, 8)), drift * np.ones((20, 8))
        comparison = compare(first, second)
        assert comparison.ratio == pytest.approx(1.10)
        assert comparison.verdict == "different"

    def test_difference_below_the_noise_floor_is_a_tie(self) -> None:
        first, second = 1.01 * np.ones((20, 8)), np.ones((20, 8))
        assert compare(first, second, noise_floor=0.04).verdict == "tie"
        assert compare(first, second, noise_floor=0.005).verdict == "different"

    def test_five_blocks_are_undecided(self) -> None:
        comparison = compare(2 * np.ones((5, 8)), np.ones((5, 8)))
        assert (comparison.verdict, comparison.interval, comparison.blocks) == ("undecided", None, 5)

    def test_five_percent_are_found_in_twelve_blocks(self) -> None:
        generator = np.random.default_rng(1)
        found = [compare(noisy(generator, 12, 1.05e9), noisy(generator, 12)).verdict == "different" for _ in range(100)]
        assert sum(found) >= 90

    @pytest.mark.parametrize("blocks", [6, *seldom(12, 20)])
    def test_program_compared_with_itself_is_rarely_different(self, blocks: int) -> None:
        # 95 % intervals may err in 5 % of the cases; 600 trials add a standard error of 0.9 points.
        generator = np.random.default_rng(20261120)
        trials = 600
        different = sum(
            compare(noisy(generator, blocks), noisy(generator, blocks)).verdict == "different" for _ in range(trials)
        )
        assert different / trials <= 0.065

    @pytest.mark.parametrize("blocks", [10, *seldom(6, 20)])
    def test_disturbances_of_many_inputs_cause_no_false_difference(self, blocks: int) -> None:
        # 24 inputs, 3 % of executions 3 to 10 times as long: half of all blocks have one on either side.
        generator = np.random.default_rng(20261121)
        trials = 600
        different = [
            compare(disturbed(generator, blocks), disturbed(generator, blocks)).verdict == "different"
            for _ in range(trials)
        ]
        assert sum(different) / trials <= 0.065

    def test_disturbances_do_not_hide_a_difference(self) -> None:
        generator = np.random.default_rng(3)
        found = [compare(1.01 * disturbed(generator, 15), disturbed(generator, 15)).verdict for _ in range(60)]
        assert found.count("different") >= 54

    def test_missing_input_does_not_bias_its_block(self) -> None:
        # The first is twice as fast with one input and no faster with the other; 1 block lacks the first input.
        first, second = np.tile([2.0, 1.0], (8, 1)), np.ones((8, 2))
        first[0, 0] = np.nan
        assert block_log_ratios(first, second) == pytest.approx([math.log(2) / 2] * 8)

    def test_result_is_deterministic(self) -> None:
        generator = np.random.default_rng(5)
        first, second = noisy(generator, 300), noisy(generator, 300)
        assert compare(first, second) == compare(first, second)


class TestEffectSize:
    def test_superiority_counts_equal_blocks_half(self) -> None:
        assert effect_size(np.array([0.1, 0.2, -0.1, 0.0])).superiority == pytest.approx(2.5 / 4)

    def test_standardized_difference_is_mean_over_standard_deviation(self) -> None:
        assert effect_size(np.array([1.0, 2.0, 3.0])).standardized == pytest.approx(2.0)

    def test_equal_blocks_have_no_standardized_difference(self) -> None:
        assert effect_size(np.array([0.5, 0.5])).standardized is None
        assert effect_size(np.array([0.5])).standardized is None
