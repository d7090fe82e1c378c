"""Records have a result or a failure, and the columns of curves and timings have one length."""

from typing import Any

import pytest
from hypothesis import given
from pydantic import ValidationError

from orchestrator.wire.records import CurveSamples, Record, RecordBatch, TimingSeries
from tests.support.wire_messages import curve_samples, returned

RECORD: dict[str, Any] = {
    "case_id": 1, "repetition": 1, "position": 0, "job_id": 1, "attempt": 1, "session_id": "0" * 32,
    "inventory_sha256": "1" * 64, "started_at": "2026-11-01T10:00:00Z", "state": "ok",
}  # fmt: skip
PROCESS = {"work_wall_ns": 10, "output_sha256": "2" * 64}
TIMINGS: dict[str, Any] = {
    "iterations": [1, 2], "wall_ns": [5, 6], "cpu_ns": [5, 6], "cycles": [None, 9], "instructions": [None, None],
    "core_clock_hz": [3e9, None], "derived_cycles": [None, 1.5],
}  # fmt: skip
FAILURE = {"error": "runner-crashed", "detail": "signal 11", "signal": 11}


class TestRecord:
    @pytest.mark.parametrize(
        "fields",
        [PROCESS, {"call_wall_ns": 1.5, "timings": TIMINGS}, {"state": "failed", "failure": FAILURE},
         {"state": "skipped", "failure": FAILURE}, {"state": "wrong"}],
    )  # fmt: skip
    def test_result_or_failure_survives_json(self, fields: dict[str, Any]) -> None:
        record = Record.model_validate(RECORD | fields)

        assert returned(record) == record

    @pytest.mark.parametrize(
        "fields",
        [{}, {"work_wall_ns": 10}, {"output_sha256": "2" * 64}, {"call_wall_ns": 1.5}, {"timings": TIMINGS},
         {"state": "failed"}, {"state": "skipped"}, PROCESS | {"work_wall_ns": -1},
         PROCESS | {"disturbances": ["x"] * 33}, {"state": "disputed"}],
    )  # fmt: skip
    def test_record_without_its_result_or_reason_is_refused(self, fields: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            Record.model_validate(RECORD | fields)

    @pytest.mark.parametrize("count", [0, 1001])
    def test_batch_has_1_to_1000_records(self, count: int) -> None:
        with pytest.raises(ValidationError):
            RecordBatch.model_validate({"records": [RECORD | PROCESS] * count})


class TestCurveSamples:
    @given(curve_samples())
    def test_curve_survives_json(self, curve: CurveSamples) -> None:
        assert returned(curve) == curve

    @pytest.mark.parametrize("column", ["rss_bytes", "cpu_ns", "threads"])
    def test_column_is_complete_or_empty(self, column: str) -> None:
        assert CurveSamples.model_validate({"at_ns": [1, 2], column: [3, 4]})
        with pytest.raises(ValidationError, match=f"column {column} has 1 values, expected 2"):
            CurveSamples.model_validate({"at_ns": [1, 2], column: [3]})


class TestTimingSeries:
    @pytest.mark.parametrize("column", sorted(set(TIMINGS) - {"iterations"}))
    def test_every_column_has_one_value_per_timing(self, column: str) -> None:
        with pytest.raises(ValidationError, match=f"column {column} has 1 values, expected 2"):
            TimingSeries.model_validate(TIMINGS | {column: TIMINGS[column][:1]})

    def test_timing_has_at_least_one_iteration(self) -> None:
        with pytest.raises(ValidationError):
            TimingSeries.model_validate(TIMINGS | {"iterations": [0, 1]})
