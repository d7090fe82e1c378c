"""Reports about a machine's fitness: finite values, times with a zone, a median within its interval."""

from typing import Any

import pytest
from pydantic import ValidationError

from orchestrator.wire.health import ControlWorkload, SensorSample
from tests.support.wire_messages import returned

CONTROL: dict[str, Any] = {
    "provider": "own", "algorithm": "aes-128-ctr", "variant": "ref", "input_bytes": 1024, "executions": 20,
    "median_work_wall_ns": 100.0, "low_work_wall_ns": 99.0, "high_work_wall_ns": 101.0,
}  # fmt: skip
SAMPLE = {"sensor": "power_watts ina0", "unit": "W", "read_at": "2026-11-01T10:00:00Z", "value": 3.5}


class TestSensorSample:
    @pytest.mark.parametrize("value", [float("nan"), float("inf"), "much"])
    def test_value_is_finite(self, value: object) -> None:
        with pytest.raises(ValidationError):
            SensorSample.model_validate(SAMPLE | {"value": value})

    @pytest.mark.parametrize("sensor", ["", "Power", "power\x1b[31m", "power ", "a" * 65])
    def test_name_is_printable_and_short(self, sensor: str) -> None:
        with pytest.raises(ValidationError):
            SensorSample.model_validate(SAMPLE | {"sensor": sensor})


class TestControlWorkload:
    def test_interval_contains_the_median(self) -> None:
        workload = ControlWorkload.model_validate(CONTROL)

        assert returned(workload) == workload

    @pytest.mark.parametrize(
        "change",
        [{"median_work_wall_ns": 98.0}, {"median_work_wall_ns": 102.0}, {"low_work_wall_ns": None},
         {"high_work_wall_ns": None}, {"median_work_wall_ns": 0.0}, {"low_work_wall_ns": float("nan")}],
    )  # fmt: skip
    def test_impossible_interval_is_refused(self, change: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            ControlWorkload.model_validate(CONTROL | change)
