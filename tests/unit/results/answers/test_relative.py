"""Ratios of points to a reference: paired by block, by the rules of rankings."""

import math
from collections.abc import Mapping

import numpy as np
import pytest

from orchestrator.results.answers.agents import AgentFacts
from orchestrator.results.answers.by_length.relative import (
    NO_INPUT,
    TOO_LITTLE,
    ComparedGroup,
    relative_to,
    relative_to_fastest,
)
from orchestrator.results.answers.by_length.schemas import RelativeRatio
from orchestrator.results.answers.by_length.service import base_toolchain
from orchestrator.results.answers.readings import Candidate
from orchestrator.results.schemas import NoiseFloor
from orchestrator.statistics.location import Floats

BLOCKS = 10
DRIFT = np.linspace(1.0, 2.0, BLOCKS)
"""The machine becomes twice as fast during the run."""


def candidate(provider: str) -> Candidate:
    return Candidate("agent0000001", provider, "aes-128-ctr", "ref", 1)


OWN, BOTAN, OPENSSL = (candidate(name) for name in ("own", "botan", "openssl"))


def speeds(level: float, *, seed: int, inputs: int = 1, noise: float = 0.002) -> Floats:
    """Throughputs of a candidate on the drifting machine."""
    drawn = np.random.default_rng(seed).normal(0, noise, (BLOCKS, inputs))
    return np.asarray(level * DRIFT[:, None] * np.exp(drawn))


def field(readings: Mapping[Candidate, Floats], floor: float | None = None, emulated: bool = False) -> ComparedGroup:
    agent = AgentFacts("agent0000001", "pi4", "pi4", emulated, NoiseFloor(relative=floor, reason=""), {}, {})
    return ComparedGroup(agent, readings, {one: one.provider for one in readings})


def only(readings: Floats, blocks: slice) -> Floats:
    found = np.full_like(readings, np.nan)
    found[blocks] = readings[blocks]
    return found


def limits(one: RelativeRatio) -> tuple[float, float]:
    assert one.interval is not None
    return one.interval.low, one.interval.high


class TestFastest:
    def test_drift_between_blocks_does_not_widen_the_interval(self) -> None:
        ratios = relative_to_fastest(field({OWN: speeds(0.97, seed=1), BOTAN: speeds(1.0, seed=2)}))
        low, high = limits(ratios[OWN])
        assert (ratios[OWN].method, ratios[OWN].verdict, ratios[OWN].blocks) == ("paired", "different", BLOCKS)
        assert 0.965 < low < 0.97 < high < 0.975

    def test_missing_blocks_do_not_change_the_reference_or_the_ratio(self) -> None:
        # Without its slow half, the slower candidate has the higher median.
        slower, faster = only(speeds(0.97, seed=1), slice(5, None)), speeds(1.0, seed=2)
        assert np.nanmedian(slower) > 1.1 * np.nanmedian(faster)
        ratios = relative_to_fastest(field({OWN: slower, BOTAN: faster}))
        assert ratios[BOTAN].verdict == "reference"
        assert ratios[OWN].ratio == pytest.approx(0.97, abs=0.005)
        assert (ratios[OWN].blocks, ratios[OWN].interval, ratios[OWN].verdict) == (5, None, "undecided")

    def test_difference_within_the_noise_floor_ties(self) -> None:
        readings = {OWN: speeds(0.97, seed=1), BOTAN: speeds(1.0, seed=2)}
        assert relative_to_fastest(field(readings, floor=0.2))[OWN].verdict == "tie"
        assert relative_to_fastest(field(readings, floor=0.001))[OWN].verdict == "different"

    def test_verdict_is_corrected_for_all_pairs(self) -> None:
        names = [candidate(f"provider {place:02}") for place in range(12)]
        readings = {one: speeds(1.0, seed=place + 36, noise=0.02) for place, one in enumerate(names)}
        equal = relative_to_fastest(field(readings))
        alone = [one for one in equal.values() if one.interval and not one.interval.low < 1 < one.interval.high]
        assert alone  # at least one interval of the eleven excludes 1 by chance
        assert {one.verdict for one in equal.values()} == {"reference", "tie"}

    def test_too_few_common_inputs_have_a_reason(self) -> None:
        readings = [speeds(1.0, seed=seed, inputs=7) for seed in range(3)]
        readings[2][:, :3], readings[0][:, 4:], readings[1][:, 4:] = np.nan, np.nan, np.nan
        ratios = relative_to_fastest(field(dict(zip((OWN, BOTAN, OPENSSL), readings, strict=True))))
        assert (ratios[OPENSSL].ratio, ratios[OPENSSL].reason) == (None, TOO_LITTLE)

    def test_no_common_input_has_a_reason(self) -> None:
        readings = [speeds(1.0, seed=seed, inputs=2) for seed in range(2)]
        readings[0][:, 0], readings[1][:, 1] = np.nan, np.nan
        ratios = relative_to_fastest(field({OWN: readings[0], BOTAN: readings[1]}))
        assert sorted((one.reason, one.ratio) for one in ratios.values()) == [("", 1.0), (NO_INPUT, None)]


class TestReference:
    def test_ratio_of_times_is_above_1_where_the_reference_is_faster(self) -> None:
        ratios = relative_to(field({OWN: speeds(110.0, seed=1), BOTAN: speeds(100.0, seed=2)}), BOTAN)
        assert ratios[OWN].ratio == pytest.approx(1.1, rel=0.005)
        assert (ratios[BOTAN].verdict, ratios[OWN].verdict) == ("reference", "different")

    def test_candidates_without_a_common_block_are_compared_unpaired(self) -> None:
        first, second = only(speeds(1.0, seed=1), slice(0, 10, 2)), only(speeds(1.0, seed=2), slice(1, 10, 2))
        more = [np.concatenate([one, one]) for one in (first, second)]
        ratios = relative_to(field({OWN: more[0], BOTAN: more[1]}), BOTAN)
        low, high = limits(ratios[OWN])
        assert (ratios[OWN].method, ratios[OWN].verdict) == ("unpaired", "tie")
        assert math.log(high / low) > 0.2  # the drift is part of it

    def test_verdict_is_corrected_for_the_comparisons_with_the_reference_only(self) -> None:
        names = [candidate(f"provider {place:02}") for place in range(30)]
        # Ten blocks that agree: significant alone, and after a correction for 2, but not for 435 comparisons.
        readings = {one: np.ones((BLOCKS, 1)) for one in names[2:]}
        wave = 1.0 + 0.05 * np.linspace(0.05, 1, BLOCKS)[:, None] ** 3
        pair = {names[0]: np.ones((BLOCKS, 1)), names[1]: wave}
        assert relative_to(field(pair), names[0])[names[1]].verdict == "different"
        assert relative_to(field(pair | readings), names[0], family=435)[names[1]].verdict == "tie"


class TestBase:
    def test_base_is_the_first_gcc(self) -> None:
        assert base_toolchain(["clang -O3", "gcc -O3", "gcc -O2"]) == "gcc -O2"
        assert base_toolchain(["icpx -O3", "clang -O3"]) == "clang -O3"
