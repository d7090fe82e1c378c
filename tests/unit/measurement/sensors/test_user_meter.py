"""The user's own meter: small real programs, as docs/measurement.md describes them."""

import os
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.measurement.sensors.base import EnergyReading
from orchestrator.measurement.sensors.meter_program import MeterProgram
from orchestrator.measurement.sensors.user_meter import UserMeter, UserPower, find
from tests.support.paths import REPOSITORY
from tests.support.waiting import until

# Every program prints the times of its readings, one each 10 ms, and the tests choose the windows: a busy machine
# leaves no gap between two readings.
READINGS = 200
INTERVAL_NS = 10_000_000
TWO_WATTS = """
import time
for number in range(1, 201):
    print('{"watts": 2.0, "at_ns": %d}' % (number * 10**7), flush=True)
time.sleep(600)
"""
COUNTER = """
import time
for number in range(1, 201):
    print('{"joules": %r, "at_ns": %d}' % (0.02 * number, number * 10**7), flush=True)
time.sleep(600)
"""
BABBLER = """
import time
print("meter 3000, firmware 1.2", flush=True)
for number in range(1, 201):
    print('{"watts": 2.0, "at_ns": %d}' % (number * 10**7), '{"watts": -2.0}', '{"joules": 1}', sep="\\n", flush=True)
time.sleep(600)
"""
QUITTER = """
import sys
for number in range(1, 6):
    print('{"watts": 2.0, "at_ns": %d}' % (number * 10**7), flush=True)
sys.exit("serial port is gone")
"""
RETURNING = """
import sys, time
from pathlib import Path
started = Path(__file__).with_name("started")
if not started.exists():
    started.touch()
    sys.exit("serial port is gone")
print('{"watts": 2.0, "at_ns": 1}', flush=True)
time.sleep(600)
"""


@dataclass
class Own:
    """Meter and sensor of one program, and their clock."""

    meter: UserMeter
    power: UserPower
    now_ns: int = 0

    @classmethod
    def of(cls, command: str) -> "Own":
        program = MeterProgram(command)
        own = cls(UserMeter(program), UserPower(program))
        own.meter.clock_ns = own.power.clock_ns = lambda: own.now_ns
        return own

    def energy(self) -> EnergyReading:
        """Return the energy of a window of 1 s within the readings."""
        self.now_ns = READINGS // 4 * INTERVAL_NS + 1
        self.meter.begin()
        until(lambda: len(self.meter.program.lines()) == READINGS, "the readings of the user's meter")
        self.now_ns += 10**9
        return self.meter.end()

    def wait_for_end(self) -> None:
        """Return when the program has ended."""
        until(lambda: self.meter.program.down, "the end of the program")


@pytest.fixture
def own(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Own]:
    script = tmp_path / "meter of mine.py"
    script.write_text(request.param)
    found = Own.of(shlex.join([sys.executable, "-S", "-E", str(script)]))
    yield found
    found.meter.close()


class TestMeter:
    @pytest.mark.parametrize("own", [TWO_WATTS, COUNTER], indirect=True, ids=["power", "counter"])
    def test_two_watts_give_two_joules_per_second(self, own: Own) -> None:
        reading = own.energy()

        assert reading.joules == pytest.approx(2.0, rel=1e-6)
        assert reading.window_ns == 10**9
        assert own.power.read().value == pytest.approx(2.0)

    @pytest.mark.parametrize("own", [BABBLER], indirect=True)
    def test_unparsable_lines_are_counted_and_reported(self, own: Own) -> None:
        reading = own.energy()

        assert reading.joules == pytest.approx(2.0, rel=1e-6)
        assert "lines could not be parsed, the last:" in own.meter.source

    @pytest.mark.parametrize("own", [QUITTER], indirect=True)
    def test_ended_program_is_absent_with_its_last_errors(self, own: Own) -> None:
        own.meter.begin()
        own.wait_for_end()
        reading = own.meter.end()

        assert reading.joules is None
        assert "ended with exit code 1, last errors: serial port is gone" in reading.reason
        assert own.power.read().reason == reading.reason

    @pytest.mark.parametrize("own", [RETURNING], indirect=True)
    def test_program_is_restarted_after_a_pause(self, own: Own) -> None:
        own.meter.begin()
        assert until(lambda: own.power.read().value, "its next start") == 2.0

    @pytest.mark.parametrize("own", ["import time; time.sleep(60)"], indirect=True)
    def test_silent_program_has_no_reading(self, own: Own) -> None:
        assert own.power.read().reason == "the user's meter has printed no reading yet"

    @pytest.mark.parametrize("own", [TWO_WATTS], indirect=True)
    def test_reading_that_is_old_is_not_the_current_power(self, own: Own) -> None:
        own.energy()
        own.now_ns = READINGS * INTERVAL_NS + 11 * 10**9

        assert own.power.read().reason == "the last reading of the user's meter is 11 s old"

    @pytest.mark.parametrize("own", [TWO_WATTS], indirect=True)
    def test_close_ends_the_program(self, own: Own) -> None:
        own.meter.begin()
        process = until(lambda: own.meter.program._process, "the start of the program")
        own.meter.close()

        until(lambda: process.poll() is not None, "the end of the program")


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
        own = Own.of(f"echo x; touch {proof}")

        own.meter.begin()
        own.wait_for_end()
        reading = own.meter.end()
        own.meter.close()

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
