"""How long executions will take: from what the agent did before, else from a stated assumption. Pure."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from orchestrator.runs.planning.inputs import MessageInput
from orchestrator.runs.planning.planner import PlannedCase
from orchestrator.runs.planning.purposes import Passes
from orchestrator.units import MIB
from orchestrator.wire.base import NOOP

PROCESS_SECONDS = 0.004
"""Start of the process, launcher, preflight, verification of short inputs and the record: measured on x86-64 and a
virtual machine with 2 cores, 2026-11; a Raspberry Pi 4 needs about three times as much."""
CHECK_BYTES_PER_SECOND = 300.0 * MIB
"""Reading, comparing and hashing after the work, which is waited for but not measured. Same machine and date."""
TIMING_STRETCH = 1.4
"""A timing lasts longer than its least time, because calls are not cut, and the clock of the core is found after each.
Ten timings of 10 ms took 160 ms with their calibration, three of them 70 ms. Same machine and date."""
CALIBRATION_TIMINGS = 2
"""Timings' worth of calls that finding the number of iterations takes."""
STORED_BYTES = 1500
"""Of one execution in the database, its curve included."""
BUILD_SECONDS = 120.0
"""Of one toolchain's runners on an agent that has built nothing yet: about a minute with 2 cores of x86-64, 2026-11;
a Raspberry Pi 4 needs several."""

_ASSUMED_BYTES_PER_SECOND: tuple[tuple[str, float], ...] = (
    # Encryption and decryption together, one x86-64 core without an optimised build, 2026-11: a careful guess.
    ("3des", 14.0 * MIB),
    ("aes", 60.0 * MIB),
    ("chacha20", 200.0 * MIB),
    ("salsa20", 200.0 * MIB),
)
_ASSUMED_OTHERWISE = 20.0 * MIB


@dataclass(frozen=True, slots=True)
class Timed:
    """What besides the message decides how long a latency execution takes."""

    operation: str
    associated_data_bytes: int
    key_setup: str
    timings: int
    min_timing_ms: float


@dataclass(frozen=True, slots=True)
class MeasuredKey:
    """What was executed before, and where."""

    agent_id: str
    build_id: int | None
    """None: the latest of any build."""
    provider: str
    algorithm: str
    variant: str
    message_bytes: int
    timed: Timed | None = None
    """None: the process protocol."""


Measured = Mapping[MeasuredKey, float]
"""Median seconds of work; mean seconds of the process under the latency protocol."""


def measured_key(case: PlannedCase) -> MeasuredKey:
    """Return under what a planned case's earlier results are found."""
    what, asked = case.implementation, case.input
    timed = None
    if isinstance(asked, MessageInput):
        timed = Timed(asked.operation, asked.associated_data_bytes, asked.key_setup, asked.timings, asked.min_timing_ms)
    return MeasuredKey(
        case.agent_id, case.build.build_id, what.provider, what.algorithm, what.variant, asked.length_bytes, timed
    )


@dataclass(frozen=True)
class Workload:
    """What is done with each case."""

    passes: Passes
    timed: Mapping[str, int] = field(default_factory=dict)
    """Agent → expected timed executions of each case, where they are not those of the passes."""
    window_seconds: float = 0.0
    """Of an energy window; the execution in which it ends is finished."""
    budget_seconds: float = math.inf
    """Of the timed executions of one case beyond the plan's repetitions."""

    def timed_executions(self, agent_id: str, seconds: float) -> int:
        """Return how many timed executions of so many seconds a case will get."""
        wanted = self.timed.get(agent_id, self.passes.timing)
        affordable = math.ceil(min(self.budget_seconds / seconds, wanted))
        return max(self.passes.timing, affordable)


@dataclass
class Estimate:
    """Duration of one agent's part, and what it rests on."""

    seconds: float = 0.0
    executions: int = 0
    more_executions: int = 0
    """Among them those that rounds will add."""
    measured_executions: int = 0
    """Executions of cases that this agent has executed before."""
    input_bytes: float = 0.0
    """Of chunks, encrypted together."""
    at_budget: int = 0
    """Cases that will be stopped by their budget."""
    assumed: set[str] = field(default_factory=set)
    """Algorithms whose speed was assumed."""

    @property
    def basis(self) -> str:
        """One sentence that says what the figure rests on."""
        if self.measured_executions == self.executions:
            return "Earlier results of this agent."
        names = sorted(self.assumed)
        few = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        assumed = f"assumed speeds for {few}" if names else "assumed start-up costs"
        if not self.measured_executions:
            return f"No earlier results of this agent: {assumed}."
        share = self.measured_executions / self.executions
        return f"Earlier results of this agent for {share:.0%} of the executions, {assumed} for the others."


def seconds_of(key: MeasuredKey, measured: Measured) -> tuple[float, bool]:
    """Return the seconds that one execution will take, and whether that rests on earlier results."""
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
    """Return the seconds that encrypting and decrypting are assumed to take."""
    if algorithm == NOOP:
        return 0.0
    for family, bytes_per_second in _ASSUMED_BYTES_PER_SECOND:
        if algorithm.startswith(family):
            return message_bytes / bytes_per_second
    return message_bytes / _ASSUMED_OTHERWISE


def _latency_seconds(key: MeasuredKey, timed: Timed) -> float:
    # A long message makes a single call last longer than a timing has to.
    call_seconds = assumed_work_seconds(key.algorithm, key.message_bytes + timed.associated_data_bytes)
    timing_seconds = max(timed.min_timing_ms / 1000, call_seconds)
    return timing_seconds * (timed.timings * TIMING_STRETCH + CALIBRATION_TIMINGS)


def estimate(cases: Iterable[PlannedCase], work: Workload, measured: Measured) -> dict[str, Estimate]:
    """Return the estimate of each agent for these cases; a failed build's cost nothing."""
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
    more = timed - work.passes.timing
    executions = work.passes.executions + more
    repeated = executions - work.passes.energy
    windows_seconds = work.passes.energy * (work.window_seconds + seconds)
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
