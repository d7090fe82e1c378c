import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.measurement.instrument.outcome import read_outcome
from orchestrator.measurement.launch.launcher import Launched
from orchestrator.measurement.runner.commands import LatencyCommand
from orchestrator.measurement.runner.readings import RunnerReadings
from orchestrator.shared.errors import ProtocolMismatch
from orchestrator.wire.jobs import LatencyCase
from orchestrator.wire.metrics.phases import reading_refusal
from orchestrator.wire.records import Failure
from tests.unit.measurement.runner.test_process_report import ended

CLOCK = {"before_hz": 3e9, "after_hz": 3e9, "hz": 3e9, "reason": None}
DRIFTED = {"before_hz": 3e9, "after_hz": 2e9, "hz": None, "reason": "went from 3e9 to 2e9 Hz"}
CASE = LatencyCase(
    case_id=1, build_key="b" * 64, protocol="latency", provider="own", algorithm="tinyjambu-128", variant="scalar",
    operation="encrypt", message_bytes=16, associated_data_bytes=32, fill="counter", key_fill="zero",
    key_setup="included", timings=3, min_timing_ms=0.5,
)  # fmt: skip
COMMAND = LatencyCommand(Path("/runners/ciphermark-own"), "own", "tinyjambu-128", "scalar", 20.0, 65536, CASE)


def calling(operation: str) -> LatencyCommand:
    return replace(COMMAND, case=CASE.model_copy(update={"operation": operation}))


def timing(wall_ns: int, iterations: int = 1000, **changes: Any) -> dict[str, Any]:
    facts = {
        "iterations": iterations, "wall_ns": wall_ns, "cpu_ns": wall_ns - 100, "cycles": None, "instructions": None,
        "core_clock": CLOCK, "derived_cycles": (wall_ns - 100) * 3.0, "impossible": False,
    }  # fmt: skip
    return facts | changes


def report(**changes: Any) -> dict[str, Any]:
    first = {"wall_ns": 9000, "cpu_ns": 8000, "cycles": None, "instructions": None}
    facts: dict[str, Any] = {
        "protocol": 2, "command": "latency", "provider": "own", "algorithm": "tinyjambu-128", "variant": "scalar",
        "operation": "encrypt", "key_setup": "included", "message_bytes": 16, "associated_data_bytes": 32,
        "fill": "counter", "clock": {"resolution_ns": 1, "reading_ns": 25}, "min_timing_ns": 500_000,
        "cold": {"key_setup": first, "call": first | {"wall_ns": 12_000}},
        "timings": [timing(600_000), timing(900_000), timing(630_000)],
        "counters_reason": "perf_event_open: Permission denied", "multiply_cycles": 3, "min_cycles": 500,
        "output_sha256": "a" * 64, "verified_by": ["known answers"], "verified": True,
        "peak_rss_bytes": 700_000, "baseline_rss_bytes": 600_000,
    }  # fmt: skip
    return facts | changes


def outcome(command: LatencyCommand = COMMAND, exit_code: int = 0, **changes: Any) -> tuple[Any, Failure | None]:
    stdout = json.dumps(report(**changes)).encode()
    return read_outcome(command, Launched(ended(exit_code=exit_code), stdout, b""))


def readings(**changes: Any) -> RunnerReadings:
    return COMMAND.read(Launched(ended(), json.dumps(report(**changes)).encode(), b""))


