"""Stop reasons of cases, and the number of further blocks for the others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.statistics.stopping import CaseSoFar, judge, round_size
from orchestrator.wire.plans import Precision

ONE_PERCENT = Precision(relative_interval=0.01, max_repetitions=100, seconds_per_case=10.0)


def case(
    repetitions: int = 10, interval: float | None = 0.02, ok: int | None = None, seconds: float = 1.0
) -> CaseSoFar:
    return CaseSoFar(1, 0, repetitions, repetitions if ok is None else ok, interval, seconds)


class TestJudge:
    @pytest.mark.parametrize(
        ("so_far", "stop"),
        [
            (case(interval=0.01), "reached"),
            (case(interval=0.0101), None),
            (case(interval=None), None),
            (case(repetitions=100), "maximum"),
            (case(repetitions=100, interval=0.009), "reached"),
            (case(seconds=10.0), "budget"),
            (case(seconds=9.9), None),
            (case(ok=0, interval=None), "failing"),
            (case(ok=3, interval=None), None),
        ],
    )
    def test_stop_reason(self, so_far: CaseSoFar, stop: str | None) -> None:
        assert judge(so_far, ONE_PERCENT) == stop


class TestRoundSize:
    @pytest.mark.parametrize(
        ("cases", "size"),
        [
            ([case(interval=0.0125)], 6),  # 10 * 1.25^2 = 15.6: 16 in total
            ([case(interval=0.0125), case(interval=0.5)], 6),  # no case gets many more than needed …
            ([case(interval=0.0101)], 3),  # … but a round has at least 25 %
            ([case(interval=0.5)], 10),  # at most as many as there are
            ([case(repetitions=90, interval=0.5)], 10),  # nor beyond the maximum
            ([case(repetitions=2, interval=None)], 4),  # six give an interval
            ([case(repetitions=8, ok=4, interval=None)], 2),
            ([case(repetitions=1, interval=None)], 5),
        ],
    )
    def test_round_size_is_the_smallest_estimated_need(self, cases: list[CaseSoFar], size: int) -> None:
        assert round_size(cases, ONE_PERCENT) == size

    @given(
        repetitions=st.integers(1, 99),
        widths=st.lists(st.none() | st.floats(0.0101, 100.0), min_size=1, max_size=20),
    )
    def test_rounds_grow_and_end(self, repetitions: int, widths: list[float | None]) -> None:
        size = round_size([case(repetitions, width) for width in widths], ONE_PERCENT)
        assert 1 <= size <= ONE_PERCENT.max_repetitions - repetitions
        assert size <= max(repetitions, 6)

    def test_case_that_stays_imprecise_has_few_rounds(self) -> None:
        precision = Precision(relative_interval=0.001, max_repetitions=100_000)
        repetitions, rounds = 6, 0
        while repetitions < precision.max_repetitions:
            repetitions += round_size([case(repetitions, 0.00101)], precision)
            rounds += 1
        assert rounds < 50
