import numpy as np

from orchestrator.statistics.paired import Floats
from orchestrator.statistics.ranking import Field, rank, rank_together


def level(value: float, seed: int = 0, blocks: int = 12) -> Floats:
    noise = np.random.default_rng(seed).normal(0.0, 0.005, size=(blocks, 4))
    return np.asarray(value * np.exp(noise))


class TestRank:
    def test_equal_candidates_share_a_rank_and_the_next_counts_them(self) -> None:
        places = rank(
            {"fast": level(3e9, 1), "control": level(3e9, 1) * 1.0001, "slow": level(1e9, 2)}, noise_floor=0.01
        )
        assert [(place.name, place.rank, place.tied) for place in places] == [
            ("control", 1, True),
            ("fast", 1, True),
            ("slow", 3, False),
        ]

    def test_every_candidate_is_compared_with_the_fastest(self) -> None:
        places = rank({"a": level(4e9, 1), "b": level(2e9, 2), "c": level(1e9, 3)})
        assert places[0].behind_leader is None
        ratios = [place.behind_leader.ratio for place in places[1:] if place.behind_leader]
        assert np.allclose(ratios, [2, 4], rtol=0.02)

    def test_chain_of_small_steps_is_not_one_group(self) -> None:
        # Adjacent candidates are within the floor, the ends are 6 % apart: a group is tied with its first member.
        places = rank({f"step{i}": np.full((12, 4), 1e9 * 0.985**i) for i in range(5)}, noise_floor=0.02)
        assert [place.rank for place in places] == [1, 1, 3, 3, 5]

    def test_too_few_blocks_are_undecided_and_not_tied(self) -> None:
        places = rank({"a": level(4e9, 1, blocks=3), "b": level(1e9, 2, blocks=3)})
        assert [(place.rank, place.undecided) for place in places] == [(1, True), (1, True)]

    def test_pair_without_shared_inputs_is_undecided(self) -> None:
        first, second, third = level(4e9, 1), level(2e9, 2), level(1e9, 3)
        second[:, 2:] = np.nan
        third[:, :2] = np.nan
        places = rank({"a": first, "b": second, "c": third})
        assert [(place.name, place.rank, place.doubt) for place in places] == [
            ("a", 1, ""), ("b", 2, "inputs"), ("c", 2, "inputs"),
        ]  # fmt: skip

    def test_difference_within_the_errors_of_two_candidates_is_undecided(self) -> None:
        speeds = {"a": level(1.05e9, 1), "b": level(1e9, 2), "c": level(0.5e9, 3)}
        exact, vague = (
            rank_together({"": Field(speeds, 0.0, errors)}).places[""] for errors in (None, {"a": 0.01, "b": 0.06})
        )
        assert [(place.name, place.rank, place.doubt) for place in exact] == [("a", 1, ""), ("b", 2, ""), ("c", 3, "")]
        assert [(place.name, place.rank, place.doubt) for place in vague] == [
            ("a", 1, "errors"), ("b", 1, "errors"), ("c", 3, ""),
        ]  # fmt: skip

    def test_contradicting_comparison_is_undecided(self) -> None:
        # "b" is faster than "a" with the two inputs that both have, but slower than the others are with those.
        first, second = level(1e9, 1), level(1.1e9, 2)
        others = {f"c{seed}": level(1e8, seed) * np.array([4.0, 4.0, 1.0, 1.0]) for seed in (3, 4, 5)}
        second[:, 2:] = np.nan
        places = {place.name: place for place in rank({"a": first, "b": second} | others)}
        assert (places["a"].rank, places["b"].rank, places["b"].doubt) == (1, 1, "contradiction")
        assert places["a"].level.middle > places["b"].level.middle

    def test_single_candidate_is_first_and_not_tied(self) -> None:
        (place,) = rank({"only": level(1e9)})
        assert (place.rank, place.tied, place.undecided) == (1, False, False)

    def test_many_equal_candidates_are_rarely_different(self) -> None:
        # Uncorrected, 20 equal candidates would be split in most of 60 runs.
        generator = np.random.default_rng(7)
        split = 0
        for _ in range(60):
            equal = {f"c{i}": np.exp(generator.normal(0.0, 0.01, size=(12, 1))) for i in range(20)}
            split += max(place.rank for place in rank(equal)) > 1
        assert split <= 8  # 3 expected; the fastest of 20 is no random one


class TestRankTogether:
    def test_comparisons_of_all_fields_are_one_family(self) -> None:
        pair = {"a": level(1.006e9, 1), "b": level(1e9, 2)}
        alone = rank_together({"one": Field(pair)})
        many = rank_together({"one": Field(pair)} | {
            f"other{i}": Field({"a": level(1e9, 2 * i + 10), "b": level(1e9, 2 * i + 11)}) for i in range(40)
        })  # fmt: skip
        assert (alone.comparisons, many.comparisons) == (1, 41)
        before, after = alone.places["one"][1].adjusted_p, many.places["one"][1].adjusted_p
        assert before is not None
        assert after is not None
        assert before < after <= 41 * before + 1e-12

    def test_comparisons_without_p_are_not_in_the_family(self) -> None:
        found = rank_together({"one": Field({"a": level(4e9, 1, blocks=3), "b": level(1e9, 2, blocks=3)})})
        assert found.comparisons == 0
