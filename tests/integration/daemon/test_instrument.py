"""The instrument with real programs, good and bad ones."""

import os
from contextlib import suppress
from dataclasses import replace

import psutil
import pytest

from orchestrator.measurement.instrument.measure import Instrument, InstrumentPlan
from orchestrator.measurement.machine.cgroup_memory import PREFIX, ParentGroup, find_place
from orchestrator.measurement.runner.commands import ProcessCommand
from orchestrator.shared.units import MIB
from orchestrator.wire.metrics.phases import reading_refusal
from tests.integration.daemon.conftest import INPUT_BYTES, Pretend
from tests.support.waiting import GENEROUS_SECONDS, acting_once


class TestMemory:
    def test_program_that_allocates_64_mib_has_that_peak(self, instrument: Instrument, pretend: Pretend) -> None:
        seen = instrument.measure(pretend("HOLD_MIB=64"))

        assert seen.failure is None
        assert seen.curve is not None
        peak, baseline = seen.columns["peak_rss_bytes"], seen.readings["baseline_rss_bytes"]
        assert peak is not None
        assert baseline is not None
        assert peak == pytest.approx(64 * MIB, abs=MIB)
        assert max(seen.curve.rss_bytes) == pytest.approx(64 * MIB, abs=MIB)
        assert seen.readings["psutil_peak_rss_bytes"] == pytest.approx(64 * MIB, abs=MIB)
        charged_bytes = seen.readings["cgroup_peak_bytes"]  # if this process may create a group
        assert charged_bytes == pytest.approx(65 * MIB, abs=2 * MIB) if charged_bytes else seen.absent

    def test_peak_of_a_small_program_excludes_python(self, instrument: Instrument, pretend: Pretend) -> None:
        """A small program started by Python itself would have a peak of 14 MiB."""
        seen = instrument.measure(pretend("HOLD_MIB=0"))

        assert seen.curve is not None
        assert 0 < max(seen.curve.rss_bytes) < 1.2 * MIB
        assert (seen.columns["peak_rss_bytes"] or 0) < 1.2 * MIB
        assert (seen.readings["launcher_max_rss_bytes"] or 0) < 1.5 * MIB


class TestCurve:
    def test_samples_have_their_own_timestamps(self, instrument: Instrument, pretend: Pretend) -> None:
        seen = instrument.measure(pretend("HOLD_MIB=1"))

        assert seen.curve is not None
        at_ns = seen.curve.at_ns
        assert at_ns == sorted(set(at_ns))
        assert len(at_ns) == seen.readings["samples"]
        assert 5 <= len(at_ns) <= 36  # 350 ms at 10 ms each, fewer on a busy machine
        assert seen.curve.source == "proc"
        assert (seen.readings["psutil_samples"] or 0) >= 1

    def test_readings_are_registered_and_missing_ones_have_reasons(
        self, instrument: Instrument, own_noop: ProcessCommand
    ) -> None:
        seen = instrument.measure(own_noop)

        assert seen.failure is None
        assert [reading_refusal(name, value) for name, value in seen.readings.items()] == [None] * len(seen.readings)
        nulls = {name for name, value in (seen.readings | seen.columns).items() if value is None}
        assert nulls == set(seen.absent)


class TestBadRunners:
    @pytest.mark.parametrize(
        "bad",
        [
            ("CRASH", "runner-crashed", "about to crash"),
            ("KILLED", "runner-killed", "killed from outside"),
            ("HANG", "runner-timeout", "never ends"),
            ("GARBAGE", "protocol-mismatch", ""),
            ("ENDLESS", "runner-output-exceeded", ""),
            ("REFUSE", "runner-refused", "the key is too short"),
        ],
    )
    def test_bad_runner_fails_and_the_next_one_is_measured(
        self, instrument: Instrument, pretend: Pretend, own_noop: ProcessCommand, bad: tuple[str, str, str]
    ) -> None:
        mode, error, tail = bad

        # The others end by themselves, on a busy machine after more than half a second.
        seen = instrument.measure(pretend(mode, timeout_seconds=0.5 if mode == "HANG" else GENEROUS_SECONDS))

        assert seen.failure is not None
        assert seen.failure.error == error
        assert tail in seen.failure.stderr_tail
        assert seen.columns.get("work_wall_ns") is None
        assert instrument.measure(own_noop).failure is None

    def test_report_of_another_command_is_rejected(self, instrument: Instrument, own_noop: ProcessCommand) -> None:
        seen = instrument.measure(replace(own_noop, input_bytes=INPUT_BYTES + 1))

        assert seen.failure is not None
        assert seen.failure.error == "protocol-mismatch"

    def test_missing_program_fails_to_launch(self, instrument: Instrument, own_noop: ProcessCommand) -> None:
        gone = own_noop.program.with_name("nothing-here")

        failure = instrument.measure(replace(own_noop, program=gone)).failure

        assert failure is not None
        assert failure.error == "launch-failed"
        assert instrument.measure(own_noop).failure is None


