"""What the pages of agents and of their builds show, as data; see views.py."""

from datetime import datetime
from typing import Any

from orchestrator.agents.schemas import HealthCheckSummary
from orchestrator.preflight.schemas import PreflightReportDetail
from orchestrator.results.schemas import FootprintFigures
from orchestrator.web.runs.views import RunCard
from orchestrator.web.views import AgentName, CalibrationRow, View


class AgentCard(View):
    """One agent in the list of agents."""

    agent: AgentName
    state: str
    activity: str
    last_heartbeat_at: datetime | None
    enrolled_at: datetime
    approved: bool
    revoked: bool
    model: str | None
    processor: str | None
    architecture: str | None
    memory_bytes: int | None
    emulated: bool
    undelivered_records: int
    health: str
    """unchecked, healthy, degraded, quarantined."""
    health_reason: str


class AgentListPage(View):
    """All agents."""

    agents: list[AgentCard]


class BuildCard(View):
    """The runners that one toolchain made on an agent, with what passed its known answers."""

    id: int
    build_key: str
    toolchain: str
    compiler_version: str
    prebuilt: bool
    current: bool
    is_default: bool
    """Made at the daemon's start; plans that name no toolchain use it."""
    reported_at: datetime
    build_wall_ns: int | None
    providers: dict[str, str]
    """Provider → version."""
    missing_providers: dict[str, str]
    passed: int
    refused: list[str]
    """Implementations whose known answers did not pass, with the detail."""
    footprints: int
    """Implementations whose size is known."""


class RequestRow(View):
    """A toolchain that plans asked for on an agent and that has no build: not yet, or because it failed."""

    toolchain: str
    state: str
    """open or failed."""
    requested_at: datetime
    settled_at: datetime | None
    failure: str
    """What was missing, or the compiler's last lines; empty while it is open."""


class SensorRow(View):
    """The latest reading of one sensor."""

    quantity: str
    place: str
    value: float | None
    unit: str
    reason: str
    """Why there is no value."""
    read_at: datetime


class AgentHealth(View):
    """The health of an agent."""

    state: str
    """unchecked, healthy, degraded, quarantined."""
    reason: str
    checked_at: datetime | None
    health_check_requested: bool
    checks: list[HealthCheckSummary]
    """The latest ones, newest first."""
    sensors: list[SensorRow]
    """Empty where the agent's daemon has sent no reading."""


class AgentPage(View):
    """One agent: what it is, what it can, what it does now."""

    card: AgentCard
    inventory: dict[str, Any] | None
    detected_at: datetime | None
    requests: list[RequestRow]
    builds: list[BuildCard]
    calibrations: list[CalibrationRow]
    runs: list[RunCard]
    health: AgentHealth
    refused_counters: dict[str, list[str]]
    """The kernel's words → the counters that it does not grant."""
    absent_sensors: dict[str, str]
    """Kind of sensor → why there is none."""
    preflight: PreflightReportDetail | None
    """The latest conditions there; null before the first look at them."""


class ProgramRow(View):
    """One runner program of a build."""

    provider: str
    version: str
    sha256: str
    size_bytes: int
    library_path: str | None
    """Null where the cryptographic library is linked in, or there is none."""
    library_sha256: str | None


class FootprintRow(View):
    """What one implementation takes in memory, beside the proof of its known answers."""

    provider: str
    algorithm: str
    variant: str
    figures: FootprintFigures

    @property
    def stack_bytes(self) -> int | None:
        """The most stack that encryption or decryption takes."""
        return max_stack_bytes(self.figures)


def max_stack_bytes(figures: FootprintFigures) -> int | None:
    """Return the most stack that encryption or decryption takes, or None where neither is known."""
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
    """One build: how it was made, what it holds, what passed, and how large everything is."""

    agent: AgentName
    build: BuildCard
    source_sha256: str | None
    compile_commands: dict[str, str]
    """What was compiled or linked → the whole command line."""
    programs: list[ProgramRow]
    footprints: list[FootprintRow]
    proofs: list[ProofRow]
