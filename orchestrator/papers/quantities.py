"""Quantities that claims and published figures are about, read from one agent's part of a run. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from orchestrator.results.answers.masking.sums import TERMS, AgentSums
from orchestrator.results.answers.ranking import AgentFacts
from orchestrator.results.answers.readings import Candidate, CandidateReadings, Input
from orchestrator.results.case_statistics import NS_PER_SECOND
from orchestrator.results.schemas import Measure
from orchestrator.statistics.location import Floats


@dataclass(frozen=True)
class Device:
    """One agent's part of a run."""

    facts: AgentFacts
    architecture: str
    process: Mapping[Candidate, CandidateReadings]
    latency: Mapping[Candidate, CandidateReadings]
    compilers: Mapping[int, str] = field(default_factory=dict)
    """Build id → compiler."""

    @cached_property
    def sums(self) -> AgentSums:
        """Weighted sums of the calls from which the overhead of masking is computed."""
        return AgentSums.of(dict(self.latency), TERMS)


@dataclass(frozen=True, order=True)
class Point:
    """Input that two quantities must share to be compared."""

    length_bytes: int = 0
    operation: str = ""
    key_setup: str = ""
    associated_data_bytes: int = 0
    kind: str = ""


class Missing(Exception):
    """A quantity that a run does not have; the message names what is missing."""


class Quantity(Protocol):
    """Interface of everything that a claim compares. Smaller is better."""

    @property
    def label(self) -> str:
        """Name for users."""
        ...

    @property
    def exact(self) -> bool:
        """Return whether the values have no error."""
        ...

    def logs(self, device: Device) -> Mapping[Point, Floats]:
        """Return ln(value), shape (blocks,), NaN for a missing block; raises Missing."""
        ...


@dataclass(frozen=True)
class Time:
    """Time of the executions of one implementation: nanoseconds, of a whole chunk or of one call."""

    provider: str
    algorithm: str
    measure: Measure = "call"
    variant: str = ""
    """As the next ones: every value if empty."""
    compiler: str = ""
    operation: str = ""
    key_setup: str = ""
    kind: str = ""
    """Kind of input; if it is given, inputs of different kinds are compared with each other."""
    length_bytes: int | None = None
    """Only inputs of this length; all if None."""
    per_byte: bool = False

    @property
    def exact(self) -> bool:
        """Times have an error."""
        return False

    @property
    def label(self) -> str:
        """Name for users."""
        parts = (self.provider, self.algorithm, self.variant, self.compiler, self.operation, self.kind)
        return " ".join(part for part in parts if part)

    def logs(self, device: Device) -> Mapping[Point, Floats]:
        """Return ln(nanoseconds) for each input; raises Missing, also if several implementations fit."""
        readings = self._readings(device)
        included = {one: values for one, values in readings.of(self.measure).items() if self._includes(one)}
        measured = {one: values for one, values in included.items() if np.isfinite(values).any()}
        faults = readings.counts.wrong + readings.counts.disputed
        if faults and len(measured) < len(included):
            # A fault must not leave only the inputs with which an implementation is fast.
            raise Missing(f"{self.label}: {faults} wrong or disputed executions, and inputs without an ok one")
        found = {}
        for given, values in measured.items():
            times_ns = values if self.measure == "call" else given.length_bytes * NS_PER_SECOND / values
            scale = given.length_bytes if self.per_byte else 1
            found[self._point(given)] = np.log(times_ns / scale)
        if not found:
            raise Missing(f"{self.label}: no ok execution")
        return found

    def _readings(self, device: Device) -> CandidateReadings:
        candidates = device.latency if self.measure == "call" else device.process
        fitting = [one for one in candidates if self._fits(one, device)]
        if not fitting:
            raise Missing(f"{self.label}: not measured")
        if len(fitting) > 1:
            raise Missing(f"{self.label}: the run has {len(fitting)} implementations or builds that fit")
        return candidates[fitting[0]]

    def _fits(self, one: Candidate, device: Device) -> bool:
        return (
            (one.provider, one.algorithm, one.copy, one.form.shares) == (self.provider, self.algorithm, 1, 0)
            and self.variant in ("", one.variant)
            and self.compiler in ("", device.compilers.get(one.build_id))
        )

    def _includes(self, given: Input) -> bool:
        return (
            self.kind in ("", given.kind)
            and self.operation in ("", given.operation)
            and self.key_setup in ("", given.key_setup)
            and self.length_bytes in (None, given.length_bytes)
            and (given.length_bytes > 0 or not self.per_byte)
        )

    def _point(self, given: Input) -> Point:
        kind = "" if self.kind else given.kind
        return Point(given.length_bytes, given.operation, given.key_setup, given.associated_data_bytes, kind)


@dataclass(frozen=True)
class Overhead:
    """Overhead of masking: the weighted sum of the calls of the fastest masked variant / that of the unmasked one."""

    algorithm: str
    degree: str
    shares: int
    generator: str
    exact: bool = field(default=False, init=False)

    @property
    def label(self) -> str:
        """Name for users."""
        return f"{self.algorithm} {self.degree}, {self.shares} shares, {self.generator}"

    def logs(self, device: Device) -> Mapping[Point, Floats]:
        """Return ln(overhead); raises Missing."""
        form = (self.shares, self.degree, self.generator)
        masked = [
            one
            for candidate, one in device.sums.found.items()
            if candidate.algorithm == self.algorithm
            and (candidate.form.shares, candidate.form.degree, candidate.form.generator) == form
        ]
        if not masked:
            raise Missing(f"{self.label}: not measured")
        fastest = min(masked, key=lambda one: (one.middle, one.candidate))
        unmasked = device.sums.unmasked(self.algorithm, fastest.candidate)
        if unmasked is None:
            raise Missing(f"{self.algorithm}: the unmasked cipher was not measured")
        return {Point(): np.log(fastest.sums / unmasked.sums)}


@dataclass(frozen=True)
class CodeSize:
    """Code size of an implementation in bytes: that of a program that contains it alone, minus an empty program."""

    provider: str
    algorithm: str
    variant: str
    compiler: str
    exact: bool = field(default=True, init=False)

    @property
    def label(self) -> str:
        """Name for users."""
        return f"code of {self.algorithm} {self.variant}, {self.compiler}"

    def logs(self, device: Device) -> Mapping[Point, Floats]:
        """Return ln(bytes) as a single value; raises Missing."""
        for (build_id, *implementation), footprint in device.facts.footprints.items():
            same = implementation == [self.provider, self.algorithm, self.variant]
            if same and device.compilers.get(build_id) == self.compiler and footprint.code_bytes:
                return {Point(): np.log(np.array([float(footprint.code_bytes)]))}
        raise Missing(f"{self.label}: no size was reported")
