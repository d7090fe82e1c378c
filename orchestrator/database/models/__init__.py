"""The tables (docs/schema.md says who writes which). Units are in the names; absent is NULL with a reason beside it."""

from orchestrator.database.models.base import NAMING, Base, BigKey, UTCDateTime, now
from orchestrator.database.models.machines import (
    Agent,
    AwaitedBuild,
    Build,
    BuildRequest,
    Calibration,
    Footprint,
    HealthCheck,
    HygieneReport,
    Inventory,
    Proof,
    SensorReading,
)
from orchestrator.database.models.results import CaseSummary, Curve, DigestQuestion, Execution, ExpectedDigest, Timings
from orchestrator.database.models.runs import Case, Chunk, Job, Omission, Outbox, Run
from orchestrator.database.models.service import APIToken, Event, IdempotencyKey, Tick, WebSession

__all__ = [
    "NAMING",
    "APIToken",
    "Agent",
    "AwaitedBuild",
    "Base",
    "BigKey",
    "Build",
    "BuildRequest",
    "Calibration",
    "Case",
    "CaseSummary",
    "Chunk",
    "Curve",
    "DigestQuestion",
    "Event",
    "Execution",
    "ExpectedDigest",
    "Footprint",
    "HealthCheck",
    "HygieneReport",
    "IdempotencyKey",
    "Inventory",
    "Job",
    "Omission",
    "Outbox",
    "Proof",
    "Run",
    "SensorReading",
    "Tick",
    "Timings",
    "UTCDateTime",
    "WebSession",
    "now",
]