def executing(command: ProcessCommand) -> bool:
    """Return whether the command's program is running.

    A new object per process: psutil's iterator keeps its objects, and they keep the program that they once saw. A child
    seen between its fork and its exec would be the launcher forever.
    """
    for pid in psutil.pids():
        with suppress(psutil.Error):
            if psutil.Process(pid).exe() == str(command.program):
                return True
    return False


class TestFollowing:
    """Commands that the launcher starts itself, right after the one before."""

    def test_next_command_is_measured_as_if_it_had_been_started(
        self, instrument: Instrument, own_noop: ProcessCommand
    ) -> None:
        instrument.measure(own_noop)  # reads its files
        first = instrument.execute(own_noop, following=lambda: own_noop).measurement()
        assert instrument.is_ahead
        second = instrument.execute(own_noop).measurement()
        assert not instrument.is_ahead
        assert (first.failure, second.failure) == (None, None)
        assert second.started_at > first.started_at
        assert second.readings.keys() == first.readings.keys()
        assert second.columns.keys() == first.columns.keys()

    def test_next_command_is_discarded_for_another_one(
        self, instrument: Instrument, pretend: Pretend, own_noop: ProcessCommand
    ) -> None:
        other = pretend("HANG")
        instrument.measure(replace(other, timeout_seconds=0.1))
        instrument.execute(own_noop, following=lambda: other)

        assert instrument.execute(own_noop).measurement().failure is None
        assert not executing(other)

    def test_command_whose_files_have_to_be_read_waits_for_its_turn(
        self, instrument: Instrument, pretend: Pretend, own_noop: ProcessCommand
    ) -> None:
        instrument.execute(own_noop, following=lambda: pretend("HOLD_MIB=0"))
        assert not instrument.is_ahead

    def test_kill_ends_both(self, instrument: Instrument, pretend: Pretend, own_noop: ProcessCommand) -> None:
        command = pretend("HANG")
        instrument.measure(replace(command, timeout_seconds=0.1))

        with acting_once(lambda: executing(command), "the runner", instrument.kill_running):
            first = instrument.execute(command, following=lambda: own_noop).measurement()

        assert first.failure is not None
        assert first.failure.signal == 9
        assert instrument.measure(own_noop).failure is None


class TestKill:
    def test_cancelled_runner_is_killed_with_its_children(
        self, instrument: Instrument, pretend: Pretend, own_noop: ProcessCommand
    ) -> None:
        command = pretend("HANG")

        with acting_once(lambda: executing(command), "the runner", instrument.kill_running):
            seen = instrument.measure(command)

        assert seen.failure is not None
        assert seen.failure.signal == 9
        assert not executing(command)
        assert instrument.measure(own_noop).failure is None

    def test_killed_launcher_fails_one_execution(
        self, instrument_plan: InstrumentPlan, pretend: Pretend, own_noop: ProcessCommand
    ) -> None:
        instrument = Instrument(instrument_plan)
        assert instrument.measure(own_noop).failure is None
        (launcher,) = [p for p in psutil.Process().children() if p.name() == instrument_plan.launcher.name]
        command = pretend("HANG")

        with acting_once(lambda: executing(command), "the runner", launcher.kill):
            failure = instrument.measure(command).failure

        assert failure is not None
        assert failure.error == "launch-failed"
        assert instrument.measure(own_noop).failure is None
        instrument.close()
        place = find_place()
        assert not isinstance(place, ParentGroup) or not list(place.parent.glob(f"{PREFIX}{os.getpid()}-*"))
