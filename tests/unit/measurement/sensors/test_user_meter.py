"""The user's own meter: small real programs, as docs/measurement.md describes them."""

import os
import re
import shlex
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.measurement.sensors.base import EnergyMeter, EnergyReading, Sensor
from orchestrator.measurement.sensors.user_meter import find
from tests.support.paths import REPOSITORY
from tests.support.waiting import until

TWO_WATTS = """
import time
while True:
    print('{"watts": 2.0}', flush=True)
    time.sleep(0.01)
"""
COUNTER = """
import json, time
begin = time.monotonic_ns()
while True:
    now = time.monotonic_ns()
    print(json.dumps({"joules": 2.0 * (now - begin) / 1e9, "at_ns": now}), flush=True)
    time.sleep(0.01)
"""
RAMP = """
import json, time
begin = time.monotonic_ns()
while True:
    now = time.monotonic_ns()
    print(json.dumps({"watts": (now - begin) / 1e9, "at_ns": now}), flush=True)
    time.sleep(0.01)
"""
BABBLER = """
import time
print("meter 3000, firmware 1.2", flush=True)
while True:
    print('{"watts": 2.0}', '{"watts": -2.0}', '{"joules": 1}', sep="\\n", flush=True)
    time.sleep(0.01)
"""
QUITTER = """
import sys, time
for _ in range(5):
    print('{"watts": 2.0}', flush=True)
    time.sleep(0.01)
sys.exit("serial port is gone")
"""


@dataclass
class Own:
    """Meter and sensor of one program."""

    meter: EnergyMeter
    power: Sensor


@pytest.fixture
def own(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Own]:
    script = tmp_path / "meter of mine.py"
    script.write_text(request.param)
    found = find(shlex.join([sys.executable, "-S", "-E", str(script)]))
    yield Own(found.meters[0], found.sensors[0])
    found.meters[0].close()


def energy(meter: EnergyMeter, readings: int = 20) -> EnergyReading:
    """Measure a window with this many readings, up to five times: on a busy machine it may have gaps."""
    for _ in range(5):
        meter.begin()
        wait_for_readings(meter, readings)
        reading = meter.end()
        if reading.joules is not None:
            break
    return reading


def wait_for_readings(meter: EnergyMeter, number: int) -> None:
    """Wait until the program has printed this many readings since the call."""
    begin_ns = time.monotonic_ns()
    until(
        lambda: sum(line.at_ns >= begin_ns for line in meter.program.lines()) >= number,
        f"{number} readings of the user's meter",
    )


class TestMeter:
    @pytest.mark.parametrize("own", [TWO_WATTS, COUNTER], indirect=True, ids=["power", "counter"])
    def test_two_watts_give_two_joules_per_second(self, own: Own) -> None:
        reading = energy(own.meter)

        assert reading.joules == pytest.approx(2.0 * reading.window_ns / 1e9, rel=1e-6)
        assert reading.window_ns > 0
        assert own.power.read().value == pytest.approx(2.0)

    @pytest.mark.parametrize("own", [RAMP], indirect=True)
    def test_growing_power_is_integrated(self, own: Own) -> None:
        reading = energy(own.meter)

        assert reading.joules is not None
        watts = reading.joules / (reading.window_ns / 1e9)
        # On a straight line the mean is the power in the middle.
        assert watts == pytest.approx((reading.samples[0].watts + reading.samples[-1].watts) / 2, rel=0.2)
        assert reading.samples[0].watts < watts < reading.samples[-1].watts

    @pytest.mark.parametrize("own", [BABBLER], indirect=True)
    def test_unparsable_lines_are_counted_and_reported(self, own: Own) -> None:
        reading = energy(own.meter)

        assert reading.joules == pytest.approx(2.0 * reading.window_ns / 1e9, rel=1e-6)
        assert "lines could not be parsed, the last:" in own.meter.source

    @pytest.mark.parametrize("own", [QUITTER], indirect=True)
    def test_ended_program_is_absent_with_its_last_errors(self, own: Own) -> None:
        own.meter.begin()
        until(lambda: own.power.read().value is None, "the end of the program")
        reading = own.meter.end()

        assert reading.joules is None
        assert "ended with exit code 1, last errors: serial port is gone" in reading.reason
        assert own.power.read().reason == reading.reason

    @pytest.mark.parametrize("own", [QUITTER], indirect=True)
    def test_program_is_restarted_after_a_pause(self, own: Own) -> None:
        own.meter.begin()
        until(lambda: own.power.read().value is None, "the end of the program")
        # One reading: the program ends again after 50 ms.
        assert until(lambda: own.power.read().value, "its next start") == 2.0

    @pytest.mark.parametrize("own", ["import time; time.sleep(60)"], indirect=True)
    def test_silent_program_has_no_reading(self, own: Own) -> None:
        assert own.power.read().reason == "the user's meter has printed no reading yet"

    @pytest.mark.parametrize("own", [TWO_WATTS], indirect=True)
    def test_close_ends_the_program(self, own: Own) -> None:
        own.meter.begin()
        process = own.meter.program._process
        own.meter.close()

        assert process.poll() is not None


class TestFind:
    @pytest.mark.parametrize(
        ("command", "reason"),
        [
            (None, "no CIPHERMARK_METER_COMMAND is set"),
            ("", "no CIPHERMARK_METER_COMMAND is set"),
            ("   ", "the command is empty"),
            ("meter 'unclosed", "cannot be split: No closing quotation"),
            ("no-such-meter --fast", "names no-such-meter, which is not found"),
            (__file__, "is not executable"),
        ],
    )
    def test_unusable_command_has_a_reason(self, command: str | None, reason: str) -> None:
        found = find(command)

        assert found.meters == ()
        assert reason in found.absent

    def test_command_is_executed_without_a_shell(self, tmp_path: Path) -> None:
        proof = tmp_path / "proof"
        (meter,) = find(f"echo x; touch {proof}").meters

        meter.begin()
        reading = meter.end()
        meter.close()

        assert not proof.exists()
        assert "echo ended with exit code 0" in reading.reason


class TestDocumentation:
    def test_example_of_the_documentation_reads_a_serial_port(self, tmp_path: Path) -> None:
        page = (REPOSITORY / "docs/measurement.md").read_text()
        (example,) = (block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "termios" in block)
        (tmp_path / "meter.py").write_text(example)
        master, port = os.openpty()
        found = find(shlex.join([sys.executable, str(tmp_path / "meter.py"), os.ttyname(port)]))

        (power,) = found.sensors

        def read_after_writing() -> bool:
            assert not found.meters[0].program.down, found.meters[0].program.down
            os.write(master, b"5.0 0.6\n")
            return power.read().value is not None

        until(read_after_writing, "a reading from the serial port")
        power.close()
        os.close(master)
        os.close(port)

        assert found.meters[0].program.lines()[-1].value == pytest.approx(3.0)
