from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from orchestrator.measurement.instrument.energy import EnergyWindow, marks_of, measure_window
from orchestrator.measurement.instrument.measure import Measurement
from orchestrator.measurement.runner.command import Command
from orchestrator.measurement.runner.commands import ProcessCommand
from orchestrator.wire.metrics.phases import reading_refusal
from orchestrator.wire.records import Failure, TimingSeries
from tests.support.fakes import FakeClock, FakeMeter
from tests.unit.measurement.runner.test_latency_report import CASE, COMMAND

PROCESS = ProcessCommand(Path("/runner"), "own", "noop", "none", 1.0, 1024, Path("/in"), 1000)
TIMINGS = TimingSeries(
    iterations=[30, 20], wall_ns=[1, 1], cpu_ns=[1, 1], cycles=[None, None], instructions=[None, None],
    core_clock_hz=[None, None], derived_cycles=[None, None],
)  # fmt: skip


class Machine:
    """Machine that executes for 0.4 s each and whose meters read the given powers."""

    def __init__(self, *watts: float | None) -> None:
        self.clock = FakeClock()
        self.meters = tuple(
            FakeMeter(value, self.clock, name=f"meter {number}") for number, value in enumerate(watts, 1)
        )
        self.executed = 0
        self.failing_at = 0

    def measure(self) -> Measurement:
        self.executed += 1
        self.clock.sleep(0.4)
        failure = (
            Failure(error="runner-crashed", detail="segmentation fault") if self.executed == self.failing_at else None
        )
        return Measurement(
            started_at=datetime.now(UTC), columns={"input_bytes": 1000, "process_wall_ns": self.executed},
            readings={"samples": 0}, absent={}, marks=["stolen"] if self.executed == 2 else [], curve=None,
            timings=TIMINGS, output_sha256=None, failure=failure,
        )  # fmt: skip

    def window(self, command: Command = PROCESS, stopped: Callable[[], bool] = lambda: False) -> EnergyWindow:
        return EnergyWindow(command, self.measure, self.meters, 1.0, stopped, "no meter here", self.clock)


def measured(window: EnergyWindow) -> Measurement:
    found = measure_window(window)
    assert found is not None
    return found


class TestMeasureWindow:
    def test_energy_covers_complete_executions_and_is_divided_by_their_number(self) -> None:
        machine = Machine(2.0)

        found = measured(machine.window())

        assert machine.executed == 3
        assert found.columns["process_wall_ns"] == 1
        assert found.readings["energy_window_ns"] == 1_200_000_000
        assert found.readings["energy_joules"] == pytest.approx(2.4)
        assert found.readings["energy_per_execution_joules"] == pytest.approx(0.8)
        assert found.readings["energy_per_byte_joules"] == pytest.approx(2.4 / 3000)
        assert found.readings["energy_resolution_joules"] == 0.001
        assert found.absent == {}
        assert found.marks == ["stolen"]
        assert [reading_refusal(name, value) for name, value in found.readings.items()] == [None] * len(found.readings)

    def test_latency_counts_the_bytes_of_every_timed_call(self) -> None:
        found = measured(Machine(2.0).window(COMMAND))

        assert found.readings["energy_per_byte_joules"] == pytest.approx(2.4 / (3 * 16 * 50))

    def test_call_without_a_message_has_no_energy_per_byte(self) -> None:
        key_setup = CASE.model_copy(update={"operation": "key-setup", "message_bytes": 0})
        found = measured(Machine(2.0).window(replace(COMMAND, case=key_setup)))

        assert found.readings["energy_joules"] == pytest.approx(2.4)
        assert found.readings["energy_per_byte_joules"] is None
        assert "no bytes" in found.absent["energy_per_byte_joules"]

    def test_provenance_names_the_first_meter_and_then_the_others(self) -> None:
        found = measured(Machine(2.0, 1.0, None).window())

        assert found.readings["energy_joules"] == pytest.approx(2.4)
        words = found.provenance["energy_per_byte_joules"]
        assert words == (
            "meter 1: watts × time of a test; other meters: meter 2 1.2 J, meter 3 absent (the meter is gone)"
        )

    def test_window_without_meter_has_one_execution_and_no_energy(self) -> None:
        machine = Machine()

        found = measured(machine.window())

        assert machine.executed == 1
        energies = {name: value for name, value in found.readings.items() if name.startswith("energy")}
        assert set(energies.values()) == {None}
        assert {found.absent[name] for name in energies} == {"no meter here"}

    def test_failing_meter_gives_null_energy_with_the_reason(self) -> None:
        found = measured(Machine(None).window())

        assert found.readings["energy_joules"] is None
        assert found.absent["energy_joules"] == "the meter is gone"
        assert found.readings["energy_executions"] == 3

    def test_failed_execution_ends_the_window_without_energy(self) -> None:
        machine = Machine(2.0)
        machine.failing_at = 2

        found = measured(machine.window())

        assert machine.executed == 2
        assert found.failure is not None
        assert found.readings["energy_joules"] is None
        assert found.absent["energy_joules"] == "an execution of the window failed"

    def test_stopped_window_returns_none_and_ends_its_meter(self) -> None:
        machine = Machine(2.0)

        assert measure_window(machine.window(stopped=lambda: machine.executed == 1)) is None
        assert machine.meters[0].began_ns is None


class TestMarksOf:
    @pytest.mark.parametrize(
        ("mark", "marked", "expected"),
        [("preempted", 5, []), ("preempted", 6, ["preempted"]), ("throttled", 1, ["throttled"]), ("stolen", 0, [])],
    )
    def test_mark_applies_above_five_percent_of_the_time(self, mark: str, marked: int, expected: list[str]) -> None:
        one = replace(Machine().measure(), columns={"process_wall_ns": 10}, marks=[])

        assert marks_of([replace(one, marks=[mark])] * marked + [one] * (100 - marked)) == expected
