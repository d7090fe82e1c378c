"""Heartbeats: every two seconds from a daemon. POST /api/v1/heartbeats."""

from typing import Literal

from pydantic import Field

from orchestrator.wire.base import Count, Message, SessionId, Sha256
from orchestrator.wire.builds import BuildOrder
from orchestrator.wire.health import SensorSample

INTERVAL_SECONDS = 2.0
LIVE_SECONDS = 7.0
"""An agent not heard for this long is silent; a second session is refused until the first one is."""


class HeldJob(Message):
    """A job that the daemon has taken from the queue and not finished."""

    job_id: int = Field(ge=1)
    attempt: int = Field(ge=0)
    """0 while it is not claimed yet."""
    done: Count = 0
    """Executions of it that are finished."""


class Heartbeat(Message):
    """I live, and this is what I hold."""

    session_id: SessionId
    state: Literal["preparing", "ready", "executing", "refusing"]
    activity: str = Field(default="", max_length=200)
    """One sentence for people: ``building runners``, ``job 12: 31 of 80``."""
    inventory_sha256: Sha256 | None = None
    jobs: list[HeldJob] = Field(default=[], max_length=1000)
    undelivered_records: Count = 0
    """Records measured and not yet delivered."""
    sensor_readings: list[SensorSample] = Field(default=[], max_length=1000)
    """Since the last heartbeat that was answered; the oldest are dropped where the service is away for long."""


class StopOrder(Message):
    """End this job: ``cancelled`` kills the runner at once, ``paused`` stops between executions."""

    job_id: int
    reason: Literal["cancelled", "paused"]


class HeartbeatResponse(Message):
    """What the service wants of the daemon."""

    stop: list[StopOrder] = []
    send_inventory: bool = False
    """The service does not know the inventory named in the heartbeat."""
    approved: bool = True
    check_health: bool = False
    """A check is due, or somebody asked for one: made between jobs; told again until it is reported."""
    builds: list[BuildOrder] = []
    """Toolchains that runs wait for; told again until their outcome is known."""
    keep_builds: list[Sha256] = []
    """Builds that unfinished runs of this agent name: not to be dropped from its cache."""
