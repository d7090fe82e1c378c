from dataclasses import replace
from random import Random

import pytest

from orchestrator.cli.adhoc.conclusions import conclude
from orchestrator.cli.adhoc.reports.files import hyperfine_document
from orchestrator.cli.adhoc.series import ProgramSeries
from orchestrator.cli.adhoc.summary import summarize_executions
from orchestrator.shared.units import MIB
from orchestrator.wire.records import Failure
from tests.support.adhoc_series import measurement, plan, series


def noisy(middle_ns: int, n: int, seed: int) -> list[int]:
    random = Random(seed)
    return [round(middle_ns * random.lognormvariate(0, 0.02)) for _ in range(n)]


class TestSummary:
    def test_every_execution_is_included_and_outliers_are_marked(self) -> None:
        found = summarize_executions(series([100, 102, 98, 101, 99, 100, 900]).of(0))

        assert (found.wall_median_ns, found.wall_min_ns, found.wall_max_ns) == (100, 98, 900)
        assert found.outliers == (False,) * 6 + (True,)
        assert found.wall_mean_ns == pytest.approx(1500 / 7)

    def test_few_executions_have_no_interval_and_one_has_no_deviation(self) -> None:
        five, one = (summarize_executions(series([1000] * n).of(0)) for n in (5, 1))

        assert five.wall_interval_ns is None
        assert five.relative_interval is None
        assert one.wall_standard_deviation_ns is None


class TestComparison:
    def test_faster_program_is_ranked_first_with_its_ratio(self) -> None:
        both = series(noisy(2_000_000, 30, 1), noisy(1_000_000, 30, 2))

        found = conclude(plan("slow", "fast", rounds=30), both, core=1, remarks=[])

        first, second = found.standings
        assert (first.program, first.rank, first.behind) == (1, 1, None)
        assert second.behind is not None
        assert second.behind.verdict == "different"
        assert second.behind.ratio == pytest.approx(2, rel=0.03)
        assert (second.behind.low or 0) < 2 < (second.behind.high or 0)

    def test_reference_is_compared_with_every_other_program(self) -> None:
        three = series(noisy(1_000_000, 30, 1), noisy(2_000_000, 30, 2), noisy(500_000, 30, 3))

        found = conclude(replace(plan("r", "slow", "fast", rounds=30), reference=0), three, core=1, remarks=[])

        relative = {standing.program: standing.relative for standing in found.standings}
        assert relative[0] is None
        assert relative[1] is not None
        assert relative[2] is not None
        assert relative[1].ratio == pytest.approx(2, rel=0.05)
        assert relative[2].ratio == pytest.approx(0.5, rel=0.05)
        assert {relative[1].verdict, relative[2].verdict} == {"different"}
        assert [standing.program for standing in found.standings] == [2, 0, 1]

    def test_equal_programs_are_tied(self) -> None:
        both = series(noisy(1_000_000, 30, 1), noisy(1_000_000, 30, 2))

        found = conclude(plan("a", "b", rounds=30), both, core=1, remarks=[])

        assert [(one.rank, one.last_rank, one.groups) for one in found.standings] == [(1, 2, ["a"])] * 2

    def test_few_rounds_are_undecided(self) -> None:
        both = series([100, 110, 105], [200, 190, 210])

        found = conclude(plan("a", "b", rounds=3), both, core=1, remarks=[])

        assert found.standings[1].behind is not None
        assert found.standings[1].behind.verdict == "undecided"

    def test_difference_below_the_noise_floor_is_a_tie(self) -> None:
        steady, slower = [1_000_000 + number for number in range(30)], [1_010_000 + number for number in range(30)]
        rough = [round(time * (1.5 if number % 2 else 0.7)) for number, time in enumerate(steady)]

        without = conclude(plan("a", "b", rounds=30), series(steady, slower), core=1, remarks=[])
        held = conclude(
            replace(plan("a", "b", "c", rounds=30), control=2), series(steady, slower, rough), core=1, remarks=[]
        )

        assert without.standings[1].behind is not None
        assert without.standings[1].behind.verdict == "different"
        assert held.noise_floor is not None
        assert held.noise_floor > 0.01
        assert [standing.program for standing in held.standings] == [0, 1]
        assert held.standings[1].behind is not None
        assert held.standings[1].behind.verdict == "tie"


class TestHyperfineFiles:
    @pytest.fixture
    def document(self) -> dict[str, list[dict[str, object]]]:
        both = series([1_000_000_000, 3_000_000_000], [5_000_000, 7_000_000])
        summaries = [summarize_executions(both.of(place)) for place in range(2)]
        return hyperfine_document(plan("a", "b").programs, [both.of(0), both.of(1)], summaries)

    def test_times_are_seconds_and_memory_bytes(self, document: dict[str, list[dict[str, object]]]) -> None:
        assert document["results"][0] == {
            "command": "a", "mean": 2.0, "stddev": pytest.approx(2**0.5), "median": 2.0, "user": 1.0, "system": 0.5,
            "min": 1.0, "max": 3.0, "times": [1.0, 3.0], "memory_usage_byte": [3 * MIB] * 2, "exit_codes": [0, 0],
        }  # fmt: skip


class TestRemarks:
    def test_outlier_at_the_start_suggests_warm_up(self) -> None:
        series_plan = plan("a", rounds=7)
        late: ProgramSeries = series([9_000] + [1_000] * 6)

        assert "--warmup" in " ".join(conclude(series_plan, late, core=1, remarks=[]).remarks)
        warmed = conclude(replace(series_plan, warm_up_rounds=1), late, core=1, remarks=[])
        assert "--warmup" not in " ".join(warmed.remarks)

    def test_disturbed_and_failed_executions_and_a_wide_interval_are_named(self) -> None:
        found = series(noisy(1_000_000, 8, 3))
        disturbed = measurement(1_010_000, marks=["stolen"])
        failed = measurement(990_000, Failure(error="exit", detail="7"))
        first, second, *others = found.executions
        first, second = replace(first, measurement=disturbed), replace(second, measurement=failed)
        changed = replace(found, executions=(first, second, *others))

        text = " ".join(conclude(plan("a"), changed, core=1, remarks=[]).remarks)

        assert "disturbed (stolen 1); they are marked and kept" in text
        assert "1 of 8 executions failed and are included" in text
        assert "the precision was not reached" in text
