"""Estimates of durations, from earlier results of the agent, otherwise from documented assumptions. Pure."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from orchestrator.runs.planning.estimation.expectation import Dispersion, expected_repetitions
from orchestrator.runs.planning.expansion import PlannedCase, PurposeCounts
from orchestrator.runs.planning.inputs import MessageInput
from orchestrator.shared.units import MIB
from orchestrator.shared.values.forms import UNMASKED, Form
from orchestrator.shared.values.text import some
from orchestrator.wire.base import NOOP
from orchestrator.wire.messages import Call
from orchestrator.wire.plans import Plan

PROCESS_SECONDS = 0.004
"""Overhead of one execution: process start, launcher, verification of a short input and the record. Measured on a
virtual x86-64 machine with 2 cores, 2026-11; a Raspberry Pi 4 needs about three times as much."""
CHECK_BYTES_PER_SECOND = 300.0 * MIB
"""Rate of reading, comparing and hashing after the work, which is not part of the result. Same machine and date."""
TIMING_STRETCH = 1.4
"""Duration of a timing relative to its minimum: calls are not cut short, and the core's clock is measured after each
timing. Ten timings of 10 ms took 160 ms with their calibration, three of them 70 ms. Same machine and date."""
CALIBRATION_TIMINGS = 2
"""Duration of the calibration that determines the iterations of a timing, in timings."""
STORED_BYTES = 4800
"""Size of one execution in the database: the mean of 78 144 of real plans, 94 % of it readings and their reasons."""

_ASSUMED_BYTES_PER_SECOND: tuple[tuple[str, float], ...] = (
    # Encryption and decryption together on one x86-64 core without an optimized build, 2026-11: conservative guesses.
    ("3des", 14.0 * MIB),
    ("aes", 60.0 * MIB),
    ("chacha20", 200.0 * MIB),
    ("salsa20", 200.0 * MIB),
)
_ASSUMED_DEFAULT = 20.0 * MIB


@dataclass(frozen=True, slots=True)
class Timed:
    """Parameters of a latency execution that, with the message, determine its duration."""

    operation: str
    associated_data_bytes: int
    key_setup: str
    timings: int
    min_timing_ms: float


@dataclass(frozen=True, slots=True)
class MeasuredKey:
    """Key of earlier results: agent, build, implementation and input."""

    agent_id: str
    build_id: int | None
    """None: the latest result of any build."""
    provider: str
    algorithm: str
    variant: str
    message_bytes: int
    timed: Timed | None = None
    """None: the process protocol."""
    form: Form = UNMASKED


Measured = Mapping[MeasuredKey, float]
"""Median seconds of the work of an execution; under the latency protocol, mean seconds of its process."""


@dataclass(frozen=True)
class History:
    """Earlier results that estimates are based on."""

    measured: Measured
    dispersions: Mapping[str, Dispersion]
    """By agent."""


def measured_key(case: PlannedCase) -> MeasuredKey:
    """Return the key of a planned case's earlier results."""
    what, message = case.implementation, case.input
    timed = None
    if isinstance(message, MessageInput):
        timed = Timed(
            message.operation,
            message.associated_data_bytes,
            message.key_setup,
            message.timings,
            message.min_timing_ms,
        )
    return MeasuredKey(
        agent_id=case.agent_id,
        build_id=case.build.build_id,
        provider=what.provider,
        algorithm=what.algorithm,
        variant=what.variant,
        message_bytes=message.length_bytes,
        timed=timed,
        form=what.form,
    )


@dataclass(frozen=True)
class Workload:
    """Executions of each case."""

    purposes: PurposeCounts
    timed: Mapping[str, int] = field(default_factory=dict)
    """Agent → expected timed executions of each case, where they differ from the first layout."""
    window_seconds: float = 0.0
    """Length of an energy window; the execution in which it ends is completed."""
    budget_seconds: float = math.inf
    """Time for the timed executions of one case beyond the plan's repetitions."""

    @classmethod
    def of(cls, plan: Plan, purposes: PurposeCounts, dispersions: Mapping[str, Dispersion]) -> "Workload":
        """Return the workload of a plan, with the repetitions that rounds are expected to add."""
        return cls(
            purposes=purposes,
            timed={
                agent_id: expected_repetitions(plan, dispersion) or purposes.timing
                for agent_id, dispersion in dispersions.items()
            },
            window_seconds=plan.energy.window_seconds if plan.energy is not None else 0.0,
            budget_seconds=plan.precision.seconds_per_case if plan.precision is not None else math.inf,
        )

    def timed_executions(self, agent_id: str, seconds: float) -> int:
        """Return the expected timed executions of a case whose executions take this long."""
        expected = self.timed.get(agent_id, self.purposes.timing)
        affordable = math.ceil(min(self.budget_seconds / seconds, expected))
        return max(self.purposes.timing, affordable)


