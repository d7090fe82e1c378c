"""Waits, within a bound, until the machine is as cool and as quiet as the plan asks. The decision itself is pure."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from orchestrator.measurement.machine.marks import HOT, NOT_QUIET
from orchestrator.measurement.machine.proc_files import TICK_NS
from orchestrator.measurement.sensors.base import SensorValue
from orchestrator.wire.plans import Conditions

LOOK_SECONDS = 0.1
_SHARE_TICKS = 2
"""A window is so long that this many stray ticks stay below the share that is asked for."""


@dataclass(frozen=True)
class Moment:
    """What a look at the machine found."""

    temperature: SensorValue
    others_share: SensorValue
    """Of the measured core's time, 0 to 1."""
    too_early: bool = False
    """No window has ended in which the share could be seen: the next look may know."""


@dataclass(frozen=True)
class Waited:
    """How the wait before one execution ended."""

    waited_ns: int
    marks: tuple[str, ...] = ()
    """Conditions that were still not met when the bound was reached."""
    unknown: tuple[tuple[str, str], ...] = ()
    """Reading → what of the plan could not be waited for, because nothing tells it."""


@dataclass(frozen=True)
class Decision:
    """What a moment means under the plan's conditions."""

    unmet: tuple[str, ...]
    """Marks that an execution would carry that began now."""
    words: str
    """What is not met, for people."""


def decide(conditions: Conditions, moment: Moment) -> Decision:
    """Compare one moment with the plan. What cannot be known holds nothing up."""
    unmet, words = [], []
    temperature, max_celsius = moment.temperature.value, conditions.max_temperature_celsius
    if max_celsius is not None and temperature is not None and temperature > max_celsius:
        unmet.append(HOT.name)
        words.append(f"{temperature:.1f} °C, at most {max_celsius:g} wanted")
    share, most_share = moment.others_share.value, conditions.max_others_share
    if most_share is not None and share is not None and share > most_share:
        unmet.append(NOT_QUIET.name)
        words.append(f"others take {share:.0%} of the measured core, at most {most_share:.0%} wanted")
    return Decision(tuple(unmet), "; ".join(words))


def unknown(conditions: Conditions, moment: Moment) -> tuple[tuple[str, str], ...]:
    """Say which condition cannot be looked at, by the reading that is null for the same reason."""
    found = []
    if conditions.max_temperature_celsius is not None and moment.temperature.value is None:
        asked = f"the plan's {conditions.max_temperature_celsius:g} °C could not be waited for"
        found.append(("temperature_before_celsius", asked))
    if conditions.max_others_share is not None and moment.others_share.value is None:
        asked = f"the plan's share of {conditions.max_others_share:g} could not be waited for"
        found.append(("others_cpu_ns", asked))
    return tuple(found)


@dataclass(frozen=True)
class Waiting:
    """What a wait needs of the world."""

    look: Callable[[], Moment]
    clock_ns: Callable[[], int]
    sleep: Callable[[float], None]
    stopped: Callable[[], bool]
    """Asked after each look: a job that was cancelled waits for nothing."""
    tell: Callable[[str], None]
    """Told what is waited for, whenever that changes."""


def wait(conditions: Conditions, waiting: Waiting) -> Waited:
    """Wait until the conditions are met, the bound is reached or the job is stopped."""
    if conditions.max_temperature_celsius is None and conditions.max_others_share is None:
        return Waited(0)
    began_ns = waiting.clock_ns()
    bound_ns = began_ns + round(conditions.wait_seconds * 1e9)
    told = ""
    while True:
        moment = waiting.look()
        decision, now_ns = decide(conditions, moment), waiting.clock_ns()
        waited = Waited(now_ns - began_ns, unknown=unknown(conditions, moment))
        if waiting.stopped() or not (decision.unmet or moment.too_early):
            return waited
        if now_ns >= bound_ns:
            return replace(waited, marks=decision.unmet)
        if decision.words != told:
            told = decision.words
            waiting.tell(told)
        waiting.sleep(min(LOOK_SECONDS, (bound_ns - now_ns) / 1e9))


@dataclass(frozen=True)
class CoreTime:
    """CPU time that a core has spent until one moment."""

    at_ns: int
    busy_ns: int | None
    """None where the kernel does not tell."""


class OthersShare:
    """The share of the measured core that others take, over windows in which a stray tick is not yet a share."""

    def __init__(self, now: CoreTime) -> None:
        """Begin the first window."""
        self._begin = now
        self._own_ns = 0
        self._last: float | None = None

    def note_own(self, cpu_ns: int) -> None:
        """The runner itself used so much of the core meanwhile."""
        self._own_ns += cpu_ns

    def share(self, now: CoreTime, most_share: float) -> SensorValue:
        """Return others' share: of the window that ends now, or of the last one while this one is too short."""
        if now.busy_ns is None or self._begin.busy_ns is None:
            self._begin = now
            return SensorValue(None, "/proc/stat has no line for the measured core")
        elapsed_ns = now.at_ns - self._begin.at_ns
        if elapsed_ns >= max(LOOK_SECONDS * 1e9, _SHARE_TICKS * TICK_NS / most_share):
            others_ns = max(0, now.busy_ns - self._begin.busy_ns - self._own_ns)
            self._last = min(1.0, others_ns / elapsed_ns)
            self._begin, self._own_ns = now, 0
        return SensorValue(self._last, "" if self.has_window else "no window of the core has ended yet")

    @property
    def has_window(self) -> bool:
        """Tell whether a share has been seen yet."""
        return self._last is not None
