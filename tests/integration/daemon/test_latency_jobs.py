"""Latency cases with real runners: measured, rejected, or found wrong."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest

from orchestrator.daemon.jobs.records import record_of
from orchestrator.measurement.instrument.measure import Instrument
from orchestrator.wire.records import Record
from tests.support.daemon_bench import DaemonBench, a_latency_job
from tests.unit.measurement.runner.test_latency_report import COMMAND, report, timing

pytestmark = pytest.mark.untraced


@pytest.fixture
def measured(bench: DaemonBench) -> list[Record]:
    """Records of a job, two of each case."""
    assert bench.execute(a_latency_job(bench.build)) == "done"
    return bench.records()


class TestExecute:
    def test_every_execution_is_measured_once(self, measured: list[Record]) -> None:
        assert [(record.case_id, record.repetition) for record in measured] == [
            (case_id, repetition) for repetition in (1, 2) for case_id in (1, 2, 3)
        ]
        assert {(record.state, record.failure) for record in measured} == {("ok", None)}

    def test_call_time_is_the_median_of_its_timings(self, measured: list[Record]) -> None:
        for record in measured:
            timings = record.timings
            assert timings is not None
            assert len(timings.iterations) == 3
            pairs = zip(timings.wall_ns, timings.iterations, strict=True)
            assert record.call_wall_ns == pytest.approx(median(wall / n for wall, n in pairs))
            assert 5 < (record.call_wall_ns or 0) < 1_000_000
            assert (record.call_cpu_ns or 0) > 0
            assert record.readings["timed_calls"] == sum(timings.iterations)

    def test_only_encryptions_have_a_ciphertext(self, measured: list[Record]) -> None:
        digests = {record.case_id: record.output_sha256 for record in measured}
        assert digests[1] is not None
        assert (digests[2], digests[3]) == (None, None)
        assert len({record.output_sha256 for record in measured if record.case_id == 1}) == 1

    def test_latency_needs_no_chunk_and_is_sampled(self, measured: list[Record]) -> None:
        assert all(record.input_bytes is None for record in measured)
        # On a busy machine a short execution may end before the first sample; the reason is recorded.
        for record in measured:
            seen = record.curve is not None and bool(record.curve.at_ns)
            assert seen or record.absent["curve_peak_rss_bytes"]
        assert any(record.curve is not None for record in measured)


PRINTER = "#include <stdio.h>\nint main(void) { return fputs(TEXT, stdout) < 0; }"


class TestImpossible:
    def test_timing_below_the_lower_bound_is_wrong(
        self, instrument: Instrument, bench: DaemonBench, tmp_path: Path
    ) -> None:
        """The program reports a verified encryption in 300 cycles; the cipher takes at least 500 on any machine."""
        quick = timing(100_100, derived_cycles=300_000.0, impossible=True)
        text = json.dumps(json.dumps(report(timings=[quick] * 3)))
        program = tmp_path / "boaster"
        compiler = ["gcc", "-O1", "-static", f"-DTEXT={text}", "-x", "c", "-o", str(program), "-"]
        subprocess.run(compiler, input=PRINTER, text=True, check=True)
        job = a_latency_job(bench.build)

        seen = instrument.measure(replace(COMMAND, program=program))
        record = record_of(bench.context(job), job.executions[0], seen)

        assert record.state == "wrong"
        assert record.failure is not None
        assert record.failure.error == "impossible-timing"
        assert "300.0 in the fastest one, expected 500 or more" in record.failure.detail
        assert record.call_wall_ns == pytest.approx(100.1)
