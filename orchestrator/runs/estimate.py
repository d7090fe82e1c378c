"""How long executions will take: from what the agent did before, else from a stated assumption. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from orchestrator.units import MIB
from orchestrator.wire.base import NOOP

PROCESS_SECONDS = 0.004
"""Start of the process, launcher, hygiene, verification of short inputs and the record: measured on x86-64 and a
virtual machine with 2 cores, 2026-11; a Raspberry Pi 4 needs about three times as much."""
CHECK_BYTES_PER_SECOND = 300.0 * MIB
"""Reading, comparing and hashing after the work, which is waited for but not measured. Same machine and date."""
STORED_BYTES = 1500
"""Of one execution in the database, its curve included."""

_ASSUMED_BYTES_PER_SECOND: tuple[tuple[str, float], ...] = (
    # Encryption and decryption together, one x86-64 core without an optimised build, 2026-11: a careful guess.
    ("3des", 14.0 * MIB),
    ("aes", 60.0 * MIB),
    ("chacha20", 200.0 * MIB),
    ("salsa20", 200.0 * MIB),
)
_ASSUMED_OTHERWISE = 20.0 * MIB


@dataclass(frozen=True, slots=True)
class MeasuredKey:
    """What was executed before, and where."""

    agent_id: str
    provider: str
    algorithm: str
    variant: str
    message_bytes: int


Measured = Mapping[MeasuredKey, float]
"""Median seconds of work."""


@dataclass
class Estimate:
    """Duration of one agent's part, and what it rests on."""

    seconds: float = 0.0
    executions: int = 0
    measured_executions: int = 0
    """Executions of cases that this agent has executed before."""
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
    around = PROCESS_SECONDS + key.message_bytes / CHECK_BYTES_PER_SECOND
    work = measured.get(key)
    if work is not None:
        return around + work, True
    return around + assumed_work_seconds(key.algorithm, key.message_bytes), False


def assumed_work_seconds(algorithm: str, message_bytes: int) -> float:
    """Return the seconds that encrypting and decrypting are assumed to take."""
    if algorithm == NOOP:
        return 0.0
    for family, bytes_per_second in _ASSUMED_BYTES_PER_SECOND:
        if algorithm.startswith(family):
            return message_bytes / bytes_per_second
    return message_bytes / _ASSUMED_OTHERWISE


def estimate(keys: Iterable[MeasuredKey], repetitions: int, measured: Measured) -> dict[str, Estimate]:
    """Return the estimate of each agent for so many repetitions of these cases."""
    found: dict[str, Estimate] = {}
    for key in keys:
        seconds, known = seconds_of(key, measured)
        part = found.setdefault(key.agent_id, Estimate())
        part.seconds += repetitions * seconds
        part.executions += repetitions
        if known:
            part.measured_executions += repetitions
        elif key.algorithm != NOOP:
            part.assumed.add(key.algorithm)
    return found
