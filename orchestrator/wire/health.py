"""Messages about a machine's fitness to measure: preflight reports, health checks, sensor samples."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, FiniteFloat, model_validator

from orchestrator.wire.base import ByteCount, Count, Message, ProviderName, RunId, Sha256

PositiveTime = Annotated[FiniteFloat, Field(gt=0)]


class SensorSample(Message):
    """One reading of the agent's own time line; it travels with a heartbeat."""

    sensor: str = Field(pattern=r"^[a-z0-9_]+( [ -~]{1,40})?$", max_length=64)
    """Quantity with its unit, then the place: ``temperature_celsius cpu-thermal``."""
    unit: str = Field(max_length=16)
    read_at: AwareDatetime
    value: FiniteFloat | None
    reason: str = Field(default="", max_length=400)
    """Why the value is null."""


class PreflightResult(Message):
    """One condition of good measuring, as it was found."""

    name: str = Field(pattern=r"^[a-z]+(-[a-z]+)*$", max_length=40)
    """``governor``, ``turbo``, ``swap``, ``load`` …"""
    state: Literal["good", "poor", "unknown"]
    found: str = Field(max_length=400)
    expected: str = Field(max_length=400)
    remedy: str = Field(default="", max_length=400)
    """What to type or do; empty where it is good."""
    tunable: bool = False
    """``ciphermark daemon tune`` changes it, where it may."""


class PreflightReportMessage(Message):
    """POST /api/v1/preflight-reports: before the first job of a run, and with each health check."""

    run_id: RunId | None
    checked_at: AwareDatetime
    results: list[PreflightResult] = Field(min_length=1, max_length=64)


class ControlWorkload(Message):
    """The same work each time: what it takes tells whether the machine is still the one it was."""

    provider: ProviderName
    algorithm: str
    variant: str
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
            raise ValueError("an interval has both limits or none")
        if low is not None and high is not None and not low <= self.median_work_wall_ns <= high:
            raise ValueError(f"the median {self.median_work_wall_ns} lies outside its interval, {low} to {high}")
        return self


class HealthCheckReport(Message):
    """POST /api/v1/health-checks: what a daemon found; the service judges it against earlier ones."""

    build_key: Sha256
    checked_at: AwareDatetime
    control: ControlWorkload
    noise_floor: Annotated[FiniteFloat, Field(ge=0)] | None
    """Relative difference of the same against itself (0.01 is 1 %); null with its reason in ``absent``."""
    disturbed_share: float = Field(ge=0, le=1)
    """Of the executions of this check, those with a disturbance mark."""
    throttled: list[str] | None
    """What the firmware says happens now: ``under-voltage``, ``throttled`` …; null where nothing can be asked."""
    temperature_celsius: FiniteFloat | None
    """Of the hottest zone, at the end of the check."""
    absent: dict[str, str] = {}
    """Field → why it is null."""


Health = Literal["unchecked", "healthy", "degraded", "quarantined"]
"""``degraded`` still gets jobs and its results say so; ``quarantined`` gets none until a check is clean again."""
