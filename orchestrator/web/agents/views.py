"""Data of the pages of agents and builds."""

from datetime import datetime
from typing import Any

from orchestrator.agents.schemas import HealthCheckSummary, InvitationCreated
from orchestrator.builds.schemas import ConstantTimeFigures, FootprintFigures
from orchestrator.runs.preflight.schemas import PreflightReportDetail
from orchestrator.web.runs.views import RunCard
from orchestrator.web.views import AgentName, CalibrationRow, View
from orchestrator.wire.builds import CrossBuilt


class AgentCard(View):
    """One agent in the list of agents."""

    agent: AgentName
    labels: list[str]
    notes: str
    state: str
    """State of the daemon in its last heartbeat."""
    shown_state: str
    """That state, unless the agent is silent or gets no jobs."""
    activity: str
    notice: str
    last_heartbeat_at: datetime | None
    enrolled_at: datetime
    approved: bool
    revoked: bool
    queue_closed_reason: str | None
    model: str | None
    processor: str | None
    architecture: str | None
    memory_bytes: int | None
    emulated: bool
    undelivered_records: int
    health: str
    """unchecked, healthy, degraded, quarantined."""
    health_reason: str
    health_checked_at: datetime | None


class AddDevicePage(View):
    """The form of an invitation, and the invitation that it made."""

    may_invite: bool
    name: str = ""
    labels: str = ""
    """Labels with spaces between them."""
    systemd: bool = False
    invitation: InvitationCreated | None = None
    refusal: str = ""


class AgentGroupRow(View):
    """A group of the table of agents."""

    title: str
    """Empty where the table has no groups."""
    agent_ids: list[str]


class AgentListPage(View):
    """The selected agents in groups, and the values of the filters."""

    agents: list[AgentCard]
    groups: list[AgentGroupRow]
    total: int
    """Agents of the service, revoked ones included."""
    narrowed: bool
    states: list[str]
    healths: list[str]
    labels: list[str]
    architectures: list[str]
    features: list[str]
    """Features of any agent's processor."""


class BuildCard(View):
    """The runners of one toolchain on an agent, with the results of their known answers."""

    id: int
    build_key: str
    toolchain: str
    compiler_version: str
    prebuilt: bool
    cross_built: CrossBuilt | None
    """Origin of programs that were compiled for the agent on another machine."""
    current: bool
    is_default: bool
    """The build that the daemon makes when it starts; plans without a toolchain use it."""
    reported_at: datetime
    build_wall_ns: int | None
    providers: dict[str, str]
    """Provider → version."""
    missing_providers: dict[str, str]
    passed: int
    refused: list[str]
    """Implementations with failed known answers, each with the detail."""
    footprints: int
    """Implementations whose size is known."""


class RequestRow(View):
    """A toolchain that plans require on an agent and that has no build: the request is open or failed."""

    toolchain: str
    state: str
    """open or failed."""
    requested_at: datetime
    settled_at: datetime | None
    failure: str
    """Reason of the failure: a missing tool, or the compiler's last lines. Empty while the request is open."""


class SensorRow(View):
    """The latest reading of one sensor."""

    quantity: str
    place: str
    value: float | None
    unit: str
    reason: str
    """Why there is no value."""
    read_at: datetime


class FalseReportRow(View):
    """Report of an agent that cannot be true: the first of its kind, and how many followed."""

    kind: str
    words: str
    proven: bool
    detail: str
    times: int
    first_at: datetime
    last_at: datetime
    lifted_at: datetime | None


class AgentHealth(View):
    """The health of an agent."""

    state: str
    """unchecked, healthy, degraded, quarantined."""
    reason: str
    checked_at: datetime | None
    health_check_requested: bool
    distrusted_at: datetime | None
    """Time of the first proven false report; null for an agent that is believed."""
    false_reports: list[FalseReportRow]
    checks: list[HealthCheckSummary]
    """The latest ones, newest first."""
    sensors: list[SensorRow]
    """Empty where the agent's daemon has sent no reading."""
    most_places: int
    """Sensors of the quantity that has most of them, for example the frequencies of all cores."""
    top: str
    """How many of them the chart shows: a number, ``all``, or empty for the default."""


class AgentPage(View):
    """One agent: inventory, health, builds, calibrations and latest runs."""

    card: AgentCard
    inventory: dict[str, Any] | None
    detected_at: datetime | None
    requests: list[RequestRow]
    builds: list[BuildCard]
    calibrations: list[CalibrationRow]
    runs: list[RunCard]
    health: AgentHealth
    refused_counters: dict[str, list[str]]
    """Reason given by the kernel → counters that it does not grant."""
    absent_sensors: dict[str, str]
    """Kind of sensor → reason of its absence."""
    preflight: PreflightReportDetail | None
    """The latest preflight report; null before the first one."""


class ProgramRow(View):
    """One runner program of a build."""

    provider: str
    version: str
    sha256: str
    size_bytes: int
    library_path: str | None
    """Null where the cryptographic library is linked statically, or none is used."""
    library_sha256: str | None


class FootprintRow(View):
    """Memory that one implementation needs."""

    provider: str
    algorithm: str
    variant: str
    figures: FootprintFigures
    constant_time: ConstantTimeFigures

    @property
    def stack_bytes(self) -> int | None:
        """Largest stack use of encryption and decryption."""
        return max_stack_bytes(self.figures)


def max_stack_bytes(figures: FootprintFigures) -> int | None:
    """Return the largest stack use of encryption and decryption, or None where both are unknown."""
    known = [value for value in (figures.encrypt_stack_bytes, figures.decrypt_stack_bytes) if value is not None]
    return max(known, default=None)


class ProofRow(View):
    """The known answers of one implementation on the build."""

    provider: str
    algorithm: str
    variant: str
    passed: bool
    output_sha256: str | None
    detail: str


class BuildPage(View):
    """One build: commands, programs, proofs and sizes."""

    agent: AgentName
    build: BuildCard
    source_sha256: str | None
    compile_commands: dict[str, str]
    """Compiled or linked target → full command line."""
    programs: list[ProgramRow]
    footprints: list[FootprintRow]
    proofs: list[ProofRow]
