"""Waiting until the machine is cool and quiet, as a plan requires, for a limited time. The decision is pure."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from orchestrator.measurement.machine.marks import HOT, NOT_QUIET
from orchestrator.measurement.machine.proc_files import TICK_NS
from orchestrator.measurement.sensors.base import SensorValue

if TYPE_CHECKING:
    from orchestrator.wire.plans import Conditions

LOOK_SECONDS = 0.1
"""Interval between two readings of the machine."""
_STRAY_TICKS = 2
"""A window is so long that this many ticks, charged to the wrong process, stay below the plan's share."""


@dataclass(frozen=True)
class Moment:
    """State of the machine at one moment."""

    temperature: SensorValue
    others_share: SensorValue
    """Share of the measured core's time that other processes use, 0 to 1."""
    too_early: bool = False
    """True if no window has ended yet, so that a later reading may have a share."""


@dataclass(frozen=True)
class Waited:
    """Result of the wait before one execution."""

    waited_ns: int
    marks: tuple[str, ...] = ()
    """Conditions that were still not met when the limit was reached."""
    unknown: tuple[tuple[str, str], ...] = ()
    """Reading → condition of the plan that was not waited for, because this machine has no such reading."""


@dataclass(frozen=True)
class Decision:
    """Result of comparing a moment with the plan's conditions."""

    unmet: tuple[str, ...]
    """Marks of an execution that would begin now."""
    reason: str
    """The unmet conditions, with the present values."""


def decide(conditions: "Conditions", moment: Moment) -> Decision:
    """Compare a moment with the plan's conditions; an unknown value counts as met."""
    unmet, reasons = [], []
    temperature, max_celsius = moment.temperature.value, conditions.max_temperature_celsius
    if max_celsius is not None and temperature is not None and temperature > max_celsius:
        unmet.append(HOT.name)
        reasons.append(f"{temperature:.1f} °C, the plan requires at most {max_celsius:g}")
    share, max_share = moment.others_share.value, conditions.max_others_share
    if max_share is not None and share is not None and share > max_share:
        unmet.append(NOT_QUIET.name)
        reasons.append(
            f"other processes use {share:.0%} of the measured core, the plan requires at most {max_share:.0%}"
        )
    return Decision(tuple(unmet), "; ".join(reasons))


def unknown_conditions(conditions: "Conditions", moment: Moment) -> tuple[tuple[str, str], ...]:
    """Return the conditions that cannot be compared, by the reading that is null for the same reason."""
    unknown = []
    if conditions.max_temperature_celsius is not None and moment.temperature.value is None:
        condition = f"the plan's {conditions.max_temperature_celsius:g} °C could not be waited for"
        unknown.append(("temperature_before_celsius", condition))
    if conditions.max_others_share is not None and moment.others_share.value is None:
        condition = f"the plan's share of {conditions.max_others_share:g} could not be waited for"
        unknown.append(("others_cpu_ns", condition))
    return tuple(unknown)


@dataclass(frozen=True)
class Waiting:
    """Functions through which a wait uses the machine."""

    look: Callable[[], Moment]
    clock_ns: Callable[[], int]
    sleep: Callable[[float], None]
    stopped: Callable[[], bool]
    """Called after each reading, so that a cancelled job ends its wait."""
    report: Callable[[str], None]
    """Receives the unmet conditions, whenever they change."""


def wait(conditions: "Conditions", waiting: Waiting) -> Waited:
    """Wait until the conditions are met, the limit is reached or the job is stopped."""
    if not conditions.are_limited:
        return Waited(0)
    began_ns = waiting.clock_ns()
    deadline_ns = began_ns + round(conditions.wait_seconds * 1e9)
    reported = ""
    while True:
        moment = waiting.look()
        decision, now_ns = decide(conditions, moment), waiting.clock_ns()
        waited = Waited(now_ns - began_ns, unknown=unknown_conditions(conditions, moment))
        if waiting.stopped() or not (decision.unmet or moment.too_early):
            return waited
        if now_ns >= deadline_ns:
            return replace(waited, marks=decision.unmet)
        if decision.reason != reported:
            reported = decision.reason
            waiting.report(reported)
        waiting.sleep(min(LOOK_SECONDS, (deadline_ns - now_ns) / 1e9))


@dataclass(frozen=True)
class CoreTime:
    """CPU time that a core has spent until one moment."""

    at_ns: int
    busy_ns: int | None
    """None if the kernel does not report it."""


class OthersShare:
    """Share of the measured core that other processes use, over windows long enough to ignore stray ticks."""

    def __init__(self, now: CoreTime) -> None:
        """Begin the first window."""
        self._begin = now
        self._own_ns = 0
        self._last: float | None = None

    def note_own(self, cpu_ns: int) -> None:
        """Add CPU time that the runner itself used in the current window."""
        self._own_ns += cpu_ns

    def share(self, now: CoreTime, max_share: float) -> SensorValue:
        """Return the share in the window that ends now, or in the last one while the current one is too short."""
        if now.busy_ns is None or self._begin.busy_ns is None:
            self._begin = now
            return SensorValue(None, "/proc/stat has no line for the measured core")
        elapsed_ns = now.at_ns - self._begin.at_ns
        if elapsed_ns >= max(LOOK_SECONDS * 1e9, _STRAY_TICKS * TICK_NS / max_share):
            others_ns = max(0, now.busy_ns - self._begin.busy_ns - self._own_ns)
            self._last = min(1.0, others_ns / elapsed_ns)
            self._begin, self._own_ns = now, 0
        return SensorValue(self._last, "" if self.has_window else "no window of the core has ended yet")

    @property
    def has_window(self) -> bool:
        """True once a window has ended, so that a share is known."""
        return self._last is not None
