"""Sensor series read from files that change, as those of /sys do."""

import threading
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.daemon.health.sensor_series import ReadingBuffer, SensorThread, reading_of
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.sensors.find import find_sensors
from orchestrator.wire.health import SensorSample
from tests.support.kernel_tree import build, build_machine, put
from tests.support.waiting import until

ZONE = "temperature_celsius cpu-thermal"


def reading(number: int) -> SensorSample:
    return SensorSample(
        sensor="temperature_celsius here", unit="celsius", read_at="2026-11-20T12:00:00Z", value=float(number)
    )


def sensor_thread(roots: Roots, buffer: ReadingBuffer, measuring: "threading.Lock | None" = None) -> SensorThread:
    sensors = find_sensors(roots).sensors
    return SensorThread(sensors, buffer, interval_seconds=0.02, measuring=measuring or threading.Lock())


class TestReadingBuffer:
    @given(st.lists(st.sampled_from(["add", "take", "acknowledge"]), max_size=60))
    def test_acknowledged_readings_are_not_sent_again_and_others_are_kept_up_to_the_capacity(
        self, steps: list[str]
    ) -> None:
        buffer, added, batch, sent = ReadingBuffer(kept=5), 0, None, -1
        for step in steps:
            if step == "add":
                buffer.add(reading(added))
                added += 1
            elif step == "take":
                batch = buffer.oldest(3)
            elif batch is not None:
                buffer.acknowledge(batch)
                sent = max(sent, *(int(one.value) for one in batch.readings), -1)

            kept = [int(one.value) for one in buffer.oldest(5).readings]
            assert kept == list(range(max(sent + 1, added - 5), added))


class TestSensorThread:
    def test_series_follows_the_files_and_gives_the_reason_of_a_gap(self, tmp_path: Path) -> None:
        roots = build_machine("raspberry-pi-3", tmp_path)
        file = roots.sys / "class/thermal/thermal_zone0/temp"
        buffer = ReadingBuffer()
        thread = sensor_thread(roots, buffer)

        def wait_for(number: int) -> None:
            until(
                lambda: len([one for one in buffer.oldest(5000).readings if one.sensor == ZONE]) >= number,
                f"{number} readings",
            )

        thread.start()
        wait_for(1)
        put(file, "60000")
        wait_for(3)
        file.unlink()
        wait_for(5)
        put(file, "61500")
        wait_for(7)
        thread.stop()

        readings = [one for one in buffer.oldest(5000).readings if one.sensor == ZONE]
        distinct = list(dict.fromkeys(one.value for one in readings))
        assert distinct == [53.692, 60.0, None, 61.5]
        assert {one.reason for one in readings if one.value is None} == {
            f"{file} does not exist: No such file or directory"
        }
        assert [one.read_at for one in readings] == sorted(one.read_at for one in readings)

    def test_slow_sensors_wait_for_the_end_of_an_execution(self, tmp_path: Path) -> None:
        roots = build_machine("raspberry-pi-5", tmp_path)  # its throttling bits and power rails are read by a program
        buffer, measuring = ReadingBuffer(), threading.Lock()
        thread = sensor_thread(roots, buffer, measuring)

        with measuring:
            thread.read_all()
        during = {one.sensor for one in buffer.oldest().readings}
        thread.read_all()

        assert ZONE in during
        assert not {"throttled_bits firmware", "power_watts pmic-rails"} & during
        assert {"throttled_bits firmware", "power_watts pmic-rails"} <= {one.sensor for one in buffer.oldest().readings}

    def test_long_reason_is_cut(self, tmp_path: Path) -> None:
        roots = build(f"sys/class/thermal/thermal_zone0/type = {'a' * 90}\n", tmp_path)
        put(roots.sys / "class/thermal/thermal_zone0/temp", "none" * 200)

        one = reading_of(find_sensors(roots).sensors[0])

        assert one.value is None
        assert len(one.reason) <= 400
