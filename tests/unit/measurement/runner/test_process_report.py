import json
from typing import Any

import pytest

from orchestrator.measurement.machine.cpu_time_split import SplitFacts
from orchestrator.measurement.runner.commands import parse_as
from orchestrator.measurement.runner.process_report import read_report
from orchestrator.measurement.runner.readings import RunnerReadings
from orchestrator.shared.errors import ProtocolMismatch
from orchestrator.wire.launcher import Ended
from orchestrator.wire.messages import CIPHER_SEQUENCE, phases_of
from orchestrator.wire.metrics.phases import reading_refusal
from orchestrator.wire.runners import ProcessReport

SPAWN_NS = 1_000_000
PHASES = phases_of(CIPHER_SEQUENCE)
SPLIT = SplitFacts("sampled", 4_000_000)
USAGE = {
    "user_us": 20, "system_us": 3, "minor_faults": 50, "major_faults": 0, "voluntary_switches": 1,
    "involuntary_switches": 2,
}  # fmt: skip


def ended(**changes: Any) -> Ended:
    facts: dict[str, Any] = {
        "event": "ended", "id": 1, "pid": 7, "spawn_ns": SPAWN_NS, "end_ns": SPAWN_NS + 10_000, "exit_code": 0,
        "signal": None, "timed_out": False, "output_exceeded": False, "user_us": 40, "system_us": 5,
        "max_rss_bytes": 4096, "minor_faults": 1, "major_faults": 0, "voluntary_switches": 0,
        "involuntary_switches": 0, "stdout_bytes": 0, "stderr_bytes": 0,
    }  # fmt: skip
    return Ended.read(facts | changes)


def report(**changes: Any) -> dict[str, Any]:
    reading = USAGE | {"rss_bytes": 900}
    facts: dict[str, Any] = {
        "protocol": 2, "command": "process", "provider": "own", "algorithm": "aes-128-ctr", "variant": "ref64",
        "input_bytes": 100, "padded_bytes": 112, "output_bytes": 112,
        "stamps_ns": {
            "main": SPAWN_NS + 1000, "load": SPAWN_NS + 2000, "key_setup": SPAWN_NS + 2600,
            "encrypt": SPAWN_NS + 4000, "decrypt": SPAWN_NS + 6000,
        },
        "begins_ns": {
            "load": SPAWN_NS + 1100, "key_setup": SPAWN_NS + 2500, "encrypt": SPAWN_NS + 3000,
            "decrypt": SPAWN_NS + 4500,
        },
        "phases": [reading | {"phase": name} for name in ("start", "load", "key_setup", "encrypt", "decrypt")],
        "peak_rss_bytes": 2000, "baseline_rss_bytes": 900, "buffers_bytes": 300,
        "cycles": {"encrypt": None, "decrypt": None, "reason": "perf_event_open: Permission denied"},
        "instructions": {"encrypt": 5, "decrypt": 6, "reason": None},
        "output_sha256": "a" * 64, "verified": True,
    }  # fmt: skip
    return facts | changes


def parsed(**changes: Any) -> ProcessReport:
    return parse_as(ProcessReport, json.dumps(report(**changes)).encode())


def read(said: ProcessReport, **changes: Any) -> RunnerReadings:
    return read_report(said, PHASES, ended(**changes), SPLIT)


