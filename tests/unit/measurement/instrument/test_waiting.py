from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.measurement.instrument.waiting import CoreTime, Moment, OthersShare, Waited, Waiting, decide, wait
from orchestrator.measurement.machine.proc_files import TICK_NS
from orchestrator.measurement.sensors.base import SensorValue
from orchestrator.wire.plans import Conditions
from tests.support.fakes import FakeClock

CONDITIONS = Conditions(max_temperature_celsius=60, max_others_share=0.1, wait_seconds=2)
NONE = SensorValue(None, "no sensor")


def known(value: float | None) -> SensorValue:
    return NONE if value is None else SensorValue(value)


def moment(celsius: float | None = 50.0, share: float | None = 0.0) -> Moment:
    return Moment(known(celsius), known(share))


class Wait:
    """Wait on a fake clock with given moments."""

    def __init__(self, *looks: Moment, stopped: Callable[[], bool] = lambda: False) -> None:
        self.clock, self.reported, self.looks = FakeClock(), list[str](), list(looks)
        self.waiting = Waiting(self._look, self.clock, self.clock.sleep, stopped, self.reported.append)

    def _look(self) -> Moment:
        self.last = self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]
        return self.last

    def __call__(self, conditions: Conditions = CONDITIONS) -> Waited:
        return wait(conditions, self.waiting)


class TestDecide:
    @pytest.mark.parametrize(
        ("seen", "marks"),
        [
            (moment(60.0, 0.1), ()),
            (moment(60.1, 0.0), ("hot",)),
            (moment(0.0, 0.2), ("not-quiet",)),
            (moment(90.0, 1.0), ("hot", "not-quiet")),
            (moment(None, None), ()),
        ],
    )
    def test_only_values_above_the_plans_maximum_are_unmet(self, seen: Moment, marks: tuple[str, ...]) -> None:
        assert decide(CONDITIONS, seen).unmet == marks


class TestWait:
    def test_without_conditions_the_machine_is_not_read(self) -> None:
        one = Wait(moment(99.0))

        assert one(Conditions()) == Waited(0)

    def test_wait_ends_as_soon_as_the_machine_is_cool(self) -> None:
        one = Wait(moment(70.0), moment(65.0), moment(59.0))

        assert one() == Waited(200_000_000)
        assert one.reported == ["70.0 °C, the plan requires at most 60", "65.0 °C, the plan requires at most 60"]

    def test_limit_of_zero_reads_the_machine_once(self) -> None:
        conditions = CONDITIONS.model_copy(update={"wait_seconds": 0.0})

        assert Wait(moment(70.0))(conditions) == Waited(0, ("hot",))

    def test_stopped_job_ends_the_wait_without_marks(self) -> None:
        assert Wait(moment(70.0), stopped=lambda: True)() == Waited(0)

    def test_condition_without_sensor_is_reported_and_not_waited_for(self) -> None:
        found = Wait(moment(None, 0.0))()

        assert found.waited_ns == 0
        assert found.unknown == (("temperature_before_celsius", "the plan's 60 °C could not be waited for"),)

    def test_share_without_a_window_is_waited_for_and_never_marked(self) -> None:
        early = Moment(SensorValue(50.0), NONE, too_early=True)

        assert Wait(early, early, moment())() == Waited(200_000_000)
        assert Wait(early)().marks == ()

    @given(
        st.lists(st.tuples(st.none() | st.floats(0, 120), st.none() | st.floats(0, 1)), min_size=1, max_size=40),
        st.floats(0, 3),
    )
    def test_wait_never_exceeds_its_limit_and_marks_only_conditions_unmet_then(
        self, seen: list[tuple[float | None, float | None]], wait_seconds: float
    ) -> None:
        looks = [moment(celsius, share) for celsius, share in seen]
        one = Wait(*looks)

        found = one(CONDITIONS.model_copy(update={"wait_seconds": wait_seconds}))

        assert found.waited_ns <= round(wait_seconds * 1e9)
        assert found.marks == decide(CONDITIONS, one.last).unmet
        assert not found.marks or found.waited_ns == round(wait_seconds * 1e9)


class TestOthersShare:
    def test_time_of_the_runner_is_excluded(self) -> None:
        others = OthersShare(CoreTime(0, 0))
        others.note_own(300_000_000)

        assert others.share(CoreTime(10**9, 400_000_000), 0.5).value == pytest.approx(0.1)

    def test_short_window_repeats_the_last_share(self) -> None:
        others = OthersShare(CoreTime(0, 0))

        assert others.share(CoreTime(50_000_000, 50_000_000), 0.5).value is None
        assert others.share(CoreTime(200_000_000, 100_000_000), 0.5).value == 0.5
        assert others.share(CoreTime(210_000_000, 110_000_000), 0.5).value == 0.5

    def test_window_is_long_enough_to_ignore_stray_ticks(self) -> None:
        others = OthersShare(CoreTime(0, 0))
        min_ns = round(2 * TICK_NS / 0.02)

        assert others.share(CoreTime(min_ns - 1, TICK_NS), 0.02).value is None
        assert others.share(CoreTime(min_ns, TICK_NS), 0.02).value == pytest.approx(0.01)

    def test_core_without_times_has_no_share(self) -> None:
        found = OthersShare(CoreTime(0, None)).share(CoreTime(10**9, None), 0.5)

        assert found.value is None
        assert "/proc/stat" in found.reason
