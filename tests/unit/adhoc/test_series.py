from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest

from orchestrator.cli.adhoc.command_lines import CommandLine
from orchestrator.cli.adhoc.hooks import Hooks
from orchestrator.cli.adhoc.program import ProgramCommand
from orchestrator.cli.adhoc.series import MIN_ROUNDS, ProgramSeries, SeriesPlan, Steps, names_of, run_series
from orchestrator.measurement.instrument.measure import Measurement
from orchestrator.shared.errors import CommandFailed
from orchestrator.wire.records import Failure
from tests.support.adhoc_series import always, measurement, plan

STEADY = always(1_000_000)


def no_hook(option: str, line: CommandLine) -> None:
    raise AssertionError(f"{option} {line}")


def run(series_plan: SeriesPlan, measure: Callable[[ProgramCommand], Measurement] = STEADY) -> ProgramSeries:
    return run_series(series_plan, Steps(no_hook, measure, lambda done, total: None))


def order(series: ProgramSeries) -> list[int]:
    return [one.program for one in series.executions]


class TestOrder:
    def test_each_round_has_every_program_once(self) -> None:
        seen = order(run(plan("a", "b", "c", rounds=20)))

        assert all(sorted(seen[place : place + 3]) == [0, 1, 2] for place in range(0, 60, 3))

    def test_order_is_determined_by_the_seed(self) -> None:
        first, again, other = (order(run(plan("a", "b", "c", rounds=20, seed=seed))) for seed in (5, 5, 6))

        assert first == again
        assert first != other

    @pytest.mark.parametrize("failing", ["setup", "prepare", "conclude", "cleanup", "measured"])
    def test_cleanup_is_executed_after_a_failure_whose_message_is_kept(self, failing: str) -> None:
        lines = {name: CommandLine(name, ("/bin/true",)) for name in ("setup", "prepare", "conclude", "cleanup")}
        first = plan("a", rounds=2)
        programs = tuple(replace(program, hooks=Hooks(**lines)) for program in first.programs)
        done: list[str] = []

        def step(name: str) -> None:
            done.append(name)
            if name in (failing, "cleanup"):
                raise CommandFailed(f"{name} failed")

        def measure(command: ProgramCommand) -> Measurement:
            step("measured")
            return measurement(1_000)

        with pytest.raises(CommandFailed, match=f"{failing} failed"):
            run_series(
                replace(first, programs=programs),
                Steps(lambda _, line: step(line.text), measure, lambda done, total: None),
            )

        assert done[-1] == "cleanup"
        assert done.count("cleanup") == 1


class TestEnd:
    def test_constant_programs_stop_at_the_minimum(self) -> None:
        series = run(plan("a", "b"))

        assert series.stopped == "precise"
        assert len(series.of(0)) == len(series.of(1)) == MIN_ROUNDS

    def test_noisy_program_is_repeated_until_its_interval_is_narrow(self) -> None:
        numbers = count()
        series = run(plan("a"), lambda _: measurement(1_000_000 + 7_000 * (next(numbers) % 7)))

        assert series.stopped == "precise"
        assert MIN_ROUNDS < len(series.of(0)) < 1000

    def test_budget_ends_the_series(self) -> None:
        numbers = count()
        series = run(plan("a"), lambda _: measurement(400_000_000 * (1 + next(numbers) % 5)))

        assert series.stopped == "budget"
        assert len(series.of(0)) == MIN_ROUNDS


class TestFailures:
    FAILURE = Failure(error="exit-code", detail="ended with exit code 3", exit_code=3, stderr_tail="one\ntwo\n\x1b[31m")

    def test_first_failure_ends_the_series_with_the_programs_output(self) -> None:
        with pytest.raises(CommandFailed) as failed:
            run(plan("a", rounds=3), lambda _: measurement(1_000, self.FAILURE))

        assert (
            "'a' ended with exit code 3, in round 1. Its standard error ends with:\n  one\n  two" in failed.value.detail
        )
        assert "\x1b" not in failed.value.detail
        assert "--ignore-failure" in failed.value.remedy
        assert failed.value.facts["exit_code"] == 3

    def test_launcher_of_an_older_build_is_recognized(self) -> None:
        detail = "The launcher rejected the request: expected run, cpu, timeout_ms, output_limit, env, arg, go or kill"
        failure = Failure(error="launch-failed", detail=detail)

        with pytest.raises(CommandFailed) as failed:
            run(plan("a", rounds=3), lambda _: measurement(1_000, failure))

        assert "ciphermark runners build" in failed.value.remedy

    def test_exit_code_can_be_ignored(self) -> None:
        series = run(replace(plan("a", rounds=3), ignore_failure=True), lambda _: measurement(1_000, self.FAILURE))

        assert len(series.of(0)) == 3

    @pytest.mark.parametrize("error", ["timeout", "output-exceeded", "launch-failed"])
    def test_killed_program_cannot_be_ignored(self, error: str) -> None:
        with pytest.raises(CommandFailed):
            run(
                replace(plan("a", rounds=3), ignore_failure=True),
                lambda _: measurement(1_000, Failure(error=error, detail="x")),
            )


class TestNames:
    def test_equal_names_are_numbered(self) -> None:
        assert names_of(["named", "true", "true"]) == ["named", "true (1)", "true (2)"]
