"""Readings of ``process`` besides times: resources by phase, bytes, counters, derived cycles; and controls."""

import hashlib
from itertools import pairwise
from pathlib import Path

import pytest

from orchestrator.shared.units import MIB
from orchestrator.wire.runners import FURTHER_COUNTERS, LatencyReport, ProcessReport
from tests.integration.native.conftest import alone
from tests.support.runner_programs import Runner, build_planted


@pytest.fixture
def chunk(tmp_path: Path) -> Path:
    path = tmp_path / "chunk"
    path.write_bytes(hashlib.shake_256(b"chunk").digest(MIB))
    return path


def noop(runner: Runner, chunk: Path) -> ProcessReport:
    return ProcessReport.model_validate_json(runner.call("noop", "--in", chunk).stdout)


class TestPhases:
    def test_each_begins_where_the_readings_before_it_ended(self, own: Runner, chunk: Path) -> None:
        phases = own.process("aes-128-ctr", chunk)["phases"]
        assert phases[0]["begin"] is None
        for before, phase in pairwise(phases):
            for name, begin in phase["begin"].items():
                assert before[name] <= begin <= phase[name], (phase["phase"], name)


class TestInputOutput:
    def test_bytes_read_grow_by_the_file_alone(self, own: Runner, chunk: Path) -> None:
        def read_bytes() -> int:
            io = noop(own, chunk).io
            assert io is not None
            assert io.reason is None
            assert io.written_bytes == 0
            assert io.read_bytes is not None
            return io.read_bytes - io.instruments_read_bytes

        with_file = read_bytes()
        chunk.write_bytes(b"")
        assert with_file - read_bytes() == MIB


class TestCounters:
    def test_each_is_a_number_or_absent_with_the_reason(self, own: Runner, chunk: Path) -> None:
        report = own.process("aes-128-ctr", chunk)
        every = report["counters"] | {name: report[name] for name in ("cycles", "instructions")}
        assert tuple(report["counters"]) == FURTHER_COUNTERS
        for name, counts in every.items():
            assert {counts[phase] is None for phase in ("encrypt", "decrypt")} == {counts["reason"] is not None}, name
            assert counts["reason"] is None or counts["reason"].startswith(("perf_event_open: ", "multiplexed: "))

    def test_latency_counts_by_timing(self, own: Runner) -> None:
        options = ("--operation", "encrypt", "--length", "64", "--timings", "3", "--min-time-ms", "0.1")
        ended = own.call("latency", "--algorithm", "ascon-128", *options)
        report = LatencyReport.model_validate_json(ended.stdout)
        assert tuple(report.counter_reasons) == FURTHER_COUNTERS
        for timing in report.timings:
            assert tuple(timing.counters) == FURTHER_COUNTERS
            clock_ns = timing.counters["task_clock_ns"]
            assert (clock_ns is None) == (report.counter_reasons["task_clock_ns"] is not None)
            # The counter runs from just before the CPU clock to just after it.
            assert clock_ns is None or clock_ns >= timing.cpu_ns * 0.9


class TestDerivedCycles:
    @pytest.mark.parametrize("algorithm", ["chacha20-256", "noop"])
    def test_they_are_no_more_than_wall_time_by_the_clock(self, own: Runner, chunk: Path, algorithm: str) -> None:
        report = noop(own, chunk)
        if algorithm != "noop":
            report = ProcessReport.model_validate(own.process(algorithm, chunk))
        clock, derived = report.core_clock, report.derived_cycles
        assert clock is not None
        assert derived is not None
        assert (clock.hz is None) == (clock.reason is not None) == (derived.encrypt is None)
        assert report.clock_probe_wall_ns
        if clock.hz is not None and derived.encrypt is not None:
            wall_ns = report.stamps_ns["encrypt"] - report.begins_ns["encrypt"]
            assert 0 < derived.encrypt <= wall_ns * clock.hz / 1e9 * 1.000001


@pytest.mark.parametrize(
    ("disguise", "name"), [("control", "cryptopp"), pytest.param("slower", "botan", marks=pytest.mark.long)]
)
def test_a_disguised_runner_is_right_under_another_name(disguise: str, name: str, own: Runner, chunk: Path) -> None:
    """Controls whose difference from the genuine runner is known: none, or 2 %."""
    with alone("tests"):
        disguised = Runner(build_planted(name, disguise))
    said = disguised.list()
    assert (said["provider"], said["build"]["planted"]) == (name, disguise)
    assert disguised.call("kat", "--algorithm", "ascon-128").returncode == 0
    for algorithm in ("aes-192-cbc", "chacha20-poly1305", "3des-192-cbc"):
        theirs, ours = (each.process(algorithm, chunk) for each in (disguised, own))
        for key in ("verified", "output_sha256"):
            assert theirs[key] == ours[key]
