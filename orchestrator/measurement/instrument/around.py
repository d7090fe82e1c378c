"""State of the machine right before and right after each execution, and the disturbance that both show."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.measurement.instrument.surroundings import Surroundings, SurroundingsWatch, judge_surroundings
from orchestrator.measurement.instrument.waiting import CoreTime, Moment, OthersShare, Waited, Waiting, wait
from orchestrator.measurement.machine.cgroup_memory import PeakWatch
from orchestrator.measurement.machine.clocks import ClockOffsets, judge_clocks, read_clocks
from orchestrator.measurement.machine.core_watch import CoreState, CoreWatch, Work, judge
from orchestrator.measurement.machine.marks import Disturbance, joined
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.sensors.base import Sensors, SensorValue

if TYPE_CHECKING:
    from orchestrator.wire.plans import Conditions


@dataclass(frozen=True)
class State:
    """The machine at one moment."""

    surroundings: Surroundings
    clocks: ClockOffsets
    core: CoreState


class Around:
    """Reader of the machine's state around each execution; it keeps its files open."""

    def __init__(self, measured_core: int, sensors: Sensors, roots: Roots) -> None:
        """Open the files. The caller closes the sensors."""
        self._core = CoreWatch(measured_core, roots.proc, roots.sys)
        self._surroundings = SurroundingsWatch(sensors)
        self.peak = PeakWatch(roots)
        self._others = OthersShare(self._core_time())

    def before(self) -> State:
        """Return the state before an execution: the slowest readings first, the core's counters last."""
        surroundings, clocks = self._surroundings.state(), read_clocks()
        return State(surroundings, clocks, self._core.state())

    def after(self) -> State:
        """Return the state after an execution, and before one that the launcher started itself, in opposite order."""
        core, clocks = self._core.state(), read_clocks()
        return State(self._surroundings.state(), clocks, core)

    def note_own(self, cpu_ns: int) -> None:
        """Count the CPU time of an execution, which is not that of others."""
        self._others.note_own(cpu_ns)

    def judge(self, before: State, after: State, work: Work) -> Disturbance:
        """Return the disturbance of the execution between the two states."""
        return joined(
            judge(before.core, after.core, work, self._core.frequency_reason),
            judge_clocks(before.clocks, after.clocks),
            judge_surroundings(before.surroundings, after.surroundings),
        )

    def wait(self, conditions: "Conditions", stopped: Callable[[], bool], report: Callable[[str], None]) -> Waited:
        """Wait for a cool and quiet machine, for the plan's limit at most."""

        def look() -> Moment:
            return self._moment(conditions.max_others_share)

        return wait(conditions, Waiting(look, time.monotonic_ns, time.sleep, stopped, report))

    def close(self) -> None:
        """Close the files and remove the control group, after the launcher has ended."""
        self._core.close()
        self.peak.close()

    def _moment(self, max_share: float | None) -> Moment:
        share = SensorValue(None, "the plan does not limit it")
        if max_share is not None:
            share = self._others.share(self._core_time(), max_share)
        too_early = max_share is not None and share.value is None and self._core.state().times is not None
        return Moment(self._surroundings.temperature(), share, too_early)

    def _core_time(self) -> CoreTime:
        times = self._core.state().times
        return CoreTime(time.monotonic_ns(), times.busy_ns if times else None)
