"""The time line over files that change, as those of /sys do."""

import threading
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.daemon.health.sensor_series import LinePlan, ReadingBuffer, SensorLine, reading_of
from orchestrator.measurement.sensors.find import find_sensors
from orchestrator.wire.health import SensorSample
from tests.support.kernel_tree import build, build_machine, put
from tests.support.waiting import until

ZONE = "temperature_celsius cpu-thermal"


def reading(number: int) -> SensorSample:
    return SensorSample(
        sensor="temperature_celsius here", unit="celsius", read_at="2026-11-20T12:00:00Z", value=float(number)
    )


def plan(measuring: "threading.Lock | None" = None, interval_seconds: float = 0.02) -> LinePlan:
    return LinePlan(interval_seconds, measuring or threading.Lock())


class TestReadingBuffer:
    def test_readings_stay_until_they_are_answered(self) -> None:
        buffer = ReadingBuffer()
        for number in range(3):
            buffer.add(reading(number))

        batch = buffer.oldest(2)
        assert buffer.oldest(2) == batch
        buffer.answered(batch)

        assert [one.value for one in buffer.oldest().readings] == [2.0]

    @given(st.lists(st.sampled_from(["add", "take", "answer"]), max_size=60))
    def test_no_reading_is_sent_after_its_answer_and_none_is_lost_while_there_is_room(self, steps: list[str]) -> None:
        buffer, added, batch, sent = ReadingBuffer(kept=5), 0, None, -1
        for step in steps:
            if step == "add":
                buffer.add(reading(added))
                added += 1
            elif step == "take":
                batch = buffer.oldest(3)
            elif batch is not None:
                buffer.answered(batch)
                sent = max(sent, *(int(one.value) for one in batch.readings), -1)

            kept = [int(one.value) for one in buffer.oldest(5).readings]
            assert kept == list(range(max(sent + 1, added - 5), added))


class TestSensorLine:
    def test_the_line_follows_the_files_and_says_why_there_is_a_gap(self, tmp_path: Path) -> None:
        roots = build_machine("raspberry-pi-3", tmp_path)
        file = roots.sys / "class/thermal/thermal_zone0/temp"
        buffer = ReadingBuffer()
        line = SensorLine(find_sensors(roots).sensors, plan(), buffer)

        def wait_for(number: int) -> None:
            until(
                lambda: len([one for one in buffer.oldest(5000).readings if one.sensor == ZONE]) >= number,
                f"{number} readings",
            )

        line.start()
        wait_for(1)
        put(file, "60000")
        wait_for(3)
        file.unlink()
        wait_for(5)
        put(file, "61500")
        wait_for(7)
        line.stop()

        readings = [one for one in buffer.oldest(5000).readings if one.sensor == ZONE]
        distinct = list(dict.fromkeys(one.value for one in readings))
        assert distinct == [53.692, 60.0, None, 61.5]
        assert {one.reason for one in readings if one.value is None} == {
            f"{file} does not exist: No such file or directory"
        }
        assert [one.read_at for one in readings] == sorted(one.read_at for one in readings)

    def test_slow_sensors_wait_while_an_execution_runs(self, tmp_path: Path) -> None:
        roots = build_machine("raspberry-pi-5", tmp_path)  # its bits and rails come from a program
        buffer, measuring = ReadingBuffer(), threading.Lock()
        line = SensorLine(find_sensors(roots).sensors, plan(measuring), buffer)

        with measuring:
            line.read_all()
        during = {one.sensor for one in buffer.oldest().readings}
        line.read_all()

        assert ZONE in during
        assert not {"throttled_bits firmware", "power_watts pmic-rails"} & during
        assert {"throttled_bits firmware", "power_watts pmic-rails"} <= {one.sensor for one in buffer.oldest().readings}

    def test_a_machine_without_sensors_has_an_empty_line(self, tmp_path: Path) -> None:
        buffer = ReadingBuffer()

        SensorLine(find_sensors(build("", tmp_path)).sensors, plan(), buffer).read_all()

        assert buffer.oldest().readings == []

    def test_a_long_reason_still_travels(self, tmp_path: Path) -> None:
        roots = build(f"sys/class/thermal/thermal_zone0/type = {'a' * 90}\n", tmp_path)
        put(roots.sys / "class/thermal/thermal_zone0/temp", "none" * 200)

        one = reading_of(find_sensors(roots).sensors[0])

        assert one.value is None
        assert len(one.reason) <= 400
