from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.results.schemas import AnswerRow
from orchestrator.runs.schemas import RunSummary
from orchestrator.web.drawing import ROW_HEIGHT, LogScale, outcome_segments, phase_segments, sparkline, tie_bars

positive = st.floats(min_value=1e-3, max_value=1e12)


class TestLogScale:
    @given(positive, positive, positive)
    def test_position_grows_with_the_value(self, smallest: float, first: float, second: float) -> None:
        scale = LogScale(smallest, smallest * 1000)
        low, high = sorted((first, second))
        assert 2 <= scale.at(low) <= scale.at(high) <= 98

    def test_single_value_is_in_the_middle(self) -> None:
        # ln(1) = 0 once divided here.
        assert LogScale(5.0, 5.0).at(5.0) == 50


def test_line_of_repeated_runs_shows_noise_as_small_and_keeps_within_its_box() -> None:
    assert sparkline([100, 101, 200]) == [(2.0, 18.0), (50.0, 17.8), (98.0, 2.0)]
    assert sparkline([100, 101]) == [(2.0, 10.8), (98.0, 9.2)]


def test_bar_of_a_tie_joins_neighboring_rows_and_has_one_place_in_all_rows() -> None:
    rows = [AnswerRow.model_construct(groups=groups) for groups in (["a"], ["a", "b"], [], ["b"])]
    first, second, none, last = tie_bars(rows)
    assert first[0].top + first[0].height == ROW_HEIGHT  # down to the next row, which has the letter, too
    assert second[0].top == 0
    assert first[0].left == second[0].left
    assert none == []
    assert last[0].left == second[1].left
    assert last[0].top > 0  # the row above lacks the letter


class TestSegments:
    @given(st.lists(st.integers(0, 1000), min_size=5, max_size=5), st.integers(0, 5000))
    def test_progress_bar_fits_its_width(self, counts: list[int], waiting: int) -> None:
        ok, failed, wrong, disputed, skipped = counts
        run = RunSummary.model_construct(
            ok=ok, failed=failed, wrong=wrong, disputed=disputed, skipped=skipped,
            executions_total=sum(counts) + waiting,
        )  # fmt: skip
        segments = outcome_segments(run)
        assert all(before.left + before.width <= after.left + 1e-9 for before, after in pairwise(segments))
        assert sum(segment.width for segment in segments) <= 100 + 1e-9

    def test_phases_fill_the_bar(self) -> None:
        phases = [{"name": "start and load", "wall_ns": 60}, {"name": "encrypt", "wall_ns": 140}]
        assert [(one.name, one.left, one.width) for one in phase_segments(phases, 200)] == [
            ("start-and-load", 0, 30),
            ("encrypt", 30, 70),
        ]
