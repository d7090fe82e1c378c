"""Answers of the agent endpoints."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from orchestrator.wire.agents import Inventory


class AgentAnswer(BaseModel):
    """One machine in the list."""

    id: str
    name: str
    enrolled_at: datetime
    approved_at: datetime | None
    revoked_at: datetime | None
    liveness: Literal["live", "silent"]
    """live: heard within the last seconds."""
    heard_at: datetime | None
    state: str
    """As the last heartbeat said: enrolled, preparing, ready, executing, refusing."""
    doing: str
    held_jobs: list[int]
    spool_records: int
    """Records measured and not delivered yet."""
    device_model: str | None
    processor: str | None
    architecture: str | None
    emulated: bool | None
    """Null before the first inventory."""


class BuildSummary(BaseModel):
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
    left_out: dict[str, str]
    proofs_passed: int
    proofs_failed: int
    reported_at: datetime


class CalibrationAnswer(BaseModel):
    """What measuring itself costs."""

    model_config = ConfigDict(from_attributes=True)

    build_id: int
    kind: str
    value: float
    unit: str
    detail: dict[str, Any]
    calibrated_at: datetime


class AgentDetail(AgentAnswer):
    """One machine with its facts."""

    inventory: Inventory | None
    builds: list[BuildSummary]
    calibrations: list[CalibrationAnswer]


class InventoryAnswer(BaseModel):
    """The facts of a machine as they were detected at one time."""

    id: int
    sha256: str
    detected_at: datetime
    inventory: Inventory


class InventoryReceipt(BaseModel):
    """The inventory is stored, now or before."""

    id: int
    sha256: str
