"""Weighted sums of a candidate's calls, block by block, and the baselines that they are compared with. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orchestrator.results.answers.masking.schemas import MaskingTerm
from orchestrator.results.answers.readings import Candidate, CandidateReadings, Candidates, Input
from orchestrator.statistics.location import Floats
from orchestrator.statistics.rankings.sums import weighted_sums

UNIT = "chacha20-poly1305"
"""Cipher whose unmasked speed is the unit."""
PROTECTED_BY_DESIGN = ("drygascon", "isap")
"""Families that the published rankings contain unmasked, because their mode limits leakage."""
TERMS = [
    MaskingTerm(operation=operation, length_bytes=length, weight=weight)
    for length, weight in ((128, 1), (16, 3))
    for operation in ("encrypt", "decrypt")
]
"""e128 + d128 + 3·e16 + 3·d16, as the published overheads are averaged."""


@dataclass(frozen=True)
class Summed:
    """A candidate whose calls were all measured."""

    candidate: Candidate
    times: Floats
    """Nanoseconds, shape (blocks, terms)."""
    inputs: tuple[Input, ...]

    @cached_property
    def sums(self) -> Floats:
        """Weighted sum of each block, shape (blocks,)."""
        return weighted_sums(self.times, [term.weight for term in TERMS])

    @property
    def middle(self) -> float:
        """Median of the sums; infinite where no block is complete."""
        complete = self.sums[np.isfinite(self.sums)]
        return float(np.median(complete)) if complete.size else float("inf")


def summed(candidate: Candidate, readings: CandidateReadings) -> Summed | str:
    """Return the candidate's calls of the terms, or which of them are missing.

    If a call was measured with the key set in each call and apart, the first counts: the key of a masked cipher is
    shared again for each packet.
    """
    for setup in ("included", "apart"):
        inputs = [one for term in TERMS if (one := _input(readings, term, setup)) is not None]
        if len(inputs) == len(TERMS):
            return Summed(candidate, readings.matrix("call", inputs), tuple(inputs))
    missing = [
        f"{term.operation} of {term.length_bytes} bytes"
        for term in TERMS
        if all(_input(readings, term, setup) is None for setup in ("included", "apart"))
    ]
    return f"no ok execution of {', '.join(missing) or 'all calls with the same key setup'}"


def _input(readings: CandidateReadings, term: MaskingTerm, setup: str) -> Input | None:
    fitting = (
        one
        for one, times in readings.of("call").items()
        if (one.operation, one.length_bytes, one.associated_data_bytes, one.key_setup)
        == (term.operation, term.length_bytes, 0, setup)
        and np.isfinite(times).any()
    )
    return min(fitting, default=None)


@dataclass(frozen=True)
class AgentSums:
    """All candidates of one agent that have every call."""

    found: Mapping[Candidate, Summed]
    missing: Mapping[Candidate, str]

    @classmethod
    def of(cls, candidates: Candidates) -> "AgentSums":
        """Return the sums of an agent's candidates."""
        found: dict[Candidate, Summed] = {}
        missing: dict[Candidate, str] = {}
        for candidate in sorted(candidates):
            one = summed(candidate, candidates[candidate])
            if isinstance(one, Summed) and np.isfinite(one.sums).any():
                found[candidate] = one
            else:
                missing[candidate] = one if isinstance(one, str) else "no block has an ok execution of every call"
        return cls(found, missing)

    def unmasked(self, algorithm: str, like: Candidate) -> Summed | None:
        """Return the fastest unmasked candidate of an algorithm by the same provider in the same build.

        Of the copies of a plan, that with the same number counts.
        """
        same = [
            one
            for one in self.found.values()
            if not one.candidate.form.shares
            and (one.candidate.algorithm, one.candidate.provider, one.candidate.build_id)
            == (algorithm, like.provider, like.build_id)
        ]
        copies = [one for one in same if one.candidate.copy == like.copy]
        return fastest(copies or same)


def fastest(candidates: Iterable[Summed]) -> Summed | None:
    """Return the candidate with the lowest median of its sums; None without any."""
    return min(candidates, key=lambda one: (one.middle, one.candidate), default=None)
