"""Quantities that claims and published figures are about, read from one agent's part of a run. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Protocol, TypeVar

import numpy as np

from orchestrator.results.answers.agents import AgentFacts
from orchestrator.results.answers.masking.sums import UNIT, AgentSums, fastest
from orchestrator.results.answers.readings import Candidate, CandidateReadings, ExecutionCounts, Input, ReadingName
from orchestrator.results.case_statistics import NS_PER_SECOND
from orchestrator.results.schemas import Measure
from orchestrator.shared.units import format_size
from orchestrator.shared.values.forms import Form
from orchestrator.statistics.location import Floats
from orchestrator.wire.jobs import Purpose

T = TypeVar("T")


OtherReadings = Mapping[Candidate, Mapping[Input, Floats]]
"""Readings other than times, shape (blocks,) for each input."""


ReadingsOf = Callable[[ReadingName, Purpose], OtherReadings]
"""Returns memory, CPU times or first calls, which few claims are about, of a purpose's executions; empty without."""


def _no_source(path: str) -> str:
    raise Missing(f"{path}: this installation has no sources of runners")


@dataclass(frozen=True)
class CompilerFlags:
    """Compiler and flags of a build."""

    compiler: str
    version: str = ""
    """Compiler and version as the compiler reports them."""
    flags: str = "-O2"
    """Optimization, then any other."""

    @property
    def words(self) -> str:
        """Label for users."""
        return self.version or self.compiler


@dataclass(frozen=True)
class Device:
    """One agent's part of a run."""

    facts: AgentFacts
    architecture: str
    process: Mapping[Candidate, CandidateReadings]
    latency: Mapping[Candidate, CandidateReadings]
    builds: Mapping[int, CompilerFlags] = field(default_factory=dict)
    """By build id."""
    other_readings: ReadingsOf = lambda _name, _purpose: {}
    read_source: Callable[[str], str] = _no_source
    """Returns the text of a file below `runners`; raises Missing."""
    virtual_machine: str = ""
    """Vendor of the hypervisor; empty on bare metal."""
    lengths: frozenset[int] = frozenset()
    """Bytes of the inputs that are read; all if empty."""

    def includes(self, given: Input) -> bool:
        """Return whether an input is read; calls without a message are."""
        return not self.lengths or given.length_bytes in self.lengths or not given.has_message

    @cached_property
    def counts(self) -> ExecutionCounts:
        """Executions of all candidates."""
        found = ExecutionCounts()
        for one in (*self.process.values(), *self.latency.values()):
            found.add(one.counts)
        return found

    def compiler(self, build_id: int) -> str:
        """Return the compiler of a build; empty for an unknown one."""
        build = self.builds.get(build_id)
        return build.compiler if build else ""

    def portable_variants(self, provider: str, algorithm: str, compiler: str) -> list[str]:
        """Return the listed variants of a cipher that every processor can execute; raises Missing without any."""
        found = {
            variant
            for (build_id, *identity, variant), one in self.facts.implementations.items()
            if identity == [provider, algorithm] and one.portable and compiler in ("", self.compiler(build_id))
        }
        if not found:
            raise Missing(f"{provider} {algorithm}: no portable variant is listed")
        return sorted(found)

    @cached_property
    def measured_lengths(self) -> frozenset[int]:
        """Bytes of the inputs with an ok execution."""
        times = [one.of("pass") for one in self.process.values()] + [one.of("call") for one in self.latency.values()]
        return frozenset(
            given.length_bytes
            for inputs in times
            for given, values in inputs.items()
            if self.includes(given) and np.isfinite(values).any()
        )

    @cached_property
    def sums(self) -> AgentSums:
        """Weighted sums of the calls from which the overhead of masking is computed."""
        return AgentSums.of(dict(self.latency))


@dataclass(frozen=True, order=True)
class SharedInput:
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

    def logs(self, device: Device) -> Mapping[SharedInput, Floats]:
        """Return ln(value), shape (blocks,), NaN for a missing block; raises Missing."""
        ...


