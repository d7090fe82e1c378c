"""What each page shows, as data: the template draws it, and the page's JSON twin is the same model.

Quantities are unrounded and carry their unit in the name; null means that there is no value, and the page says why.
"""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from orchestrator.results.schemas import ExecutionDetail, RunAnswer


class View(BaseModel):
    """Root of the views: frozen, complete before anything is drawn."""

    model_config = ConfigDict(frozen=True)


class Tally(View):
    """How many executions of a run have ended, and how."""

    ok: int = 0
    failed: int = 0
    wrong: int = 0
    disputed: int = 0
    skipped: int = 0
    disturbed: int = 0
    """Of the ok ones."""
    total: int = 0

    @property
    def ended(self) -> int:
        """Executions that have a record, whatever it says."""
        return self.ok + self.failed + self.wrong + self.disputed + self.skipped

    @property
    def fraction(self) -> float:
        """Share of the run that has ended, 0 to 1."""
        return self.ended / self.total if self.total else 0.0


class AgentName(View):
    """An agent as links show it."""

    id: str
    name: str
    live: bool
    """Heard within the time after which an agent counts as silent."""


class RunCard(View):
    """One run in the list of runs, and the head of its own page."""

    id: str
    name: str
    description: str
    state: str
    """The run's own state, or ``waiting for agent`` while none of the agents that it needs is heard."""
    reason: str
    submitted_at: datetime
    submitted_by: str
    started_at: datetime | None
    finished_at: datetime | None
    seed: int
    repetitions: int
    tally: Tally
    estimated_seconds: float | None
    """By the planner, before the first execution."""
    remaining_seconds: float | None
    """By the last jobs of each agent; null unless it runs."""
    executions_per_second: float | None
    input_bytes_per_second: float | None
    """Input that passes per second, all waiting between executions included: not the throughput of a cipher."""
    agents: list[AgentName]

    @property
    def open(self) -> bool:
        """Something of it may still happen without anybody asking."""
        return self.state in ("planned", "running", "waiting for agent")

    @property
    def actions(self) -> list[str]:
        """What its submitter may ask for now."""
        if self.open:
            return ["pause", "cancel"]
        return {"paused": ["resume", "cancel"], "cancelled": ["resume"]}.get(self.state, [])


class Interval(View):
    """A median with the limits of its 95 % interval; the limits are null below 6 executions."""

    median: float | None
    low: float | None
    high: float | None


class ResultRow(View):
    """One case of a run with its statistics."""

    case_id: int
    agent: str
    provider: str
    algorithm: str
    variant: str
    input_kind: str | None
    message_bytes: int
    encrypt_bytes_per_second: Interval
    decrypt_bytes_per_second: float | None
    pass_bytes_per_second: Interval
    work_wall_ns: float | None
    work_cpu_ns: float | None
    peak_rss_bytes: float | None
    basis: str | None
    """What its ciphertexts were compared with: ``third-party``, ``agreement``, or null: nothing yet."""
    ok: int
    failed: int
    wrong: int
    disputed: int
    disturbed: int


class Choices(View):
    """What occurs in a run: the values its results can be filtered by."""

    agents: list[AgentName]
    providers: list[str]
    algorithms: list[str]
    kinds: list[str]
    lengths: list[int]


class Trouble(View):
    """An execution that gave no valid result."""

    execution_id: int
    state: str
    agent: str
    provider: str
    algorithm: str
    variant: str
    input_kind: str | None
    message_bytes: int
    repetition: int
    detail: str


class OmissionRow(View):
    """A combination that was left out, with the reason."""

    agent: str | None
    provider: str | None
    algorithm: str | None
    variant: str | None
    reason: str
    executions: int


class CalibrationRow(View):
    """What measuring itself costs on an agent."""

    kind: str
    value: float
    unit: str
    toolchain: str
    calibrated_at: datetime


class Device(View):
    """An agent of a run with what it is, and what stands beside its results."""

    agent: AgentName
    model: str | None
    processor: str | None
    architecture: str | None
    operating_system: str | None
    emulated: bool
    hardware_counters: bool | None
    toolchains: list[str]
    calibrations: list[CalibrationRow]


class ResultPage(View):
    """One page of the result table."""

    rows: list[ResultRow]
    total: int
    page: int
    pages: int


class ChartChoice(View):
    """What the charts of a run show; always one agent, because nothing is paired across agents."""

    measure: str
    kind: str | None
    """Null: all kinds together."""
    agent_id: str | None
    agent: str | None


class RunPage(View):
    """One run: troubles, results, omissions and devices; the answer is a view of its own."""

    run: RunCard
    charts: ChartChoice
    troubles: list[Trouble]
    results: ResultPage
    choices: Choices
    omissions: list[OmissionRow]
    devices: list[Device]
    plan: dict[str, Any]


class AnswerPage(View):
    """Which one, and how sure: for each agent of a run."""

    run: RunCard
    answer: RunAnswer


class RunListPage(View):
    """The runs, the latest first."""

    runs: list[RunCard]
    page: int
    pages: int
    agents: list[AgentName]


class ExecutionRow(View):
    """One execution in the list of its case."""

    id: int
    repetition: int
    purpose: str
    position: int
    state: str
    started_at: datetime | None
    work_wall_ns: int | None
    encrypt_wall_ns: int | None
    decrypt_wall_ns: int | None
    work_cpu_ns: int | None
    peak_rss_bytes: int | None
    disturbed: bool


class CasePage(View):
    """One case with its executions; the curve shown is that of the execution nearest to the median."""

    run_id: str
    run_name: str
    case: ResultRow
    executions: list[ExecutionRow]
    page: int
    pages: int
    curve_execution_id: int | None


class Phase(View):
    """One phase of an execution."""

    name: str
    wall_ns: int
    share: float
    """Of the work."""


class ExecutionPage(View):
    """Everything that is known of one execution."""

    detail: ExecutionDetail
    case: ResultRow
    run_name: str
    agent: AgentName
    position: int
    """Place in the randomised order of its run and agent."""
    phases: list[Phase]


class AgentCard(View):
    """One agent in the list of agents."""

    agent: AgentName
    state: str
    doing: str
    heard_at: datetime | None
    enrolled_at: datetime
    approved: bool
    revoked: bool
    model: str | None
    processor: str | None
    architecture: str | None
    memory_bytes: int | None
    emulated: bool
    spool_records: int


class AgentListPage(View):
    """All agents."""

    agents: list[AgentCard]


class BuildCard(View):
    """The runners that one toolchain made on an agent, with what passed its known answers."""

    build_key: str
    toolchain: str
    compiler_version: str
    prebuilt: bool
    current: bool
    reported_at: datetime
    build_wall_ns: int | None
    providers: dict[str, str]
    """Provider → version."""
    left_out: dict[str, str]
    passed: int
    refused: list[str]
    """Implementations whose known answers did not pass, with the detail."""


class AgentPage(View):
    """One agent: what it is, what it can, what it does now."""

    card: AgentCard
    inventory: dict[str, Any] | None
    detected_at: datetime | None
    builds: list[BuildCard]
    calibrations: list[CalibrationRow]
    runs: list[RunCard]
