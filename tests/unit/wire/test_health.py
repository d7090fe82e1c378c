"""Reports about a machine's fitness: finite values, times with a zone, a median within its interval."""

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from pydantic import ValidationError

from orchestrator.wire.health import ControlWorkload, PreflightResult, SensorSample
from tests.support.wire_messages import SENSOR_SAMPLES, returned

CONTROL: dict[str, Any] = {
    "provider": "own", "algorithm": "aes-128-ctr", "variant": "ref", "input_bytes": 1024, "executions": 20,
    "median_work_wall_ns": 100.0, "low_work_wall_ns": 99.0, "high_work_wall_ns": 101.0,
}  # fmt: skip
SAMPLE = {"sensor": "power_watts ina0", "unit": "W", "read_at": "2026-11-01T10:00:00Z", "value": 3.5}


class TestSensorSample:
    @given(SENSOR_SAMPLES)
    def test_sample_survives_json(self, sample: SensorSample) -> None:
        assert returned(sample) == sample

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), "much"])
    def test_value_is_finite(self, value: object) -> None:
        with pytest.raises(ValidationError):
            SensorSample.model_validate(SAMPLE | {"value": value})

    def test_time_has_a_zone(self) -> None:
        with pytest.raises(ValidationError, match="time zone"):
            SensorSample.model_validate(SAMPLE | {"read_at": datetime(2026, 11, 1)})  # noqa: DTZ001

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


@pytest.mark.parametrize(("name", "valid"), [("swap", True), ("cpu-governor", True), ("Swap", False), ("swap-", False)])
def test_preflight_checks_have_kebab_case_names(name: str, valid: bool) -> None:
    fields = {"name": name, "state": "good", "found": "off", "expected": "off"}
    if valid:
        assert PreflightResult.model_validate(fields).name == name
    else:
        with pytest.raises(ValidationError):
            PreflightResult.model_validate(fields)
