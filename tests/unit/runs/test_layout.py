"""Every execution exactly once, in blocks that are permutations, the same for the same seed; jobs cut the order."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.runs.layout import agent_seed, layout, slice_jobs

NUMBERS = st.lists(st.integers(0, 10_000), min_size=1, max_size=40, unique=True)
REPETITIONS = st.integers(1, 12)
SEEDS = st.integers(0, 2**63 - 1)


class TestLayout:
    @given(NUMBERS, REPETITIONS, SEEDS)
    def test_every_case_and_repetition_exactly_once(self, numbers: list[int], repetitions: int, seed: int) -> None:
        placed = [(placement.case_number, placement.repetition) for placement in layout(numbers, repetitions, seed)]
        assert sorted(placed) == sorted(itertools.product(numbers, range(1, repetitions + 1)))

    @given(NUMBERS, REPETITIONS, SEEDS)
    def test_positions_count_up_and_each_block_is_a_permutation(
        self, numbers: list[int], repetitions: int, seed: int
    ) -> None:
        order = list(layout(numbers, repetitions, seed))
        assert [placement.position for placement in order] == list(range(len(order)))
        for block in range(repetitions):
            part = order[block * len(numbers) : (block + 1) * len(numbers)]
            assert {placement.repetition for placement in part} == {block + 1}
            assert sorted(placement.case_number for placement in part) == sorted(numbers)

    @given(NUMBERS, REPETITIONS, SEEDS)
    def test_the_same_seed_gives_the_same_order(self, numbers: list[int], repetitions: int, seed: int) -> None:
        assert list(layout(numbers, repetitions, seed)) == list(layout(numbers, repetitions, seed))

    def test_blocks_differ_from_each_other_and_from_the_plan(self) -> None:
        # Orders that repeat themselves would give each case the same neighbour in every block.
        order = [placement.case_number for placement in layout(range(50), 2, seed=1)]
        assert order[:50] != list(range(50))
        assert order[:50] != order[50:]

    def test_agents_of_one_run_have_different_orders(self) -> None:
        assert agent_seed(7, "aaaaaaaaaaaa") != agent_seed(7, "bbbbbbbbbbbb")


class TestSliceJobs:
    @given(
        seconds=st.lists(st.floats(0.001, 20.0), min_size=1, max_size=30),
        repetitions=REPETITIONS,
        job_seconds=st.floats(0.1, 30.0),
        most=st.integers(1, 20),
    )
    def test_jobs_partition_the_order_within_their_limits(
        self, seconds: list[float], repetitions: int, job_seconds: float, most: int
    ) -> None:
        by_case = dict(enumerate(seconds))
        order = list(layout(list(by_case), repetitions, seed=3))
        jobs = list(slice_jobs(order, by_case, job_seconds, most))
        assert list(itertools.chain.from_iterable(jobs)) == order
        for job in jobs:
            assert 1 <= len(job) <= most
            duration = sum(by_case[placement.case_number] for placement in job)
            assert len(job) == 1 or duration <= job_seconds * (1 + 1e-9)

    def test_nothing_gives_no_job(self) -> None:
        assert list(slice_jobs([], {}, 15.0)) == []
