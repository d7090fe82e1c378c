import numpy as np

from orchestrator.statistics.paired import Floats
from orchestrator.statistics.ranking import rank


def level(value: float, seed: int = 0, blocks: int = 12) -> Floats:
    noise = np.random.default_rng(seed).normal(0.0, 0.005, size=(blocks, 4))
    return np.asarray(value * np.exp(noise))


class TestRank:
    def test_equal_candidates_share_a_rank_and_the_next_counts_them(self) -> None:
        places = rank({"fast": level(3e9, 1), "twin": level(3e9, 1) * 1.0001, "slow": level(1e9, 2)}, noise_floor=0.01)
        assert [(place.name, place.rank, place.tied) for place in places] == [
            ("twin", 1, True),
            ("fast", 1, True),
            ("slow", 3, False),
        ]

    def test_everybody_is_compared_with_the_fastest(self) -> None:
        places = rank({"a": level(4e9, 1), "b": level(2e9, 2), "c": level(1e9, 3)})
        assert places[0].behind_leader is None
        ratios = [place.behind_leader.ratio for place in places[1:] if place.behind_leader]
        assert np.allclose(ratios, [2, 4], rtol=0.02)

    def test_a_long_row_of_small_steps_is_not_one_group(self) -> None:
        # Each neighbour is within the floor, the ends are 6 % apart: a group is tied with its first member.
        places = rank({f"step{i}": np.full((12, 4), 1e9 * 0.985**i) for i in range(5)}, noise_floor=0.02)
        assert [place.rank for place in places] == [1, 1, 3, 3, 5]

    def test_too_few_blocks_are_told_apart_from_ties(self) -> None:
        places = rank({"a": level(4e9, 1, blocks=3), "b": level(1e9, 2, blocks=3)})
        assert [(place.rank, place.undecided) for place in places] == [(1, True), (1, True)]

    def test_one_candidate_is_first_and_alone(self) -> None:
        (place,) = rank({"only": level(1e9)})
        assert (place.rank, place.tied, place.undecided) == (1, False, False)
