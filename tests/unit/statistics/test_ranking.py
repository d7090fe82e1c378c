from itertools import combinations

import numpy as np

from orchestrator.shared.values.ranks import ranked_label
from orchestrator.statistics.holm import holm
from orchestrator.statistics.paired import SIGNIFICANCE, Floats, compare
from orchestrator.statistics.ranking import Field, Place, Undecided, rank, rank_together


def level(value: float, seed: int = 0, blocks: int = 12) -> Floats:
    noise = np.random.default_rng(seed).normal(0.0, 0.005, size=(blocks, 4))
    return np.asarray(value * np.exp(noise))


def shown(place: Place) -> str:
    return f"{place.name} {ranked_label(place.rank, place.last_rank, place.groups)}"


def alike(first: Place, second: Place) -> bool:
    return not set(first.groups).isdisjoint(second.groups)


class TestRank:
    def test_equal_candidates_have_the_same_ranks_and_letters(self) -> None:
        places = rank(
            {"fast": level(3e9, 1), "control": level(3e9, 1) * 1.0001, "slow": level(1e9, 2)}, noise_floor=0.01
        )
        assert [shown(place) for place in places] == ["control 1–2 a", "fast 1–2 a", "slow 3"]
        assert [place.verdict for place in places] == [None, "tie", "different"]

    def test_noisy_candidate_ties_with_two_that_differ(self) -> None:
        # 2.87 and 2.18 GiB/s tie, because one of them is noisy; 2.18 and 2.16 do not, and neither do 2.87 and 2.16.
        noise = np.exp(np.random.default_rng(5).normal(0.0, 0.5, size=(12, 1)))
        speeds = {
            "quiet": 2.5e9 * (1 + np.random.default_rng(6).normal(0, 0.001, size=(12, 1))),
            "slow": 2.2e9 * (1 + np.random.default_rng(7).normal(0, 0.001, size=(12, 1))),
            "noisy": 2.3e9 * noise,
        }
        places = {place.name: place for place in rank(speeds)}
        assert {name: alike(places["noisy"], other) for name, other in places.items()} == dict.fromkeys(speeds, True)
        assert not alike(places["quiet"], places["slow"])
        assert [(places[name].rank, places[name].last_rank) for name in speeds] == [(1, 2), (2, 3), (1, 3)]

    def test_ranks_and_letters_are_those_of_every_pair(self) -> None:
        generator = np.random.default_rng(9)
        speeds = {f"c{i}": np.exp(generator.normal(0.02 * i, 0.03, size=(14, 2))) for i in range(12)}
        for candidate in speeds.values():
            candidate[generator.random(candidate.shape) < 0.1] = np.nan
        places = rank(speeds)
        order = [place.name for place in places]
        faster = dict.fromkeys(order, 0)
        slower = dict.fromkeys(order, 0)
        pairs = list(combinations(order, 2))
        compared = [compare(speeds[one], speeds[other]) for one, other in pairs]
        adjusted = holm([one.p for one in compared if one.p is not None])
        by_name = {place.name: place for place in places}
        for (one, other), p in zip(pairs, adjusted, strict=True):
            assert alike(by_name[one], by_name[other]) == (p > SIGNIFICANCE)
            slower[one] += p <= SIGNIFICANCE
            faster[other] += p <= SIGNIFICANCE
        assert 0 < sum(faster.values()) < len(pairs)
        assert [(place.rank, place.last_rank) for place in places] == [
            (1 + faster[name], len(order) - slower[name]) for name in order
        ]

    def test_every_candidate_is_compared_with_the_fastest(self) -> None:
        places = rank({"a": level(4e9, 1), "b": level(2e9, 2), "c": level(1e9, 3)})
        assert places[0].behind_leader is None
        ratios = [place.behind_leader.ratio for place in places[1:] if place.behind_leader]
        assert np.allclose(ratios, [2, 4], rtol=0.02)

    def test_chain_of_small_steps_is_not_one_group(self) -> None:
        # Adjacent candidates are within the floor, others are not.
        places = rank({f"step{i}": np.full((12, 4), 1e9 * 0.985**i) for i in range(5)}, noise_floor=0.02)
        assert [shown(place) for place in places] == [
            "step0 1–2 a", "step1 1–3 a b", "step2 2–4 b c", "step3 3–5 c d", "step4 4–5 d",
        ]  # fmt: skip

    def test_too_few_blocks_are_undecided_and_not_tied(self) -> None:
        places = rank({"a": level(4e9, 1, blocks=3), "b": level(1e9, 2, blocks=3)})
        assert [(shown(place), place.undecided) for place in places] == [
            ("a 1–2 a", Undecided("b", "blocks", 0)), ("b 1–2 a", Undecided("a", "blocks", 0)),
        ]  # fmt: skip
        assert places[1].verdict == "undecided"

    def test_pair_without_shared_inputs_is_undecided(self) -> None:
        first, second, third = level(4e9, 1), level(2e9, 2), level(1e9, 3)
        second[:, 2:] = np.nan
        third[:, :2] = np.nan
        places = rank({"a": first, "b": second, "c": third})
        assert [(shown(place), place.undecided) for place in places] == [
            ("a 1", None), ("b 2–3 a", Undecided("c", "inputs", 0)), ("c 2–3 a", Undecided("b", "inputs", 0)),
        ]  # fmt: skip

    def test_difference_within_the_errors_of_two_candidates_is_undecided(self) -> None:
        speeds = {"a": level(1.05e9, 1), "b": level(1e9, 2), "c": level(0.5e9, 3)}
        exact, vague = (
            rank_together({"": Field(speeds, 0.0, errors)}).places[""] for errors in (None, {"a": 0.01, "b": 0.06})
        )
        assert [shown(place) for place in exact] == ["a 1", "b 2", "c 3"]
        assert [(shown(place), place.undecided) for place in vague] == [
            ("a 1–2 a", Undecided("b", "errors", 0)), ("b 1–2 a", Undecided("a", "errors", 0)), ("c 3", None),
        ]  # fmt: skip

    def test_contradicting_comparison_is_undecided(self) -> None:
        # "b" is faster than "a" with the two inputs that both have, but slower than the others are with those.
        first, second = level(1e9, 1), level(1.1e9, 2)
        others = {f"c{seed}": level(1e8, seed) * np.array([4.0, 4.0, 1.0, 1.0]) for seed in (3, 4, 5)}
        second[:, 2:] = np.nan
        places = {place.name: place for place in rank({"a": first, "b": second} | others)}
        assert (places["b"].rank, places["b"].undecided) == (1, Undecided("a", "contradiction", 0))
        assert places["a"].level.middle > places["b"].level.middle

    def test_single_candidate_is_first_and_not_tied(self) -> None:
        (place,) = rank({"only": level(1e9)})
        assert (shown(place), place.undecided) == ("only 1", None)

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
