"""The order of executions: seeded, randomized, interleaved blocks, divided into jobs. Pure.

A plan can request executions in blocked order, too, to show its effect. They have a purpose of their own, so that no
statistics pair them.

Measured on a virtual machine with 2 cores, 2026-11: the same binary compared with itself gave 18 to 28 % false
differences in blocked order, 2 to 3 % interleaved.
"""

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from orchestrator.runs.planning.expansion import PurposeCounts
from orchestrator.wire.jobs import Purpose

MAX_JOB_EXECUTIONS = 2000
"""Limits the size of a job's message and of the transaction that writes it."""


@dataclass(frozen=True, slots=True)
class Placement:
    """One execution in the order of its agent."""

    position: int
    case_number: int
    repetition: int
    purpose: Purpose = "timing"


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks of timed executions that follow an earlier layout."""

    first_repetition: int
    repetitions: int
    first_position: int


def agent_seed(seed: int, agent_id: str) -> int:
    """Return the seed of one agent's order; the agents of a run have different orders."""
    return _hashed(f"{seed}/{agent_id}")


def round_seed(seed: int, agent_id: str, first_repetition: int) -> int:
    """Return the seed of one agent's round, which starts with this repetition."""
    return _hashed(f"{seed}/{agent_id}/{first_repetition}")


def layout(case_numbers: Sequence[int], purposes: PurposeCounts, seed: int) -> Iterator[Placement]:
    """Yield warm-up blocks, then timed blocks, executions in blocked order, energy windows.

    Each block has a random order. Separate executions for memory and through a shell are mixed into the first timed
    blocks, so that they run at the same temperature and load.
    """
    # Reproducibility matters here, secrecy does not.
    generator = random.Random(seed)  # noqa: S311
    order = chain(
        _interleaved(case_numbers, _timed_blocks(purposes), generator),
        _case_by_case(case_numbers, purposes.blocked, generator),
        _interleaved(case_numbers, ((("energy",), window) for window in _numbers(purposes.energy)), generator),
    )
    for position, (case_number, repetition, purpose) in enumerate(order):
        yield Placement(position, case_number, repetition, purpose)


def layout_round(case_numbers: Sequence[int], blocks: Blocks, seed: int) -> Iterator[Placement]:
    """Yield further blocks of timed executions, each in a random order, with consecutive positions and repetitions."""
    for placement in layout(case_numbers, PurposeCounts(timing=blocks.repetitions), seed):
        yield Placement(
            position=blocks.first_position + placement.position,
            case_number=placement.case_number,
            repetition=blocks.first_repetition + placement.repetition - 1,
        )


def slice_jobs(
    order: Iterable[Placement],
    seconds: Callable[[Placement], float],
    job_seconds: float,
    max_executions: int = MAX_JOB_EXECUTIONS,
) -> Iterator[list[Placement]]:
    """Yield the order in slices of about job_seconds, with at least one and at most max_executions executions.

    seconds: estimated duration of an execution.
    """
    job: list[Placement] = []
    filled = 0.0
    for placement in order:
        duration = seconds(placement)
        if job and (filled + duration > job_seconds or len(job) >= max_executions):
            yield job
            job, filled = [], 0.0
        job.append(placement)
        filled += duration
    if job:
        yield job


_Block = tuple[tuple[Purpose, ...], int]
"""Purposes of the executions of each case, and their repetition."""
_Step = tuple[int, int, Purpose]
"""Case number, repetition, purpose."""


def _timed_blocks(purposes: PurposeCounts) -> Iterator[_Block]:
    """Yield the blocks of warm-up and timed executions, in order."""
    for repetition in _numbers(purposes.warm_up):
        yield ("warm-up",), repetition
    counts: dict[Purpose, int] = {
        "timing": purposes.timing,
        "memory": purposes.memory,
        "shell": purposes.shell,
    }
    for repetition in _numbers(max(counts.values())):
        yield tuple(purpose for purpose, count in counts.items() if repetition <= count), repetition


def _interleaved(case_numbers: Sequence[int], blocks: Iterable[_Block], generator: random.Random) -> Iterator[_Step]:
    """Yield each block in a random order."""
    shuffled: dict[tuple[Purpose, ...], list[tuple[Purpose, int]]] = {}
    for kinds, repetition in blocks:
        block = shuffled.setdefault(kinds, [(purpose, number) for purpose in kinds for number in case_numbers])
        generator.shuffle(block)
        yield from ((number, repetition, purpose) for purpose, number in block)


def _case_by_case(case_numbers: Sequence[int], repetitions: int, generator: random.Random) -> Iterator[_Step]:
    """Yield all repetitions of a case, then those of the next one; the cases in a random order."""
    if repetitions:
        cases = list(case_numbers)
        generator.shuffle(cases)
        yield from ((number, repetition, "blocked") for number in cases for repetition in _numbers(repetitions))


def _numbers(count: int) -> range:
    return range(1, count + 1)


def _hashed(words: str) -> int:
    return int.from_bytes(hashlib.sha256(words.encode()).digest()[:8], "big")