@dataclass
class Estimate:
    """Estimated duration of one agent's part, and its basis."""

    seconds: float = 0.0
    executions: int = 0
    more_executions: int = 0
    """Executions among them that rounds are expected to add."""
    measured_executions: int = 0
    """Executions whose duration is based on earlier results."""
    input_bytes: float = 0.0
    """Total length of the encrypted chunks."""
    at_budget: int = 0
    """Cases that are expected to stop at their budget."""
    assumed: set[str] = field(default_factory=set)
    """Algorithms whose rate is assumed."""

    @property
    def basis(self) -> str:
        """Basis of the estimate, as a sentence."""
        if self.measured_executions == self.executions:
            return "Earlier results of this agent."
        names = some(sorted(self.assumed), 4)
        assumed = f"assumed speeds for {names}" if names else "assumed start-up costs"
        if not self.measured_executions:
            return f"No earlier results of this agent: {assumed}."
        share = self.measured_executions / self.executions
        return f"Earlier results of this agent for {share:.0%} of the executions, {assumed} for the others."


def seconds_of(key: MeasuredKey, measured: Measured) -> tuple[float, bool]:
    """Return the expected seconds of one execution, and whether they are based on earlier results."""
    known = measured.get(key)
    if known is None:
        known = measured.get(replace(key, build_id=None))
    if key.timed is not None:
        return PROCESS_SECONDS + (known if known is not None else _latency_seconds(key, key.timed)), known is not None
    around = PROCESS_SECONDS + key.message_bytes / CHECK_BYTES_PER_SECOND
    if known is not None:
        return around + known, True
    return around + assumed_work_seconds(key.algorithm, key.message_bytes), False


def assumed_work_seconds(algorithm: str, message_bytes: int) -> float:
    """Return the assumed seconds of encryption and decryption."""
    if algorithm == NOOP:
        return 0.0
    for family, bytes_per_second in _ASSUMED_BYTES_PER_SECOND:
        if algorithm.startswith(family):
            return message_bytes / bytes_per_second
    return message_bytes / _ASSUMED_DEFAULT


def _latency_seconds(key: MeasuredKey, timed: Timed) -> float:
    # A single call with long or many messages takes longer than the minimum of a timing.
    call_bytes = (key.message_bytes + timed.associated_data_bytes) * Call.of(timed.operation).messages
    call_seconds = assumed_work_seconds(key.algorithm, call_bytes)
    timing_seconds = max(timed.min_timing_ms / 1000, call_seconds)
    return timing_seconds * (timed.timings * TIMING_STRETCH + CALIBRATION_TIMINGS)


def estimate(cases: Iterable[PlannedCase], work: Workload, measured: Measured) -> dict[str, Estimate]:
    """Return the estimate of each agent for these cases; cases of a failed build take no time."""
    found: dict[str, Estimate] = {}
    for case in cases:
        part = found.setdefault(case.agent_id, Estimate())
        if case.build.failure is None:
            _add(part, case, work, measured)
    return found


def _add(part: Estimate, case: PlannedCase, work: Workload, measured: Measured) -> None:
    key = measured_key(case)
    seconds, known = seconds_of(key, measured)
    timed = work.timed_executions(case.agent_id, seconds)
    more = timed - work.purposes.timing
    executions = work.purposes.total + more
    repeated = executions - work.purposes.energy
    windows_seconds = work.purposes.energy * (work.window_seconds + seconds)
    part.seconds += repeated * seconds + windows_seconds
    part.executions += executions
    part.more_executions += more
    part.at_budget += timed < work.timed.get(case.agent_id, 0)
    if key.timed is None:
        part.input_bytes += key.message_bytes * (repeated + windows_seconds / seconds)
    if known:
        part.measured_executions += executions
    elif key.algorithm != NOOP and key.timed is None:
        part.assumed.add(key.algorithm)
