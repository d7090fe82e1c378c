"""The cost of a mixture covers the true cost, and the nearest changes are those of known functions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.statistics.location import Floats
from orchestrator.statistics.mixtures.changes import nearest_changes
from orchestrator.statistics.mixtures.cost import InterpolationError, Mixture, Times
from tests.support.seldom import seldom
from tests.support.simulated_mixtures import (
    MEASURED,
    Truth,
    blocks_of,
    curve,
    interval_of,
    line,
    measured,
    random_mixture,
    true_cost_ns,
)

KEY_SETUP_NS = 500.0
ALMOST = 1e-9


def exact(truth: Truth, key_setup_ns: float | None = KEY_SETUP_NS, blocks: int = 8) -> Times:
    """Return times without noise but for one part in 10⁹, so that no two blocks are equal."""
    factors = 1 + ALMOST * np.arange(blocks)[:, None]
    times = truth(np.asarray(MEASURED, dtype=np.float64)) * factors
    return Times(MEASURED, times, None if key_setup_ns is None else key_setup_ns * factors[:, 0])


# Short messages are faster with the one, long ones with the other; both cost the same at 400 B.
SHORT, LONG = line(100, 2.0), line(500, 1.0)


class TestMixture:
    def test_counts_become_shares_and_key_changes_per_message(self) -> None:
        mixture = Mixture.of([1500, 24, 64], [100, 900, 0], 10)
        assert mixture == Mixture((24, 1500), (0.9, 0.1), 0.01)
        assert mixture.mean_bytes == pytest.approx(171.6)

    def test_mixture_needs_a_message(self) -> None:
        with pytest.raises(ValueError, match="at least one message"):
            Mixture.of([24], [0])

    @given(st.lists(st.floats(0.01, 1), min_size=2, max_size=8), st.floats(0, 1))
    def test_other_shares_keep_their_ratios(self, counts: list[float], share: float) -> None:
        mixture = Mixture.of(range(1, len(counts) + 1), counts).with_share(1.0, share)
        assert math.fsum(mixture.shares) == pytest.approx(1)
        assert mixture.share_of(1) == pytest.approx(share)
        if share < 0.99 and len(counts) > 2:
            assert mixture.share_of(2) / mixture.share_of(3) == pytest.approx(counts[1] / counts[2], rel=1e-6)


class TestCost:
    def test_line_is_interpolated_exactly(self) -> None:
        times, mixture = exact(line(200, 1.5)), Mixture.of([16, 100, 1500], [1, 1, 2], 4)
        truth = true_cost_ns(line(200, 1.5), mixture, KEY_SETUP_NS)
        assert times.cost_ns(mixture) == pytest.approx(truth)
        assert times.sums_ns(mixture) == pytest.approx(np.full(8, truth))

    def test_measured_lengths_have_no_error_of_interpolation(self) -> None:
        assert exact(curve(100, 0.5, 400)).interpolation_error(Mixture.of([16, 1504], [1, 1])) == InterpolationError(
            0, 0
        )
        assert exact(curve(100, 0.5, 400)).interpolation_error(Mixture.of([16, 608], [1, 1])).below > 0.01

    def test_two_lengths_bound_the_time_between_them(self) -> None:
        times = Times((16, 1024), np.tile([100.0, 900.0], (6, 1)))
        mixture = Mixture.of([520], [1])
        assert times.cost_ns(mixture) == pytest.approx(500)
        error = times.interpolation_error(mixture)
        assert error.below == pytest.approx(400 / 500)
        # 520 is no multiple of 16: neither length shows what an incomplete block costs.
        assert error.above == pytest.approx((400 + 8 * 800 / 1008 + 100) / 500)

    def test_incomplete_blocks_that_were_not_measured_widen_the_interval_upward(self) -> None:
        # Bug: AES-GCM takes 30 ns for the end of any message that is no multiple of its block, and 20 of 20 intervals
        # from lengths of whole blocks missed the measured cost.
        def padded(lengths: Floats) -> Floats:
            return 40 + 0.05 * lengths + np.where(lengths % 16 > 0, 30.0, 0.0)

        generator, mixture = np.random.default_rng(5), Mixture.of([100, 700], [1, 1])
        found = interval_of(measured(generator, padded, 12, KEY_SETUP_NS), mixture)
        assert found.contains(true_cost_ns(padded, mixture))
        whole = Mixture.of([96, 704], [1, 1])
        narrow = interval_of(measured(generator, padded, 12, KEY_SETUP_NS), whole)
        assert narrow.contains(true_cost_ns(padded, whole))
        assert narrow.high - narrow.low < (found.high - found.low) / 3

    def test_single_length_covers_itself_only(self) -> None:
        times = Times((16,), np.full((6, 1), 100.0))
        assert times.covers(Mixture.of([16], [1]))
        assert not times.covers(Mixture.of([16, 17], [1, 1]))
        assert times.cost_ns(Mixture.of([16], [3])) == pytest.approx(100)

    def test_block_that_lacks_a_used_length_has_no_cost(self) -> None:
        times = np.tile([100.0, 200.0, 300.0], (6, 1))
        times[2, 2] = np.nan
        found = Times((16, 64, 256), times)
        assert np.isnan(found.sums_ns(Mixture.of([16, 256], [1, 1]))).tolist() == [False, False, True] + [False] * 3
        assert np.isfinite(found.sums_ns(Mixture.of([16, 64], [1, 1]))).all()

    @pytest.mark.parametrize("blocks", [6, *seldom(20)])
    @pytest.mark.parametrize(
        "truth", [line(200, 1.5), blocks_of(16, 100, 25), blocks_of(64, 80, 90), curve(100, 0.5, 400)],
        ids=["line", "blocks of 16", "blocks of 64", "curve"],
    )  # fmt: skip
    def test_interval_covers_the_true_cost_of_random_mixtures(self, truth: Truth, blocks: int) -> None:
        generator, missed, trials = np.random.default_rng(20261123 + blocks), 0, 200
        for _ in range(trials):
            mixture = random_mixture(generator, int(generator.integers(1, 12)))
            interval = interval_of(measured(generator, truth, blocks, KEY_SETUP_NS), mixture)
            missed += not interval.contains(true_cost_ns(truth, mixture, KEY_SETUP_NS))
        # At most 5 % may miss it; 200 trials of that have more than 10 % with a probability of 0.1 %.
        assert missed / trials <= 0.1

    def test_interval_of_measured_lengths_is_no_wider_than_its_noise(self) -> None:
        generator, mixture = np.random.default_rng(7), Mixture.of(MEASURED, [1, 2, 3, 4, 5], 2)
        found = interval_of(measured(generator, line(200, 1.5), 40, KEY_SETUP_NS), mixture)
        assert (found.high - found.low) / (found.high + found.low) < 0.02


class TestChanges:
    TIMES = {"short": exact(SHORT), "long": exact(LONG, 100.0)}

    def test_share_and_length_at_which_both_cost_the_same(self) -> None:
        mixture = Mixture.of([16, 1024], [9, 1])
        found = {one.kind: one for one in nearest_changes("short", ["long"], self.TIMES, mixture)}
        # Scaled to a mean of 400 B, messages of 1024 B would be longer than any measured one.
        assert set(found) == {"share", "key-changes"}
        share, changes = found["share"], found["key-changes"]
        # The mean of 400 B is reached by the fewest moved messages if they get the longest length.
        assert (share.length_bytes, share.winner, share.before) == (1504, "long", 0)
        assert mixture.with_share(1504, share.after).mean_bytes == pytest.approx(400, rel=1e-6)
        # A key setup costs 400 ns less with the other one.
        assert changes.after == pytest.approx((400 - mixture.mean_bytes) / 400, rel=1e-6)

    def test_factor_on_all_lengths_at_which_both_cost_the_same(self) -> None:
        found = nearest_changes("short", ["long"], self.TIMES, Mixture.of([200, 300], [1, 1]))
        (factor,) = (one for one in found if one.kind == "length")
        assert (factor.before, factor.after, factor.length_bytes) == (1, pytest.approx(1.6, rel=1e-6), None)
        back = nearest_changes("long", ["short"], self.TIMES, Mixture.of([800, 1200], [1, 1]))
        assert [one.after for one in back if one.kind == "length"] == [pytest.approx(0.4, rel=1e-6)]

    def test_nearest_comes_first_and_limits_enclose_it(self) -> None:
        generator = np.random.default_rng(3)
        times = {name: measured(generator, truth, 12, KEY_SETUP_NS) for name, truth in
                 (("short", SHORT), ("long", LONG))}  # fmt: skip
        (first, *_) = nearest_changes("short", ["long"], times, Mixture.of([16, 1024], [9, 1]))
        assert first.kind == "share"
        assert first.before <= first.undecided_from <= first.after
        assert first.undecided_to is not None
        assert first.undecided_to > first.after

    def test_noise_floor_widens_what_is_undecided(self) -> None:
        mixture = Mixture.of([16, 1024], [9, 1])
        (plain, *_), (floored, *_) = (
            nearest_changes("short", ["long"], self.TIMES, mixture, floor) for floor in (0.0, 0.05)
        )
        assert plain.after == pytest.approx(floored.after)
        assert floored.undecided_from < plain.undecided_from

    def test_candidate_that_is_always_slower_gives_no_change(self) -> None:
        times = {"a": exact(line(100, 1)), "b": exact(line(200, 1.2), None)}
        assert nearest_changes("a", ["b"], times, Mixture.of([16, 1024], [1, 1])) == []