@dataclass(frozen=True)
class _Selection:
    """Executions of one implementation; a text selects every value if it is empty."""

    provider: str
    algorithm: str
    _: KW_ONLY
    variant: str = ""
    compiler: str = ""
    operation: str = ""
    key_setup: str = ""
    kind: str = ""
    """Kind of input; if it is given, inputs of different kinds are compared with each other."""
    length_bytes: int | None = None
    """Only inputs of this length; all if None."""
    exact: bool = field(default=False, init=False)

    def _words(self) -> tuple[str, ...]:
        return tuple(one for one in (self.variant, self.compiler, self.operation, self.kind) if one)

    def _find(self, device: Device, candidates: Mapping[Candidate, T], label: str) -> T:
        """Return what the only fitting candidate has; raises Missing for none and for several."""
        fitting = [
            one
            for one in candidates
            if (one.provider, one.algorithm, one.copy, one.form.shares) == (self.provider, self.algorithm, 1, 0)
            and self.variant in ("", one.variant)
            and self.compiler in ("", device.compiler(one.build_id))
        ]
        if not fitting:
            raise Missing(f"{label}: not measured")
        if len(fitting) > 1:
            raise Missing(f"{label}: the run has {len(fitting)} implementations or builds that fit")
        return candidates[fitting[0]]

    def _includes(self, given: Input) -> bool:
        return (
            self.kind in ("", given.kind)
            and self.operation in ("", given.operation)
            and self.key_setup in ("", given.key_setup)
            and self.length_bytes in (None, given.length_bytes)
        )

    def _point(self, given: Input) -> SharedInput:
        kind = "" if self.kind else given.kind
        return SharedInput(given.length_bytes, given.operation, given.key_setup, given.associated_data_bytes, kind)


@dataclass(frozen=True)
class Time(_Selection):
    """Time of the executions of one implementation: nanoseconds, of a whole chunk or of one call."""

    measure: Measure = "call"
    per_byte: bool = field(default=False, kw_only=True)

    @property
    def label(self) -> str:
        """Name for users."""
        return " ".join((self.provider, self.algorithm, *self._words()))

    def logs(self, device: Device) -> Mapping[SharedInput, Floats]:
        """Return ln(nanoseconds) for each input; raises Missing, also if several implementations fit."""
        candidates = device.latency if self.measure == "call" else device.process
        readings = self._find(device, candidates, self.label)
        included = {
            one: values
            for one, values in readings.of(self.measure).items()
            if self._includes(one) and device.includes(one)
        }
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

    def _includes(self, given: Input) -> bool:
        return super()._includes(given) and (given.length_bytes > 0 or not self.per_byte)


_WORDS: Mapping[ReadingName, str] = {
    "peak_rss_bytes": "peak memory of",
    "work_wall_ns": "time of",
    "work_cpu_ns": "CPU time of",
    "call_cpu_ns": "CPU time of a call of",
    "work_user_ns": "user CPU time of",
    "work_system_ns": "system CPU time of",
    "cold_call_wall_ns": "first call of",
    "shell_mean_rss_bytes": "polled memory of the shell of",
    "iterations": "iterations of",
}


@dataclass(frozen=True)
class Reading(_Selection):
    """Reading of the executions of one implementation: memory in bytes, or a CPU time or first call in nanoseconds.

    Of whole processes, or of calls if an operation is given. With `length_bytes`, inputs of different lengths are
    compared with each other.
    """

    name: ReadingName
    purpose: Purpose = "timing"
    """Purpose of the executions."""

    @property
    def label(self) -> str:
        """Name for users."""
        length = "" if self.length_bytes is None else format_size(self.length_bytes)
        purpose = "" if self.purpose == "timing" else f"({self.purpose} executions)"
        parts = (_WORDS[self.name], self.provider, self.algorithm, *self._words(), length, purpose)
        return " ".join(part for part in parts if part)

    def logs(self, device: Device) -> Mapping[SharedInput, Floats]:
        """Return ln(reading) for each input; raises Missing, also where the reading is below its resolution."""
        found = {}
        inputs = self._find(device, device.other_readings(self.name, self.purpose), self.label)
        for given, values in inputs.items():
            if not (self._includes(given) and device.includes(given)) or not np.isfinite(values).any():
                continue
            zeros = int((values <= 0).sum())
            if zeros:
                # Without them only the larger readings would be left.
                raise Missing(f"{self.label}: {zeros} executions report 0, which is below the kernel's resolution")
            found[self._point(given)] = np.log(values)
        if not found:
            raise Missing(f"{self.label}: no ok execution has this reading")
        return found

    def _includes(self, given: Input) -> bool:
        return super()._includes(given) and given.operation == self.operation

    def _point(self, given: Input) -> SharedInput:
        point = super()._point(given)
        return point if self.length_bytes is None else replace(point, length_bytes=0)


