"""Heartbeats: the state that a daemon reports every two seconds (POST /api/v1/heartbeats), and the response."""

from typing import Literal

from pydantic import Field

from orchestrator.wire.base import Line, Message, SessionId, Sha256, StoredCount, Text
from orchestrator.wire.builds import BuildOrder
from orchestrator.wire.health import SensorSample

INTERVAL_SECONDS = 2.0
LIVE_SECONDS = 7.0
"""Age of the last heartbeat above which an agent is silent; until then, other sessions of it are refused."""
MAX_NOTICE_CHARACTERS = 500


class HeldJob(Message):
    """Job that the daemon has taken from the queue and not finished."""

    job_id: int = Field(ge=1, lt=2**63)
    attempt: StoredCount
    """Number of the claim; 0 before it."""
    done: StoredCount = 0
    """Number of its finished executions."""


class Heartbeat(Message):
    """State of a daemon: its session, its jobs, undelivered records and new sensor readings."""

    session_id: SessionId
    state: Literal["preparing", "ready", "executing", "refusing"]
    activity: Line = Field(default="", max_length=200)
    """Description for users: ``building runners``, ``job 12: 31 of 80``."""
    notice: Text = Field(default="", max_length=MAX_NOTICE_CHARACTERS)
    """What the user must know about this machine: a nearly full disk, a damaged journal."""
    inventory_sha256: Sha256 | None = None
    jobs: list[HeldJob] = Field(default=[], max_length=1000)
    undelivered_records: StoredCount = 0
    """Number of records that were measured and not delivered yet."""
    sensor_readings: list[SensorSample] = Field(default=[], max_length=1000)
    """Readings since the last acknowledged heartbeat; the oldest are dropped during a long outage of the service."""


class StopOrder(Message):
    """Order to end a job: ``cancelled`` kills the runner immediately, ``paused`` stops between two executions."""

    job_id: int
    reason: Literal["cancelled", "paused"]


class HeartbeatResponse(Message):
    """Orders for the daemon."""

    database_epoch: Line | None = Field(default=None, max_length=32)
    """Generation of the service's database. If it changed, a backup was restored: recent records are sent again."""
    stop: list[StopOrder] = []
    send_inventory: bool = False
    """The inventory of the heartbeat is not stored on the service."""
    approved: bool = True
    rotate_token: bool = False
    """The agent's token is old; the daemon replaces it (POST /api/v1/tokens/self/rotate). Repeated until it did."""
    check_health: bool = False
    """A health check is due or requested; the daemon makes it between two jobs. Repeated until it is reported."""
    builds: list[BuildOrder] = []
    """Builds that runs wait for. Repeated until their outcome is reported."""
    keep_builds: list[Sha256] = []
    """Keys of builds that unfinished runs use and that the daemon must keep in its cache."""