class TestReadReport:
    def test_call_time_is_the_median_of_time_per_call(self) -> None:
        # One timing with half the calls: 900 000 / 500 is the slowest call, and the median is one of the others.
        seen = readings(timings=[timing(600_000), timing(900_000, 500), timing(630_000)])
        assert seen.columns["call_wall_ns"] == 630.0
        assert seen.columns["call_cpu_ns"] == pytest.approx(629.9)
        assert (seen.readings["iterations"], seen.readings["timed_calls"]) == (500, 2500)
        assert (seen.readings["timed_wall_ns"], seen.readings["timed_cpu_ns"]) == (2_130_000, 2_129_700)

    def test_cold_calls_are_separate_readings(self) -> None:
        seen = readings().readings
        assert (seen["cold_call_wall_ns"], seen["cold_key_setup_wall_ns"]) == (12_000, 9000)

    def test_derived_cycles_exclude_timings_with_a_drifted_clock(self) -> None:
        drifted = timing(10_000_000, core_clock=DRIFTED, derived_cycles=None, impossible=None)
        seen = readings(timings=[timing(600_100), drifted, timing(700_100)]).readings
        assert seen["derived_call_cycles"] == pytest.approx(1950.0)
        assert seen["core_clock_hz"] == 3e9

    def test_counted_cycles_give_cycles_per_instruction(self) -> None:
        counted = timing(600_000, cycles=1_800_000, instructions=3_600_000)
        seen = readings(timings=[counted] * 3, counters_reason=None)
        assert seen.readings["call_cycles"] == 1800.0
        assert seen.readings["call_instructions"] == 3600.0
        assert seen.readings["cycles_per_instruction"] == 0.5
        assert "call_cycles" not in seen.absent

    def test_every_null_has_a_reason_and_every_reading_is_declared(self) -> None:
        drifted = timing(600_000, core_clock=DRIFTED, derived_cycles=None, impossible=None)
        seen = readings(timings=[drifted] * 3, min_cycles=None, peak_rss_bytes=None)
        assert [reading_refusal(name, value) for name, value in seen.readings.items()] == [None] * len(seen.readings)
        assert set(seen.absent) == {name for name, value in (seen.columns | seen.readings).items() if value is None}
        assert seen.absent["call_cycles"] == "perf_event_open: Permission denied"
        assert seen.absent["core_clock_hz"] == "went from 3e9 to 2e9 Hz"
        assert "calls" in seen.absent["work_wall_ns"]

    def test_all_timings_are_returned(self) -> None:
        kept = readings().timings
        assert kept is not None
        assert kept.wall_ns == [600_000, 900_000, 630_000]
        assert kept.cycles == [None, None, None]

    @pytest.mark.parametrize(
        ("operation", "check", "digest"),
        [
            ("encrypt", None, "a" * 64),
            ("decrypt", None, None),
            ("key-setup", None, None),
            ("digest", "digest", "a" * 64),
            ("sign", "verification", None),
        ],
    )
    def test_output_checked_by_its_digest_has_one(self, operation: str, check: str | None, digest: str | None) -> None:
        said = Launched(ended(), json.dumps(report(operation=operation, output_check=check)).encode(), b"")
        assert calling(operation).read(said).output_sha256 == digest


class TestLatencyCommand:
    @pytest.mark.parametrize(
        "changes",
        [
            {"variant": "other"},
            {"message_bytes": 17},
            {"associated_data_bytes": 0},
            {"fill": "zero"},
            {"key_setup": "apart"},
            {"operation": "decrypt"},
            {"timings": [timing(600_000)]},
            {"min_timing_ns": 499_999},
        ],
    )
    def test_report_of_another_command_is_refused(self, changes: dict[str, Any]) -> None:
        with pytest.raises(ProtocolMismatch, match=next(iter(changes)).removesuffix("_ns")):
            readings(**changes)

    def test_arguments_contain_every_option(self) -> None:
        assert " ".join(COMMAND.arguments()[1:]) == (
            "latency --operation encrypt --algorithm tinyjambu-128 --variant scalar --length 16 --ad-length 32 "
            "--fill counter --key-fill zero --key-setup included --min-time-ms 0.5 --timings 3"
        )

    def test_batch_names_its_messages_and_their_keys(self) -> None:
        arguments = calling("decrypt-32-keys").arguments()
        assert " latency --operation decrypt --messages 32 --keys each --algorithm " in " ".join(arguments)


class TestOutcome:
    def test_impossible_timing_fails_with_its_cycles(self) -> None:
        bad = timing(100_100, derived_cycles=300_000.0, impossible=True)
        seen, failure = outcome(timings=[timing(600_000), bad, bad])
        assert failure is not None
        assert failure.error == "impossible-timing"
        assert "2 of 3 timings" in failure.detail
        assert "300.0 in the fastest one, expected 500 or more" in failure.detail
        assert seen.timings is not None

    def test_unverified_output_fails_with_the_runners_message(self) -> None:
        said = b'{"error": "not-verified", "detail": "tinyjambu-128.vec line 7: other ciphertext"}'
        stdout = json.dumps(report(verified=False)).encode()
        _, failure = read_outcome(COMMAND, Launched(ended(exit_code=6), stdout, said))
        assert failure is not None
        assert failure.error == "not-verified"
        assert "vec line 7" in failure.detail

    def test_refusal_without_error_line_has_the_last_line_that_was_printed(self) -> None:
        """Regression: a runner's `unrecognized arguments: --ad-length` was reported as no error line."""
        _, failure = read_outcome(COMMAND, Launched(ended(exit_code=2), b"", b"usage: r\nr: error: no --fill\0\n"))
        assert failure is not None
        assert failure.detail == "Exit 2 (bad usage); the runner printed: r: error: no --fill\ufffd."

    def test_verified_and_exit_code_must_agree(self) -> None:
        _, failure = outcome(exit_code=6)
        assert failure is not None
        assert failure.error == "protocol-mismatch"
