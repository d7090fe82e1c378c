from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest

from orchestrator.adhoc.command_lines import CommandLine
from orchestrator.adhoc.program import ProgramCommand
from orchestrator.adhoc.series import LEAST_ROUNDS, Series, SeriesPlan, Steps, names_of, run_series
from orchestrator.errors import CommandFailed
from orchestrator.measurement.instrument.measure import Measurement
from orchestrator.wire.records import Failure
from tests.support.adhoc_series import ONE_PERCENT, always, measurement, plan

STEADY = always(1_000_000)


def run(asked: SeriesPlan, measure: Callable[[ProgramCommand], Measurement] = STEADY) -> Series:
    return run_series(asked, Steps(lambda: None, measure, lambda done, most: None))


def order(series: Series) -> list[int]:
    return [one.program for one in series.executions]


class TestOrder:
    def test_each_round_has_every_program_once(self) -> None:
        seen = order(run(plan("a", "b", "c", rounds=20)))

        assert all(sorted(seen[place : place + 3]) == [0, 1, 2] for place in range(0, 60, 3))

    def test_a_seed_repeats_it_and_another_one_does_not(self) -> None:
        first, again, other = (order(run(plan("a", "b", "c", rounds=20, seed=seed))) for seed in (5, 5, 6))

        assert first == again
        assert first != other

    def test_warm_up_comes_first_and_does_not_count(self) -> None:
        series = run(plan("a", "b", rounds=3, warm_up=2))

        assert [one.purpose for one in series.executions] == ["warm-up"] * 4 + ["timing"] * 6
        assert [one.round for one in series.of(0)] == [1, 2, 3]
        assert [one.position for one in series.executions] == list(range(10))

    def test_something_is_prepared_before_each_execution(self) -> None:
        done: list[str] = []

        def measure(command: ProgramCommand) -> Measurement:
            done.append("measured")
            return measurement(1_000)

        run_series(plan("a", rounds=2), Steps(lambda: done.append("prepared"), measure, lambda done, most: None))

        assert done == ["prepared", "measured"] * 2


class TestEnough:
    def test_steady_programs_stop_at_the_fewest(self) -> None:
        series = run(plan("a", "b"))

        assert series.stopped == "precise"
        assert len(series.of(0)) == len(series.of(1)) == LEAST_ROUNDS

    def test_noise_is_repeated_until_the_interval_is_narrow(self) -> None:
        numbers = count()
        series = run(plan("a"), lambda _: measurement(1_000_000 + 7_000 * (next(numbers) % 7)))

        assert series.stopped == "precise"
        assert LEAST_ROUNDS < len(series.of(0)) < 1000

    def test_the_budget_ends_it(self) -> None:
        numbers = count()
        series = run(plan("a"), lambda _: measurement(400_000_000 * (1 + next(numbers) % 5)))

        assert series.stopped == "budget"
        assert len(series.of(0)) == LEAST_ROUNDS

    def test_the_most_rounds_end_it(self) -> None:
        numbers = count()
        asked = replace(plan("a"), precision=ONE_PERCENT.model_copy(update={"max_repetitions": 12}))

        series = run(asked, lambda _: measurement(1_000 * (1 + next(numbers) % 5)))

        assert series.stopped == "maximum"
        assert len(series.of(0)) == 12


class TestFailures:
    FAILURE = Failure(error="exit-code", detail="ended with exit code 3", exit_code=3, stderr_tail="one\ntwo\n\x1b[31m")

    def test_the_first_one_ends_it_with_the_programs_own_words(self) -> None:
        with pytest.raises(CommandFailed) as failed:
            run(plan("a", rounds=3), lambda _: measurement(1_000, self.FAILURE))

        assert "'a' ended with exit code 3, in round 1. It said:\n  one\n  two" in failed.value.detail
        assert "\x1b" not in failed.value.detail
        assert "--ignore-failure" in failed.value.remedy
        assert failed.value.facts["exit_code"] == 3

    def test_an_exit_code_can_be_ignored(self) -> None:
        series = run(replace(plan("a", rounds=3), ignore_failure=True), lambda _: measurement(1_000, self.FAILURE))

        assert len(series.of(0)) == 3

    @pytest.mark.parametrize("error", ["timeout", "output-exceeded", "launch-failed"])
    def test_what_we_ended_cannot(self, error: str) -> None:
        with pytest.raises(CommandFailed):
            run(
                replace(plan("a", rounds=3), ignore_failure=True),
                lambda _: measurement(1_000, Failure(error=error, detail="x")),
            )


class TestNames:
    def test_given_ones_come_first_and_equal_ones_are_numbered(self) -> None:
        lines = [CommandLine(text, ("/bin/true",)) for text in ("x", "true", "true")]

        assert names_of(lines, ["named"]) == ["named", "true (1)", "true (2)"]