@dataclass(frozen=True)
class Overhead:
    """Overhead of masking: the weighted sum of the calls of the fastest masked variant / that of the unmasked one."""

    algorithm: str
    degree: str
    shares: int
    generator: str
    exact: bool = field(default=False, init=False)
    provider: str = field(default="own", init=False)

    @property
    def label(self) -> str:
        """Name for users."""
        return f"{self.algorithm} {self.degree}, {self.shares} shares, {self.generator}"

    def logs(self, device: Device) -> Mapping[SharedInput, Floats]:
        """Return ln(overhead); raises Missing."""
        form = Form(self.shares, self.degree, self.generator)
        masked = fastest(
            one
            for candidate, one in device.sums.found.items()
            if (candidate.algorithm, candidate.form) == (self.algorithm, form)
        )
        if masked is None:
            raise Missing(f"{self.label}: not measured")
        unmasked = device.sums.unmasked(self.algorithm, masked.candidate)
        if unmasked is None:
            raise Missing(f"{self.algorithm}: the unmasked cipher was not measured")
        return {SharedInput(): np.log(masked.sums / unmasked.sums)}


@dataclass(frozen=True)
class RelativeSpeed:
    """Speed of an unmasked cipher relative to ChaCha20-Poly1305: the weighted sum of its calls below, that above."""

    algorithm: str
    exact: bool = field(default=False, init=False)
    provider: str = field(default="own", init=False)

    @property
    def label(self) -> str:
        """Name for users."""
        return f"{self.algorithm} relative to {UNIT}"

    def logs(self, device: Device) -> Mapping[SharedInput, Floats]:
        """Return ln(speed); raises Missing."""
        unit = fastest(one for candidate, one in device.sums.found.items() if candidate.algorithm == UNIT)
        if unit is None:
            raise Missing(f"{self.label}: {UNIT} was not measured")
        cipher = device.sums.unmasked(self.algorithm, unit.candidate)
        if cipher is None:
            raise Missing(f"{self.label}: the unmasked cipher was not measured")
        return {SharedInput(): np.log(unit.sums / cipher.sums)}


@dataclass(frozen=True)
class OfFastestPortable:
    """A quantity of the portable variant of a cipher with the shortest time."""

    time: Time
    """Time of any variant."""
    of: Callable[[str], Quantity]
    """Returns the quantity of a variant."""

    @property
    def exact(self) -> bool:
        """Return whether the quantity of a variant has no error."""
        return self.of("").exact

    @property
    def label(self) -> str:
        """Name for users."""
        return f"{self.of('').label}, fastest portable variant"

    def logs(self, device: Device) -> Mapping[SharedInput, Floats]:
        """Return ln(quantity) of that variant; raises Missing."""
        means = dict[str, float]()
        for variant in device.portable_variants(self.time.provider, self.time.algorithm, self.time.compiler):
            try:
                times = replace(self.time, variant=variant).logs(device)
            except Missing:
                continue
            means[variant] = float(np.nanmean(np.stack(list(times.values()))))
        if not means:
            raise Missing(f"{self.time.label}: no portable variant was measured")
        return self.of(min(means, key=lambda one: (means[one], one))).logs(device)


@dataclass(frozen=True)
class Ratio:
    """Ratio of two quantities of the same inputs, such as the effect of one factor on an overhead."""

    above: Quantity
    below: Quantity
    label: str
    exact: bool = field(default=False, init=False)

    def logs(self, device: Device) -> Mapping[SharedInput, Floats]:
        """Return ln(ratio) for each input that both have; raises Missing."""
        above, below = self.above.logs(device), self.below.logs(device)
        found = {point: above[point] - below[point] for point in above.keys() & below.keys()}
        if not found:
            raise Missing(f"{self.label}: no block with the same input")
        return found
