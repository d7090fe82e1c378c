"""Tables (docs/schema.md lists their writers). Names contain the units; absent values are NULL with a reason."""

from orchestrator.database.models.base import NAMING, Base, BigKey, UTCDateTime, now
from orchestrator.database.models.machines import (
    Agent,
    AwaitedBuild,
    Build,
    BuildRequest,
    Calibration,
    Footprint,
    HealthCheck,
    Inventory,
    PreflightReport,
    Proof,
    SensorReading,
)
from orchestrator.database.models.results import (
    CaseStatistics,
    Curve,
    Execution,
    ExpectedDigest,
    PendingDigest,
    Timings,
)
from orchestrator.database.models.runs import AwaitedChunk, Case, Chunk, ChunkRequest, Job, Omission, Outbox, Run
from orchestrator.database.models.service import APIToken, Event, IdempotencyKey, Tick, WebSession

__all__ = [
    "NAMING",
    "APIToken",
    "Agent",
    "AwaitedBuild",
    "AwaitedChunk",
    "Base",
    "BigKey",
    "Build",
    "BuildRequest",
    "Calibration",
    "Case",
    "CaseStatistics",
    "Chunk",
    "ChunkRequest",
    "Curve",
    "Event",
    "Execution",
    "ExpectedDigest",
    "Footprint",
    "HealthCheck",
    "IdempotencyKey",
    "Inventory",
    "Job",
    "Omission",
    "Outbox",
    "PendingDigest",
    "PreflightReport",
    "Proof",
    "Run",
    "SensorReading",
    "Tick",
    "Timings",
    "UTCDateTime",
    "WebSession",
    "now",
]
