"""Order of executions: blocks are permutations and reproducible from the seed; jobs divide the order."""

import itertools
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.runs.planning.expansion import PurposeCounts
from orchestrator.runs.scheduling.order import (
    Blocks,
    Placement,
    agent_seed,
    layout,
    layout_round,
    round_seed,
    slice_jobs,
)

NUMBERS = st.lists(st.integers(0, 10_000), min_size=1, max_size=40, unique=True)
REPETITIONS = st.integers(1, 12)
SEEDS = st.integers(0, 2**63 - 1)
PURPOSES = st.builds(
    PurposeCounts, timing=REPETITIONS, warm_up=st.integers(0, 3), memory=st.integers(0, 14), shell=st.integers(0, 4),
    blocked=st.integers(0, 4), energy=st.integers(0, 3),
)  # fmt: skip


def _counts(purposes: PurposeCounts) -> dict[str, int]:
    return {
        "warm-up": purposes.warm_up,
        "timing": purposes.timing,
        "memory": purposes.memory,
        "shell": purposes.shell,
        "blocked": purposes.blocked,
        "energy": purposes.energy,
    }


OF_SEED_2021 = [1, 5, 0, 2, 4, 3, 4, 0, 5, 1, 3, 2]


class TestLayout:
    @given(NUMBERS, PURPOSES, SEEDS)
    def test_order_has_every_case_repetition_and_purpose_once(
        self, numbers: list[int], purposes: PurposeCounts, seed: int
    ) -> None:
        placed = [(one.case_number, one.purpose, one.repetition) for one in layout(numbers, purposes, seed)]
        expected = [
            (number, purpose, repetition)
            for purpose, count in _counts(purposes).items()
            for number, repetition in itertools.product(numbers, range(1, count + 1))
        ]
        assert sorted(placed) == sorted(expected)
        assert len(placed) == len(numbers) * purposes.total

    @given(NUMBERS, PURPOSES, SEEDS)
    def test_positions_are_consecutive_and_blocks_follow_each_other(
        self, numbers: list[int], purposes: PurposeCounts, seed: int
    ) -> None:
        order = list(layout(numbers, purposes, seed))
        assert [placement.position for placement in order] == list(range(len(order)))
        stages = {"warm-up": 0, "timing": 1, "memory": 1, "shell": 1, "blocked": 2, "energy": 3}
        assert [stages[one.purpose] for one in order] == sorted(stages[one.purpose] for one in order)
        interleaved = [one for one in order if one.purpose != "blocked"]
        places = [(stages[placement.purpose], placement.repetition) for placement in interleaved]
        assert places == sorted(places)
        for _, block in itertools.groupby(interleaved, key=lambda one: (stages[one.purpose], one.repetition)):
            in_block = Counter((placement.purpose, placement.case_number) for placement in block)
            assert set(in_block.values()) == {1}
            assert all({number for which, number in in_block if which == purpose} == set(numbers)
                       for purpose, _ in in_block)  # fmt: skip

    @given(NUMBERS, PURPOSES, SEEDS)
    def test_same_seed_gives_the_same_order(self, numbers: list[int], purposes: PurposeCounts, seed: int) -> None:
        assert list(layout(numbers, purposes, seed)) == list(layout(numbers, purposes, seed))

    def test_blocks_have_different_orders(self) -> None:
        # With one order for all blocks, each case would follow the same case in every block.
        order = [placement.case_number for placement in layout(range(50), PurposeCounts(timing=2), seed=1)]
        assert order[:50] != list(range(50))
        assert order[:50] != order[50:]

    def test_separate_memory_executions_are_mixed_into_timed_blocks(self) -> None:
        order = list(layout(range(50), PurposeCounts(timing=3, memory=1), seed=1))
        purposes = [placement.purpose for placement in order[:100]]
        assert set(purposes[:50]) == {"timing", "memory"}
        assert 10 < purposes[:50].count("memory") < 40
        assert {placement.purpose for placement in order[100:]} == {"timing"}

    def test_blocked_executions_of_a_case_follow_each_other_and_cases_have_a_random_order(self) -> None:
        order = list(layout(range(50), PurposeCounts(timing=2, blocked=3), seed=1))
        blocked = [(one.case_number, one.repetition) for one in order if one.purpose == "blocked"]
        assert order[:100] == list(layout(range(50), PurposeCounts(timing=2), seed=1))
        cases = [number for number, repetition in blocked if repetition == 1]
        assert blocked == [(number, repetition) for number in cases for repetition in (1, 2, 3)]
        assert cases != sorted(cases) == list(range(50))

    def test_order_of_earlier_versions_is_reproduced(self) -> None:
        # Recorded before purposes existed: an old plan with its seed has the old order.
        order = [placement.case_number for placement in layout(range(6), PurposeCounts(timing=2), seed=2021)]
        assert order == OF_SEED_2021

    def test_agents_of_one_run_have_different_orders(self) -> None:
        assert agent_seed(7, "aaaaaaaaaaaa") != agent_seed(7, "bbbbbbbbbbbb")


class TestLayoutRound:
    @given(NUMBERS, REPETITIONS, SEEDS, st.integers(2, 100), st.integers(1, 10_000))
    def test_round_continues_positions_and_repetitions(
        self, numbers: list[int], repetitions: int, seed: int, first: int, position: int
    ) -> None:
        order = list(layout_round(numbers, Blocks(first, repetitions, position), seed))
        assert [placement.position for placement in order] == list(range(position, position + len(order)))
        for offset in range(repetitions):
            part = order[offset * len(numbers) : (offset + 1) * len(numbers)]
            assert {(placement.purpose, placement.repetition) for placement in part} == {("timing", first + offset)}
            assert sorted(placement.case_number for placement in part) == sorted(numbers)

    def test_rounds_have_different_seeds(self) -> None:
        seeds = {agent_seed(7, "a"), round_seed(7, "a", 7), round_seed(7, "a", 9), round_seed(7, "b", 7)}
        assert len(seeds) == 4


class TestSliceJobs:
    @given(
        seconds=st.lists(st.floats(0.001, 20.0), min_size=1, max_size=30),
        purposes=PURPOSES,
        job_seconds=st.floats(0.1, 30.0),
        most=st.integers(1, 20),
    )
    def test_jobs_partition_the_order_within_their_limits(
        self, seconds: list[float], purposes: PurposeCounts, job_seconds: float, most: int
    ) -> None:
        def lasts(placement: Placement) -> float:
            return seconds[placement.case_number] + (5.0 if placement.purpose == "energy" else 0.0)

        order = list(layout(range(len(seconds)), purposes, seed=3))
        jobs = list(slice_jobs(order, lasts, job_seconds, most))
        assert list(itertools.chain.from_iterable(jobs)) == order
        for job in jobs:
            assert 1 <= len(job) <= most
            assert len(job) == 1 or sum(map(lasts, job)) <= job_seconds * (1 + 1e-9)
