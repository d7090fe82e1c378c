"""Expected precision from the noise floor of an agent; unknown values have a reason."""

import math
import random
from statistics import median
from typing import Any

import pytest

from orchestrator.runs.planning.estimation.expectation import (
    Dispersion,
    dispersion_of,
    expect,
    expected_repetitions,
)
from orchestrator.runs.planning.expansion import Expansion
from orchestrator.runs.planning.planner import expand
from orchestrator.statistics.power import detectable_difference
from tests.support.plans import KINDS, agent, chunks, expanded, latency, matrix, plan

TWO_PERCENT = Dispersion(0.02)
UNKNOWN = Dispersion(None, "no noise floor")
MATRIX = matrix(["own"], ["aes-*"])


def _precise(interval: float = 0.01, maximum: int = 1000, repetitions: int = 6) -> dict[str, Any]:
    return {
        "precision": {"relative_interval": interval, "max_repetitions": maximum},
        "repetitions": repetitions,
    }


class TestSpreadOf:
    def test_dispersion_is_derived_from_the_distance_of_pairs_otherwise(self) -> None:
        generator = random.Random(1)
        distances = [abs(generator.gauss(0, 0.03) - generator.gauss(0, 0.03)) for _ in range(20_000)]
        found = dispersion_of({"median_of_single_pairs": math.expm1(median(distances))}).single
        assert found == pytest.approx(0.03, rel=0.02)

    @pytest.mark.parametrize(
        "detail", [None, {}, {"single_execution_spread": "wide"}, {"single_execution_spread": math.nan},
                   {"median_of_single_pairs": -0.5}]
    )  # fmt: skip
    def test_unknown_dispersion_has_a_reason(self, detail: dict[str, Any] | None) -> None:
        found = dispersion_of(detail)
        assert found.single is None
        assert "noise floor" in found.reason


class TestExpectedRepetitions:
    def test_repetitions_follow_the_dispersion_within_the_limits(self) -> None:
        needed = expected_repetitions(plan(MATRIX, **_precise()), TWO_PERCENT)
        assert needed is not None
        assert 10 < needed < 100
        assert expected_repetitions(plan(MATRIX, **_precise(maximum=needed - 1)), TWO_PERCENT) == needed - 1
        assert expected_repetitions(plan(MATRIX, **_precise(repetitions=needed + 1)), TWO_PERCENT) == needed + 1
        assert expected_repetitions(plan(MATRIX, **_precise(0.0001, 99_000)), Dispersion(5.0)) == 99_000

    def test_repetitions_are_unknown_without_a_dispersion(self) -> None:
        assert expected_repetitions(plan(MATRIX, **_precise()), UNKNOWN) is None


class TestExpect:
    def test_comparison_averages_over_the_inputs_of_a_candidate(self) -> None:
        inputs = {"kinds": list(KINDS), "sizes": ["128 KiB"]}
        found = expanded(matrix(["own", "cryptopp"], ["aes-128-ctr", "noop"], inputs=inputs))
        expectation = expect(plan(MATRIX, repetitions=10), TWO_PERCENT, found.cases, 0)
        assert expectation.inputs == 4
        assert expectation.detectable_difference == detectable_difference(0.02, 10, 4)
        assert expectation.expected_relative_interval is not None
        needed = [one.repetitions for one in expectation.repetitions_for_difference]
        assert needed == sorted(needed, reverse=True)

    def test_copies_and_protocols_are_separate_candidates(self) -> None:
        blocks = (matrix(["own"], ["aes-*"], copies=3), latency(["own"], ["aes-*"], [16, 64]))
        found: Expansion = expand(plan(*blocks), [agent()], chunks())
        assert len(found.cases) == 3 + 2 * 2
        assert expect(plan(MATRIX), TWO_PERCENT, found.cases, 0).inputs == 1

    def test_noop_is_not_a_candidate(self) -> None:
        assert expect(plan(MATRIX), TWO_PERCENT, expanded(matrix(["own"], ["noop"])).cases, 0).inputs == 1

    def test_expectation_is_unknown_without_a_dispersion(self) -> None:
        expectation = expect(plan(MATRIX, repetitions=10), UNKNOWN, expanded(MATRIX).cases, 0)
        assert (expectation.expected_relative_interval, expectation.detectable_difference) == (None, None)
        assert {one.repetitions for one in expectation.repetitions_for_difference} == {None}
        assert expectation.reason == "no noise floor"
