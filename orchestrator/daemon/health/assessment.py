"""A check of the machine's health: the control workload, its noise floor, what the firmware and the sensors say."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from orchestrator.daemon.health.calibration import Control, floor_of
from orchestrator.measurement.sensors.base import Sensors
from orchestrator.measurement.sensors.throttling import throttled_now
from orchestrator.statistics.median import median, median_interval
from orchestrator.wire.builds import CalibrationReport
from orchestrator.wire.health import ControlWorkload, HealthCheckReport

_LONGEST_REASON = 400


@dataclass(frozen=True)
class HealthResult:
    """What a check amounts to for the service: the check, and the noise floor that it found."""

    check: HealthCheckReport
    floor: CalibrationReport


def assess_health(build_key: str, control: Control, sensors: Sensors) -> HealthResult:
    """Describe a control workload that was measured just now, and ask the sensors."""
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
        absent={name: reason[:_LONGEST_REASON] for name, reason in absent.items() if reason},
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
    """Return what the firmware holds back now, or None with the reason."""
    bits, reason = _values(sensors, "throttled_bits", "throttling")
    if not bits:
        return None, reason
    return sorted({words for value in bits for words in throttled_now(value)}), ""


def _hottest(sensors: Sensors) -> tuple[float | None, str]:
    celsius, reason = _values(sensors, "temperature_celsius", "temperature")
    return (max(celsius), "") if celsius else (None, reason)


def _values(sensors: Sensors, quantity: str, kind: str) -> tuple[Sequence[float], str]:
    """Return what the sensors of a quantity read now; where none reads anything, why."""
    found = [sensor.read() for sensor in sensors.of(quantity)]
    reasons = [one.reason for one in found] or [sensors.absent.get(kind, f"this machine has no sensor of {kind}")]
    return [one.value for one in found if one.value is not None], "; ".join(reason for reason in reasons if reason)
