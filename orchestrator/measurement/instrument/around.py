"""What is looked at right before and right after each execution, and what it says together."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.measurement.instrument.surroundings import Surroundings, SurroundingsWatch, judge_surroundings
from orchestrator.measurement.instrument.waiting import CoreTime, Moment, OthersShare, Waited, Waiting, wait
from orchestrator.measurement.machine.cgroup_memory import PeakWatch
from orchestrator.measurement.machine.clocks import ClockOffsets, judge_clocks, read_clocks
from orchestrator.measurement.machine.core_watch import CoreState, CoreWatch, Work, judge
from orchestrator.measurement.machine.marks import Disturbance, joined
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.sensors.base import Sensors, SensorValue
from orchestrator.wire.plans import Conditions


@dataclass(frozen=True)
class State:
    """The machine at one moment."""

    surroundings: Surroundings
    clocks: ClockOffsets
    core: CoreState


class Around:
    """Looks at one machine, execution after execution; its files stay open."""

    def __init__(self, measured_core: int, sensors: Sensors, roots: Roots) -> None:
        """Open what stays open. The sensors belong to whoever found them."""
        self._core = CoreWatch(measured_core, roots.proc, roots.sys)
        self._surroundings = SurroundingsWatch(sensors)
        self.peak = PeakWatch(roots)
        self._others = OthersShare(self._core_time())

    def before(self) -> State:
        """Look now; what takes longest comes first, the core's own counters last."""
        surroundings, clocks = self._surroundings.state(), read_clocks()
        self.peak.begin()
        return State(surroundings, clocks, self._core.state())

    def after(self) -> State:
        """Look now, in the opposite order."""
        core, clocks = self._core.state(), read_clocks()
        return State(self._surroundings.state(), clocks, core)

    def judge(self, before: State, after: State, work: Work) -> Disturbance:
        """Say what interfered with the execution between the two states."""
        self._others.note_own(work.process_cpu_ns)
        return joined(
            judge(before.core, after.core, work, self._core.frequency_reason),
            judge_clocks(before.clocks, after.clocks),
            judge_surroundings(before.surroundings, after.surroundings),
        )

    def wait(self, conditions: Conditions, stopped: Callable[[], bool], tell: Callable[[str], None]) -> Waited:
        """Wait, within the plan's bound, for a cool and quiet machine."""

        def look() -> Moment:
            return self._moment(conditions.max_others_share)

        return wait(conditions, Waiting(look, time.monotonic_ns, time.sleep, stopped, tell))

    def close(self) -> None:
        """Close the files and remove the group; the launcher has ended."""
        self._core.close()
        self.peak.close()

    def _moment(self, most_share: float | None) -> Moment:
        share = SensorValue(None, "the plan asks for none")
        if most_share is not None:
            share = self._others.share(self._core_time(), most_share)
        too_early = most_share is not None and share.value is None and self._core.state().times is not None
        return Moment(self._surroundings.temperature(), share, too_early)

    def _core_time(self) -> CoreTime:
        times = self._core.state().times
        return CoreTime(time.monotonic_ns(), times.busy_ns if times else None)
