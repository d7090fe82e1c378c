"""Assessment of the machine's health from the control workload, its noise floor, the firmware, and the sensors."""

from dataclasses import dataclass
from datetime import UTC, datetime

from orchestrator.daemon.health.calibration import Control, floor_of
from orchestrator.measurement.instrument.surroundings import SurroundingsWatch
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
    floor, around = floor_of(build_key, control), SurroundingsWatch(sensors).state()
    bits, celsius = around.throttled, around.temperature
    absent = {"throttled": bits.reason, "temperature_celsius": celsius.reason}
    executions = control.pairs.executions
    check = HealthCheckReport(
        build_key=build_key,
        checked_at=datetime.now(UTC),
        control=_workload(control),
        noise_floor=floor.value,
        disturbed_share=sum(one.disturbed for one in executions) / len(executions),
        throttled=None if bits.value is None else sorted(throttled_now(bits.value)),
        temperature_celsius=celsius.value,
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
