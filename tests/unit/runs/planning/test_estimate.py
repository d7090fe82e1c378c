"""Estimates from earlier results of the same build, of any build, or from an assumption."""

import pytest

from orchestrator.runs.planning.estimation.estimate import (
    PROCESS_SECONDS,
    MeasuredKey,
    Timed,
    Workload,
    estimate,
    measured_key,
    seconds_of,
)
from orchestrator.runs.planning.expansion import Expansion, PurposeCounts
from orchestrator.runs.planning.offers import FailedBuild
from orchestrator.runs.planning.planner import expand
from orchestrator.shared.units import KIB, MIB
from orchestrator.wire.builds import Toolchain
from tests.support.plans import agent, build, chunks, matrix, plan

CLANG = Toolchain(compiler="clang")
PROCESS = MeasuredKey("a", 1, "own", "aes-128-ctr", "ref", 8 * MIB)
TIMED = Timed("encrypt", 0, "apart", 10, 10.0)
TWICE = Workload(PurposeCounts(timing=2))
CALLS = MeasuredKey("a", 1, "own", "aes-128-ctr", "ref", 16, TIMED)


def _expanded() -> Expansion:
    offer = agent(builds={Toolchain(): build(), CLANG: FailedBuild(7, "no clang")})
    requested = plan(matrix(["own"], ["aes-*"]), toolchains=[{"compiler": ["gcc", "clang"]}])
    return expand(requested, [offer], chunks())


class TestSecondsOf:
    def test_estimate_prefers_the_same_build_to_any_build_to_an_assumption(self) -> None:
        others = MeasuredKey("a", None, "own", "aes-128-ctr", "ref", 8 * MIB)
        assumed, same, any_build = (
            seconds_of(PROCESS, known) for known in ({}, {PROCESS: 2.0, others: 3.0}, {others: 3.0})
        )
        assert any_build[0] - same[0] == pytest.approx(1.0)
        assert (assumed[1], same[1], any_build[1]) == (False, True, True)

    @pytest.mark.parametrize(("timings", "least_ms", "measured_seconds"), [(10, 10.0, 0.16), (3, 10.0, 0.07)])
    def test_short_calls_take_the_timings_duration(
        self, timings: int, least_ms: float, measured_seconds: float
    ) -> None:
        # Measured with the runner on the machine of the constants.
        timed = Timed("encrypt", 32, "apart", timings, least_ms)
        seconds, known = seconds_of(MeasuredKey("a", 1, "own", "tinyjambu-128", "scalar", 64, timed), {})
        assert seconds == pytest.approx(measured_seconds, rel=0.1)
        assert not known

    def test_result_with_other_timings_is_not_used(self) -> None:
        other = MeasuredKey("a", 1, "own", "aes-128-ctr", "ref", 16, Timed("encrypt", 0, "apart", 20, 10.0))
        assert seconds_of(other, {CALLS: 0.5})[1] is False
        assert seconds_of(CALLS, {CALLS: 0.5})[0] == pytest.approx(0.504)


class TestEstimate:
    def test_cases_of_a_failed_build_take_no_time(self) -> None:
        found = _expanded()
        (part,) = estimate(found.cases, TWICE, {}).values()
        assert len(found.cases) == 2
        assert part.executions == 2
        assert part.seconds == pytest.approx(2 * seconds_of(measured_key(found.cases[0]), {})[0])

    def test_basis_lists_algorithms_with_assumed_rates(self) -> None:
        (part,) = estimate(_expanded().cases, TWICE, {}).values()
        assert part.basis == "No earlier results of this agent: assumed speeds for aes-128-ctr."

    def test_estimate_includes_every_purpose(self) -> None:
        found = _expanded()
        one_seconds = seconds_of(measured_key(found.cases[0]), {})[0]
        work = Workload(PurposeCounts(timing=6, warm_up=2, memory=3, energy=2), window_seconds=5.0)
        (part,) = estimate(found.cases, work, {}).values()
        assert part.seconds == pytest.approx(11 * one_seconds + 2 * (5.0 + one_seconds))
        assert (part.executions, part.more_executions) == (13, 0)
        assert part.input_bytes > 13 * 128 * KIB

    def test_estimate_includes_expected_rounds(self) -> None:
        found = _expanded()
        agent_id = found.cases[0].agent_id
        (part,) = estimate(found.cases, Workload(PurposeCounts(timing=6), timed={agent_id: 40}), {}).values()
        assert (part.executions, part.more_executions, part.at_budget) == (40, 34, 0)

    @pytest.mark.parametrize(("executions", "expected"), [(20, 20), (3, 6)])
    def test_budget_limits_expected_repetitions(self, executions: int, expected: int) -> None:
        # The plan's own repetitions are the minimum.
        found = _expanded()
        agent_id = found.cases[0].agent_id
        known = {measured_key(found.cases[0]): 0.5 - PROCESS_SECONDS}
        one_seconds = seconds_of(measured_key(found.cases[0]), known)[0]
        work = Workload(PurposeCounts(timing=6), timed={agent_id: 40}, budget_seconds=(executions - 0.5) * one_seconds)
        (part,) = estimate(found.cases, work, known).values()
        assert (part.executions, part.at_budget) == (expected, 1)
