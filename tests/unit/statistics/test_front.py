"""Pareto fronts of candidates whose comparisons may be ties or undecided."""

import numpy as np

from orchestrator.statistics.paired import Floats
from orchestrator.statistics.ranking import ExactField, Field, rank, rank_together
from orchestrator.statistics.rankings.front import Order, dominates, front

Fields = dict[str, Field | ExactField]


def exact(values: dict[str, tuple[float, ...]]) -> tuple[tuple[str, ...], dict[str, str], dict[str, tuple[str, ...]]]:
    """Return the front of exact values, smaller is better."""

    def _compare(first: str, second: str) -> list[Order]:
        return [
            "tie" if one == other else "better" if one < other else "worse"
            for one, other in zip(values[first], values[second], strict=True)
        ]

    found = front(sorted(values, key=lambda name: values[name]), _compare)
    return found.members, dict(found.dominated), dict(found.ties)


class TestFront:
    def test_it_is_the_set_of_maxima(self) -> None:
        generator = np.random.default_rng(5)
        values = {f"c{place}": tuple(pair) for place, pair in enumerate(generator.integers(0, 30, size=(80, 2)))}
        expected = {
            name
            for name, own in values.items()
            if not any(
                all(o <= p for o, p in zip(other, own, strict=True)) and other != own for other in values.values()
            )
        }
        members, dominated, _ = exact(values)
        assert set(members) == expected
        for name, winner in dominated.items():
            assert winner in expected
            assert all(one <= other for one, other in zip(values[winner], values[name], strict=True))

    def test_equal_candidates_are_both_on_it_and_tied(self) -> None:
        assert exact({"a": (1, 2), "b": (1, 2), "c": (2, 3)}) == (
            ("a", "b"), {"c": "a"}, {"a": ("b",), "b": ("a",)},
        )  # fmt: skip

    def test_undecided_comparison_excludes_nothing(self) -> None:
        assert not dominates(["better", "undecided"])
        assert not dominates(["tie", "tie"])
        assert dominates(["better", "tie"])

    def test_cycle_of_ties_leaves_candidates_on_it(self) -> None:
        # a beats b, b beats c, c beats a: ties are not transitive, and something must stay.
        wins = {("a", "b"), ("b", "c"), ("c", "a")}

        def _compare(first: str, second: str) -> list[Order]:
            return ["better" if (first, second) in wins else "worse" if (second, first) in wins else "tie"]

        found = front(["a", "b", "c"], _compare)
        assert found.members
        assert set(found.members) | set(found.dominated) == {"a", "b", "c"}
        assert all((winner, name) in wins and winner in found.members for name, winner in found.dominated.items())


def level(value: float, seed: int, blocks: int = 12) -> Floats:
    return np.asarray(value * np.exp(np.random.default_rng(seed).normal(0.0, 0.005, size=(blocks, 2))))


class TestFieldsTogether:
    def test_exact_values_tie_only_if_equal_and_are_no_comparisons(self) -> None:
        found = rank_together({"size": ExactField({"a": 10, "b": 10, "c": 0})})
        assert [(place.name, place.rank, place.last_rank, place.groups) for place in found.places["size"]] == [
            ("c", 1, 1, ()), ("a", 2, 3, ("a",)), ("b", 2, 3, ("a",)),
        ]  # fmt: skip
        assert found.comparisons == 0

    def test_front_uses_the_ties_of_the_ranking(self) -> None:
        # b ties with a in speed and is smaller, so that it alone is on the front; c is smallest and slowest.
        speeds = {"a": level(1.001e9, 1), "b": level(1e9, 2), "c": level(5e8, 3)}
        fields: Fields = {"speed": Field(speeds, noise_floor=0.01), "size": ExactField({"a": 300, "b": 200, "c": 100})}
        found = rank_together(fields, [("speed", "size")])
        front_found = found.fronts["speed", "size"]
        assert front_found.members == ("b", "c")
        assert dict(front_found.dominated) == {"a": "b"}
        assert [place.rank for place in found.places["speed"]] == [
            place.rank for place in rank(speeds, noise_floor=0.01)
        ]

    def test_candidate_without_the_second_measure_is_not_on_it(self) -> None:
        fields: Fields = {"speed": Field({"a": level(1e9, 1), "b": level(2e9, 2)}), "size": ExactField({"a": 1})}
        assert rank_together(fields, [("speed", "size")]).fronts["speed", "size"].members == ("a",)

    def test_equal_candidates_are_rarely_dominated(self) -> None:
        # 60 fields of 6 equal candidates over two measures of readings: 5 % may have a false exclusion (Holm).
        generator, wrong = np.random.default_rng(20261123), 0
        for _ in range(60):
            one, other = (
                Field({f"c{place}": np.exp(generator.normal(0, 0.02, size=(10, 2))) for place in range(6)})
                for _ in range(2)
            )
            found = rank_together({"one": one, "other": other}, [("one", "other")])
            wrong += bool(found.fronts["one", "other"].dominated)
        assert wrong <= 7
