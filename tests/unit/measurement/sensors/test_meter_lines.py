import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.measurement.sensors.meter_program import MeterLine, parse_line

NOW = 5_000_000_000


class TestParseLine:
    def test_power_has_the_time_of_arrival(self) -> None:
        assert parse_line(b'{"watts": 3.21}\n', NOW) == MeterLine("watts", 3.21, NOW)

    def test_counter_has_its_own_time(self) -> None:
        assert parse_line(b'{"joules": 12, "at_ns": 4999}\n', NOW) == MeterLine("joules", 12.0, 4999)

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            (b"3.21 W\n", "expected one JSON object"),
            (b"[3.2]\n", "expected one JSON object"),
            (b"\xff\xfe\n", "expected one JSON object"),
            (b"[" * 4000 + b"\n", "expected one JSON object"),
            (b"{}\n", r"got the keys \[\]"),
            (b'{"watts": 1, "joules": 2}\n', "got the keys"),
            (b'{"watts": "3.2"}\n', "must be a number"),
            (b'{"watts": true}\n', "must be a number"),
            (b'{"watts": NaN}\n', "finite number"),
            (b'{"watts": -0.5}\n', "is the meter reversed"),
            (b'{"joules": 1' + b"0" * 400 + b"}\n", "finite number"),
            (b'{"watts": 1, "at_ns": 1.5}\n', "integer in ns"),
            (b'{"watts": 1, "at_ns": 1700000000000000000}\n', "is it CLOCK_MONOTONIC"),
            (b'{"watts": 1, "at_ns": -1}\n', "is it CLOCK_MONOTONIC"),
            (b'{"watts": 1' + b" " * 5000 + b"}\n", "more than 4096 bytes"),
        ],
    )
    def test_other_lines_are_refused_with_the_expected_format(self, line: bytes, reason: str) -> None:
        with pytest.raises(ValueError, match=reason):
            parse_line(line, NOW)

    @given(st.binary(max_size=60) | st.builds(lambda value: json.dumps({"watts": value}).encode(), st.floats()))
    def test_any_bytes_give_a_possible_reading_or_an_error(self, line: bytes) -> None:
        try:
            reading = parse_line(line, NOW)
        except ValueError:
            return
        assert 0 <= reading.value < float("inf")
        assert 0 <= reading.at_ns <= NOW + 1_000_000_000