class TestReadReport:
    def test_phase_times_count_from_their_own_begin(self) -> None:
        assert read(parsed()).phase_wall_ns == {"key_setup": 100, "encrypt": 1000, "decrypt": 1500}

    def test_work_ends_with_decryption_and_process_with_wait4(self) -> None:
        seen = read(parsed())

        assert seen.columns["work_wall_ns"] == 6000
        assert seen.columns["process_wall_ns"] == 10_000
        assert seen.readings["reporting_wall_ns"] == 4000
        assert seen.columns["work_cpu_ns"] == 23_000

    def test_work_behind_a_driver_begins_with_the_program_and_excludes_the_driver(self) -> None:
        seen = read(parsed(begun_ns=SPAWN_NS + 200, driver_cpu_ns=700))

        assert seen.columns["work_wall_ns"] == 5800
        assert seen.columns["process_wall_ns"] == 10_000
        assert seen.readings["start_wall_ns"] == read(parsed()).readings["start_wall_ns"] - 200
        assert seen.readings["driver_cpu_ns"] == seen.driver_cpu_ns == 700
        with pytest.raises(ProtocolMismatch, match="not in order"):
            read(parsed(begun_ns=SPAWN_NS - 1, driver_cpu_ns=700))

    def test_program_behind_a_driver_is_descheduled_within_its_phases_only(self) -> None:
        idle = USAGE | {"rss_bytes": 900, "begin": USAGE}
        phases = [idle | {"phase": name} for name in ("start", "load", "key_setup", "encrypt", "decrypt")]

        assert read(parsed(begun_ns=SPAWN_NS, phases=phases)).phases_descheduled_ns == 1000 + 900 + 100 + 1000 + 1500
        assert read(parsed(phases=phases)).phases_descheduled_ns is None

    def test_memory_is_separated_into_baseline_buffers_and_rest(self) -> None:
        assert read(parsed()).readings["rest_rss_bytes"] == 800

    def test_unknown_peak_is_null(self) -> None:
        seen = read(parsed(peak_rss_bytes=None))

        assert seen.columns["peak_rss_bytes"] is None
        assert seen.readings["rest_rss_bytes"] is None
        assert {"peak_rss_bytes", "rest_rss_bytes"} <= set(seen.absent)

    def test_time_between_the_phases_is_reported(self) -> None:
        assert read(parsed()).readings["between_phases_wall_ns"] == 100 + 500 + 400 + 500

    def test_read_bytes_exclude_the_runners_own_readings(self) -> None:
        io = {
            "read_bytes": 9000, "written_bytes": 0, "storage_read_bytes": 4096, "storage_written_bytes": 0,
            "instruments_read_bytes": 6500, "reason": None,
        }  # fmt: skip
        seen = read(parsed(io=io)).readings

        assert (seen["work_read_bytes"], seen["work_written_bytes"]) == (2500, 0)
        assert (seen["work_storage_read_bytes"], seen["work_storage_written_bytes"]) == (4096, 0)

    def test_missing_io_accounting_gives_null_with_the_reason(self) -> None:
        words = "/proc/self/io: No such file or directory"
        names = ("read_bytes", "written_bytes", "storage_read_bytes", "storage_written_bytes")
        seen = read(parsed(io={**dict.fromkeys(names), "instruments_read_bytes": 6500, "reason": words}))

        assert {f"work_{name}": words for name in names}.items() <= seen.absent.items()
        assert seen.readings["work_read_bytes"] is None

    def test_older_report_is_read_with_a_reason_for_every_missing_value(self) -> None:
        seen = read(parsed())

        assert [reading_refusal(name, value) for name, value in seen.readings.items()] == [None] * len(seen.readings)
        nulls = {name for name, value in (seen.columns | seen.readings).items() if value is None}
        assert nulls == set(seen.absent)
        assert {"work_read_bytes", "encrypt_minor_faults", "core_clock_hz", "encrypt_page_faults"} <= nulls

    def test_decreasing_stamps_are_refused(self) -> None:
        """Otherwise a runner with another clock would be the fastest."""
        stamps = report()["stamps_ns"] | {"encrypt": SPAWN_NS - 5}
        with pytest.raises(ProtocolMismatch, match="not in order"):
            read(parsed(stamps_ns=stamps))

    def test_work_that_ends_after_the_process_is_refused(self) -> None:
        with pytest.raises(ProtocolMismatch, match="not in order"):
            read(parsed(), end_ns=SPAWN_NS + 5999)

    def test_report_without_the_last_phase_is_refused(self) -> None:
        with pytest.raises(ProtocolMismatch, match="expected start, load, key_setup, encrypt, decrypt"):
            read(parsed(phases=report()["phases"][:4]))

    def test_operation_that_is_no_ciphers_is_a_phase_like_any_other(self) -> None:
        times = {"load": SPAWN_NS + 1100, "digest": SPAWN_NS + 2500}
        stamps = {"main": SPAWN_NS + 1000, "load": SPAWN_NS + 2000, "digest": SPAWN_NS + 2600}
        phases = [USAGE | {"phase": name, "rss_bytes": 900, "begin": USAGE} for name in ("start", "load", "digest")]
        counted = {"digest": 7, "reason": None}
        said = parsed(begins_ns=times, stamps_ns=stamps, phases=phases, cycles=counted, instructions=counted)
        seen = read_report(said, ["digest"], ended(), SPLIT)

        assert (seen.phase_wall_ns, seen.columns["work_wall_ns"]) == ({"digest": 100}, 2600)
        assert (seen.readings["digest_cycles"], seen.readings["cycles_per_instruction"]) == (7, 1)
        assert not [name for name, value in seen.readings.items() if reading_refusal(name, value, ["digest"])]
        with pytest.raises(ProtocolMismatch, match="expected load, key_setup, encrypt, decrypt"):
            read(said)


class TestParseReport:
    @pytest.mark.parametrize("output", [b"", b"garbage", b"{}", b"[1]", b"\xff\xfe", b'{"protocol": 2}'])
    def test_unparsable_output_is_refused_with_its_beginning(self, output: bytes) -> None:
        with pytest.raises(ProtocolMismatch, match=f"printed {len(output)} bytes"):
            parse_as(ProcessReport, output)
