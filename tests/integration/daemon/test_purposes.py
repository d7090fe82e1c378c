"""Execution purposes with real runners: sampling, waiting for conditions, and energy windows."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.compilation.installed import InstalledBuild
from orchestrator.measurement.instrument.measure import InstrumentPlan
from orchestrator.measurement.sensors.base import Sensors
from orchestrator.wire.records import Record
from tests.support.daemon_bench import DaemonBench, a_job, daemon_bench
from tests.support.fakes import FakeClock, FakeMeter, FakeSensor
from tests.support.waiting import acting_once

WithSensors = Callable[[Sensors], DaemonBench]


@pytest.fixture
def bench_with(tmp_path: Path, build: InstalledBuild, instrument_plan: InstrumentPlan) -> Iterator[WithSensors]:
    """Return a function that opens a daemon whose machine has these sensors."""
    with ExitStack() as opened:

        def open_bench(sensors: Sensors) -> DaemonBench:
            plan = replace(instrument_plan, sensors=sensors)
            return opened.enter_context(daemon_bench(tmp_path, build, plan))

        yield open_bench


def executed(bench: DaemonBench, *purposes: str, **changes: Any) -> list[Record]:
    """Execute the last case (noop) once for each purpose."""
    executions = [
        {"case_id": 3, "repetition": 1 + position, "position": position, "purpose": purpose}
        for position, purpose in enumerate(purposes)
    ]
    job = a_job(bench.build, 1, executions=executions, **changes)
    assert bench.execute(job) == "done"
    return bench.records()


class TestMemoryApart:
    def test_only_memory_executions_are_sampled(self, bench: DaemonBench) -> None:
        warm, timing, memory = executed(bench, "warm-up", "timing", "memory", memory="apart")

        for record in (warm, timing):
            assert record.curve is None
            assert record.readings["sampling_interval_ns"] is None
            assert record.absent["sampling_interval_ns"] == "sampling was turned off"
            assert record.readings["psutil_samples"] == 0
        assert [warm.purpose, timing.purpose, memory.purpose] == ["warm-up", "timing", "memory"]
        assert memory.readings["sampling_interval_ns"] == 10_000_000
        assert timing.peak_rss_bytes is not None  # the runner's own reading needs no sampling


class TestOtherMethods:
    def test_polled_shell_is_recorded_next_to_the_readings_of_the_runner(self, bench: DaemonBench) -> None:
        (shell,) = executed(bench, "shell")

        assert (shell.purpose, shell.state) == ("shell", "ok")
        assert shell.output_sha256 is not None
        assert shell.peak_rss_bytes is not None
        # An execution of a few milliseconds may end before the first sample.
        if shell.readings["shell_samples"] == 0:
            assert shell.absent["shell_mean_rss_bytes"] == "the shell ended before the first sample"
        else:
            assert (shell.readings["shell_mean_rss_bytes"] or 0) > 0
            assert "/bin/sh" in shell.provenance["shell_mean_rss_bytes"]
        assert shell.curve is None

    def test_shell_is_recorded_in_executions_of_that_purpose_only(self, bench: DaemonBench) -> None:
        timing, blocked = executed(bench, "timing", "blocked")

        assert not {"shell_mean_rss_bytes", "shell_samples"} & {*timing.readings, *blocked.readings}
        assert blocked.purpose == "blocked"
        assert blocked.readings.keys() == timing.readings.keys()


class TestEnergy:
    def test_energy_window_has_one_record_of_many_executions(self, bench_with: WithSensors) -> None:
        bench = bench_with(Sensors((), (FakeMeter(None, FakeClock()),), {}))
        (record,) = executed(bench, "energy", energy_window_seconds=0.3)

        assert record.state == "ok"
        assert record.work_wall_ns is not None
        assert (record.readings["energy_executions"] or 0) > 1
        assert record.absent["energy_joules"] == "the meter is gone"
        assert record.provenance["energy_joules"].startswith("fake meter: ")
        assert record.curve is None

    def test_missing_meter_has_the_reasons_of_all_kinds(self, bench_with: WithSensors) -> None:
        bench = bench_with(Sensors((), (), {"rapl": "no powercap", "temperature": "no zone"}))
        (record,) = executed(bench, "energy", energy_window_seconds=600)

        assert record.readings["energy_executions"] is None
        assert record.absent["energy_joules"] == "this machine has no energy meter; rapl: no powercap"


class TestConditions:
    def test_hot_machine_delays_the_execution_and_is_marked_at_the_limit(self, bench_with: WithSensors) -> None:
        zone, firmware = FakeSensor("temperature_celsius cpu", [70.0]), FakeSensor("throttled_bits firmware", [4.0])
        conditions = {"max_temperature_celsius": 60, "wait_seconds": 0.2}
        (record,) = executed(bench_with(Sensors((zone, firmware), (), {})), "timing", conditions=conditions)

        assert (record.readings["waited_ns"] or 0) >= 200_000_000
        assert {"hot", "throttled"} <= set(record.disturbances)
        assert record.readings["temperature_after_celsius"] == 70.0
        assert record.readings["throttled_bits"] == 4

    def test_unknown_temperature_causes_no_wait_and_is_reported(self, bench: DaemonBench) -> None:
        (record,) = executed(bench, "timing", conditions={"max_temperature_celsius": 60, "wait_seconds": 600})

        assert "60 °C could not be waited for" in record.absent["temperature_before_celsius"]
        assert "hot" not in record.disturbances

    def test_cancelled_job_stops_waiting(self, bench_with: WithSensors) -> None:
        bench = bench_with(Sensors((FakeSensor("temperature_celsius cpu", [70.0]),), (), {}))
        job = a_job(bench.build, 1, conditions={"max_temperature_celsius": 60, "wait_seconds": 600})
        reason = "waits: 70.0 °C, the plan requires at most 60"
        with acting_once(
            lambda: reason in bench.status.snapshot().activity,
            "the job that waits for a cool machine",
            lambda: bench.status.order_stop(job.job_id, "cancelled"),
        ):
            assert bench.execute(job) == "cancelled"
        assert bench.records() == []
