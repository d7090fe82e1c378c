"""Requests and responses of the agent endpoints."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from orchestrator.builds.schemas import BuildSummary
from orchestrator.service.trust.kinds import Kind
from orchestrator.shared.values.models import LazyModel
from orchestrator.wire.agents import MAX_LABELS, AgentLabel, AgentName, InventoryFacts
from orchestrator.wire.base import Message, Text
from orchestrator.wire.health import Health, HealthCheckReport


class InvitationRequest(Message):
    """Invitation of one device."""

    name: AgentName | None = Field(default=None, examples=["pi-attic"])
    """Name of the agent; by default the device sends its host name."""
    labels: list[AgentLabel] = Field(default=[], max_length=10, examples=[["kitchen"]])
    """Labels of the agent, for users."""
    expires_in_seconds: int | None = Field(default=None, ge=60, le=7 * 86_400)
    """Validity of the join code; at most, and by default, an hour."""
    systemd: bool = False
    """The command installs the daemon as a systemd unit."""


class InvitationCreated(LazyModel):
    """Invitation with its join code. Only this response contains the code."""

    id: str
    """Id of the join token, to revoke it."""
    name: str | None
    labels: list[str]
    expires_at: datetime
    server: str
    """Address of the service in the command."""
    this_machine_only: bool
    """True if the service listens on loopback, so that no other device can reach it."""
    code: str
    """Join code: for one device, once."""
    script_sha256: str
    """SHA-256 of the script that the command downloads."""
    service_key: str
    """Public key with which the device verifies the programs that it downloads; the script contains it."""
    command: str
    """Command line for the device."""


class AgentChange(Message):
    """New values of an agent; values that are left out or null stay."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"labels": ["kitchen", "fanless"]}]})

    name: AgentName | None = None
    labels: list[AgentLabel] | None = Field(default=None, max_length=MAX_LABELS)
    """All labels of the agent, in place of the present ones."""
    notes: Annotated[Text, Field(max_length=4000)] | None = None


class AgentSummary(LazyModel):
    """State of an agent."""

    id: str
    name: str
    labels: list[str]
    """Plans can require them."""
    notes: str
    """Notes of admins."""
    enrolled_at: datetime
    approved_at: datetime | None
    revoked_at: datetime | None
    queue_closed_reason: str | None
    """Why the service cut the agent off from the queue; null while it is connected. An approval connects it again."""
    liveness: Literal["live", "silent"]
    """live: the last heartbeat arrived within the last 7 s."""
    last_heartbeat_at: datetime | None
    state: str
    """State in the last heartbeat: enrolled, preparing, ready, executing or refusing."""
    activity: str
    notice: str
    """What the user must know about the machine, from the last heartbeat: a nearly full disk, a damaged journal."""
    held_jobs: list[int]
    undelivered_records: int
    """Number of records that the daemon has measured and not delivered yet."""
    device_model: str | None
    processor: str | None
    architecture: str | None
    features: list[str]
    """Features of the processor, as ``/proc/cpuinfo`` names them; plans can require them. Empty before an inventory."""
    memory_bytes: int | None
    emulated: bool | None
    """Whether the processor is emulated; null before the first inventory."""
    health: Health
    """Judgment of the latest health check; a quarantined agent receives no jobs."""
    health_reason: str
    """Reason for the state degraded or quarantined."""
    distrusted_at: datetime | None
    """Time of its first proven false report; null for an agent that is believed. Only an admin ends this quarantine."""
    health_checked_at: datetime | None
    health_check_requested: bool
    """A health check was requested and is not reported yet."""

    @property
    def live(self) -> bool:
        """Return whether the last heartbeat is recent enough."""
        return self.liveness == "live"


class CalibrationSummary(LazyModel):
    """Overhead of measuring on a build: the cost of the probe, of `noop`, or the noise floor."""

    build_id: int
    toolchain_words: str
    """Toolchain of the build: ``gcc 12 -O3``."""
    of_default_build: bool
    kind: str
    value: float
    unit: str
    detail: dict[str, Any]
    calibrated_at: datetime


class FalseReportSummary(LazyModel):
    """Report of an agent that cannot be true: the first of its kind, and how many followed."""

    kind: Kind
    proven: bool
    """False for what an honest agent can send too; only a proven report quarantines."""
    detail: str
    """The first report since the agent was last trusted: the value seen and the value expected."""
    evidence: dict[str, Any]
    times: int
    first_at: datetime
    last_at: datetime
    lifted_at: datetime | None
    """Time at which an admin trusted the agent again."""


class AgentDevice(AgentSummary):
    """One machine with its present inventory and the latest calibration of each build and kind."""

    inventory: InventoryFacts | None
    detected_at: datetime | None
    calibrations: list[CalibrationSummary]
    false_reports: list[FalseReportSummary]
    """Proven ones first."""


class AgentDetail(AgentDevice):
    """One machine with its facts and its builds."""

    builds: list[BuildSummary]


class InventoryDetail(LazyModel):
    """Facts that a daemon detected about its machine."""

    id: int
    sha256: str
    detected_at: datetime
    inventory: InventoryFacts


class InventoryCreated(LazyModel):
    """Stored inventory; it can have been stored before."""

    id: int
    sha256: str


class HealthCheckRequested(Message):
    """Operation on the health of an agent: request a check, or accept the current speed."""

    accept: bool = False
    """Accept the speed of the latest check as the new baseline instead of requesting a check (admin only)."""


class HealthCheckCreated(LazyModel):
    """Stored health check; it can have been stored before."""

    id: int
    state: str
    """Judgment of the check: healthy, degraded or quarantined."""
    reason: str


class HealthCheckSummary(HealthCheckReport):
    """Health check of an agent, with its judgment."""

    model_config = ConfigDict(extra="ignore")

    id: int
    state: str
    reason: str
    drift: float | None
    """Control time divided by that of the steady checks with the same baseline, minus 1; null without such checks."""
    accepted: bool
    """True for the copy of a check whose speed an admin accepted as the new baseline."""
