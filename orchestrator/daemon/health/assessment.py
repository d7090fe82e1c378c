"""Assessment of the machine's health from the control workload, its noise floor, the firmware, and the sensors."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from orchestrator.daemon.health.calibration import Control, floor_of
from orchestrator.measurement.sensors.base import Sensors
from orchestrator.measurement.sensors.throttling import throttled_now
from orchestrator.statistics.median import median, median_interval
from orchestrator.wire.builds import CalibrationReport
from orchestrator.wire.health import ControlWorkload, HealthCheckReport

_MAX_REASON_CHARACTERS = 400


@dataclass(frozen=True)
class HealthResult:
    """Result of a health check: the report, and the noise floor measured with it."""

    check: HealthCheckReport
    floor: CalibrationReport


def assess_health(build_key: str, control: Control, sensors: Sensors) -> HealthResult:
    """Return the result for a control workload that was just measured, with current sensor readings."""
    floor, absent = floor_of(build_key, control), {}
    throttled, absent["throttled"] = _throttled(sensors)
    celsius, absent["temperature_celsius"] = _hottest(sensors)
    executions = control.pairs.executions
    check = HealthCheckReport(
        build_key=build_key,
        checked_at=datetime.now(UTC),
        control=_workload(control),
        noise_floor=floor.value,
        disturbed_share=sum(one.disturbed for one in executions) / len(executions),
        throttled=throttled,
        temperature_celsius=celsius,
        absent={name: reason[:_MAX_REASON_CHARACTERS] for name, reason in absent.items() if reason},
    )
    return HealthResult(check, floor)


def _workload(control: Control) -> ControlWorkload:
    walls_ns = control.pairs.walls_ns
    interval = median_interval(walls_ns)
    return ControlWorkload(
        provider=control.command.provider,
        algorithm=control.command.algorithm,
        variant=control.command.variant,
        input_bytes=control.command.input_bytes,
        executions=len(walls_ns),
        median_work_wall_ns=median(walls_ns),
        low_work_wall_ns=interval.low if interval else None,
        high_work_wall_ns=interval.high if interval else None,
    )


def _throttled(sensors: Sensors) -> tuple[list[str] | None, str]:
    """Return the active kinds of throttling, or None with the reason."""
    bits, reason = _values(sensors, "throttled_bits", "throttling")
    if not bits:
        return None, reason
    return sorted({kind for value in bits for kind in throttled_now(value)}), ""


def _hottest(sensors: Sensors) -> tuple[float | None, str]:
    celsius, reason = _values(sensors, "temperature_celsius", "temperature")
    return (max(celsius), "") if celsius else (None, reason)


def _values(sensors: Sensors, quantity: str, kind: str) -> tuple[Sequence[float], str]:
    """Return the current readings of a quantity, and the reasons of the sensors without a reading."""
    readings = [sensor.read() for sensor in sensors.of(quantity)]
    reasons = [reading.reason for reading in readings] or [
        sensors.absent.get(kind, f"this machine has no sensor of {kind}")
    ]
    return [reading.value for reading in readings if reading.value is not None], "; ".join(
        reason for reason in reasons if reason
    )
