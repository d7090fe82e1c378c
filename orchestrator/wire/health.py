"""Messages about a machine's fitness to measure: preflight reports, health checks, sensor samples."""

from typing import Annotated, Literal

from pydantic import Field, FiniteFloat, model_validator

from orchestrator.wire.base import ByteCount, Count, Line, Message, ProviderName, RunId, Sha256, Time

PositiveTime = Annotated[FiniteFloat, Field(gt=0)]


class SensorSample(Message):
    """Reading of a sensor, sent with a heartbeat."""

    sensor: str = Field(pattern=r"^[a-z0-9_]+( [ -~]{1,40})?$", max_length=64)
    """Quantity with its unit, then the location: ``temperature_celsius cpu-thermal``."""
    unit: Line = Field(max_length=16)
    read_at: Time
    value: FiniteFloat | None
    reason: Line = Field(default="", max_length=400)
    """Reason if the value is null."""


class PreflightResult(Message):
    """Result of one preflight check: the value found, the value expected, and a remedy."""

    name: str = Field(pattern=r"^[a-z]+(-[a-z]+)*$", max_length=40)
    """``governor``, ``turbo``, ``swap``, ``load`` …"""
    state: Literal["good", "poor", "unknown"]
    found: Line = Field(max_length=400)
    expected: Line = Field(max_length=400)
    remedy: Line = Field(default="", max_length=400)
    """Command or action that corrects the state; empty if it is good."""
    tunable: bool = False
    """True if ``ciphermark daemon tune`` can correct the state."""


class PreflightReportMessage(Message):
    """Preflight checks before the first job of a run or with a health check (POST /api/v1/preflight-reports)."""

    run_id: RunId | None
    checked_at: Time
    results: list[PreflightResult] = Field(min_length=1, max_length=64)


class ControlWorkload(Message):
    """Time of the control workload, which is always the same, so that a change shows a change of the machine."""

    provider: ProviderName
    algorithm: Line
    variant: Line
    input_bytes: ByteCount
    executions: Count
    median_work_wall_ns: PositiveTime
    low_work_wall_ns: PositiveTime | None
    """Limits of the 95 % interval of the median; null below 6 executions."""
    high_work_wall_ns: PositiveTime | None

    @model_validator(mode="after")
    def _median_within_its_interval(self) -> "ControlWorkload":
        low, high = self.low_work_wall_ns, self.high_work_wall_ns
        if (low is None) != (high is None):
            raise ValueError("an interval requires both limits or none")
        if low is not None and high is not None and not low <= self.median_work_wall_ns <= high:
            raise ValueError(f"the median {self.median_work_wall_ns} is outside of its interval, {low} to {high}")
        return self


class HealthCheckReport(Message):
    """Health check of an agent, which the service compares with earlier ones (POST /api/v1/health-checks)."""

    build_key: Sha256
    checked_at: Time
    control: ControlWorkload
    noise_floor: Annotated[FiniteFloat, Field(ge=0)] | None
    """Relative difference between two equal cases (0.01 is 1 %); null with its reason in ``absent``."""
    disturbed_share: float = Field(ge=0, le=1)
    """Share of the executions of this check with a disturbance mark."""
    throttled: list[Line] | None
    """Current states that the firmware reports: ``under-voltage``, ``throttled`` …; null without such a firmware."""
    temperature_celsius: FiniteFloat | None
    """Temperature of the hottest zone at the end of the check."""
    absent: dict[Line, Line] = {}
    """Reasons by field that is null."""


Health = Literal["unchecked", "healthy", "degraded", "quarantined"]
"""``degraded``: receives jobs, and its results are marked; ``quarantined``: receives no jobs until a check passes."""
