"""Answers of the agent endpoints."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from orchestrator.wire.agents import InventoryFacts
from orchestrator.wire.health import ControlWorkload, Health


class AgentSummary(BaseModel):
    """One machine in the list."""

    id: str
    name: str
    enrolled_at: datetime
    approved_at: datetime | None
    revoked_at: datetime | None
    liveness: Literal["live", "silent"]
    """live: heard within the last seconds."""
    last_heartbeat_at: datetime | None
    state: str
    """As the last heartbeat said: enrolled, preparing, ready, executing, refusing."""
    activity: str
    held_jobs: list[int]
    undelivered_records: int
    """Records measured and not delivered yet."""
    device_model: str | None
    processor: str | None
    architecture: str | None
    memory_bytes: int | None
    emulated: bool | None
    """Null before the first inventory."""
    health: Health
    """As the latest check was judged; a quarantined agent gets no jobs."""
    health_reason: str
    """Why it is degraded or quarantined."""
    health_checked_at: datetime | None
    health_check_requested: bool
    """A check was asked for and is not reported yet."""


class AgentBuild(BaseModel):
    """One build of an agent."""

    id: int
    build_key: str
    toolchain: dict[str, Any]
    toolchain_words: str
    compiler_version: str
    prebuilt: bool
    current: bool
    is_default: bool
    failure: str | None
    """Why the toolchain made nothing; null for a build that can be executed."""
    providers: list[str]
    missing_providers: dict[str, str]
    proofs_passed: int
    proofs_failed: int
    reported_at: datetime


class CalibrationSummary(BaseModel):
    """What measuring itself costs."""

    model_config = ConfigDict(from_attributes=True)

    build_id: int
    toolchain_words: str
    """Of the build: ``gcc 12 -O3``."""
    of_default_build: bool
    kind: str
    value: float
    unit: str
    detail: dict[str, Any]
    calibrated_at: datetime


class AgentDevice(AgentSummary):
    """One machine with its present inventory and the latest calibration of each build and kind."""

    inventory: InventoryFacts | None
    detected_at: datetime | None
    calibrations: list[CalibrationSummary]


class AgentDetail(AgentDevice):
    """One machine with its facts and its builds."""

    builds: list[AgentBuild]


class InventoryDetail(BaseModel):
    """The facts of a machine as they were detected at one time."""

    id: int
    sha256: str
    detected_at: datetime
    inventory: InventoryFacts


class InventoryCreated(BaseModel):
    """The inventory is stored, now or before."""

    id: int
    sha256: str


class HealthCheckRequested(BaseModel):
    """What somebody wants of an agent's health."""

    model_config = ConfigDict(extra="forbid")

    accept: bool = False
    """Take the speed of the latest check for the normal one, from now on; needs an admin. Asks for no new check."""


class HealthCheckCreated(BaseModel):
    """The check is stored, now or before."""

    id: int
    state: str
    """What it was judged: healthy, degraded, quarantined."""
    reason: str


class HealthCheckSummary(BaseModel):
    """One check of an agent's health."""

    id: int
    build_key: str
    checked_at: datetime
    state: str
    reason: str
    drift: float | None
    """Control time / that of the steady checks of the same build, workload and machine - 1; null without any."""
    accepted: bool
    """Not a check by itself: an admin took the one before for the new normal."""
    control: ControlWorkload
    noise_floor: float | None
    """Relative difference of the same against itself."""
    disturbed_share: float
    throttled: list[str] | None
    temperature_celsius: float | None
    absent: dict[str, str]
    """Field → why it is null."""


class SensorReadingSummary(BaseModel):
    """One reading of an agent's own time line."""

    model_config = ConfigDict(from_attributes=True)

    sensor: str
    unit: str
    read_at: datetime
    value: float | None
    reason: str
    """Why the value is null."""
