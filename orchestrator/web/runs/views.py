"""Data of the pages of runs, cases and executions."""

from datetime import datetime
from typing import Any

from orchestrator.preflight.schemas import PreflightReportDetail
from orchestrator.results.answers.scaling_schemas import ScalingAnswer
from orchestrator.results.cases.schemas import SkippedCases, TypicalCall
from orchestrator.results.schemas import ExecutionDetail, FootprintFigures, RunAnswer, TimingsDetail
from orchestrator.web.formats import call_label
from orchestrator.web.views import AgentName, CalibrationRow, Interval, Phase, Tally, View


class RunCard(View):
    """One run in the list of runs, and the head of its own page."""

    id: str
    name: str
    description: str
    state: str
    """The run's own state; ``waiting for agent`` while all agents that it needs are silent or quarantined, and
    ``waiting for builds`` while an agent makes runners with a toolchain that the plan names."""
    awaited_builds: list[str]
    """What it waits for before it is laid out: ``pi4 gcc -O3``."""
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
    quarantined: dict[str, str] = {}
    """Agents with work of it that get no jobs now → why."""

    @property
    def open(self) -> bool:
        """Something of it may still happen without anybody asking."""
        return self.state in ("planned", "running", "waiting for agent", "waiting for builds")

    @property
    def actions(self) -> list[str]:
        """What its submitter may ask for now."""
        if self.open:
            return ["pause", "cancel"]
        return {"paused": ["resume", "cancel"], "cancelled": ["resume"]}.get(self.state, [])


class CaseRow(View):
    """One case of a run: what both protocols show of it."""

    case_id: int
    protocol: str
    agent: str
    provider: str
    algorithm: str
    variant: str
    copy_number: int = 1
    """1, 2 … where the plan wants the same case several times."""
    toolchain: str
    """In words: ``gcc 12 -O3``."""
    input_kind: str | None
    """Null where what is encrypted is a message and not a chunk."""
    message_bytes: int
    peak_rss_bytes: float | None
    relative_interval: float | None
    """Half the width of the headline's 95 % interval / its median: 0.01 is ± 1 %."""
    outliers: int
    """Of the ok timing executions; marked and kept."""
    warm_ups: int
    """Counted in nothing else."""
    cycles_per_instruction: float | None
    energy_per_execution_joules: float | None
    energy_per_byte_joules: float | None
    basis: str | None
    """What its ciphertexts were compared with: ``third-party``, ``agreement``, or null: nothing yet."""
    ok: int
    failed: int
    wrong: int
    disputed: int
    skipped: int
    disturbed: int


class ResultRow(CaseRow):
    """One case of the process protocol with its statistics."""

    encrypt_bytes_per_second: Interval
    decrypt_bytes_per_second: float | None
    pass_bytes_per_second: Interval
    work_wall_ns: float | None
    work_cpu_ns: float | None


class LatencyRow(CaseRow):
    """One case of the latency protocol with its statistics; every time is that of one call."""

    operation: str
    """encrypt, decrypt or key-setup."""
    key_setup: str
    """apart, or included in each call."""
    associated_data_bytes: int
    fill: str
    key_fill: str
    call_wall_ns: Interval
    call_cpu_ns: float | None
    cold_call_wall_ns: float | None
    """The first call of its process."""
    typical: TypicalCall | None
    """Null before the first verified execution."""
    footprint: FootprintFigures

    @property
    def call(self) -> str:
        """What a call does: ``encrypt, key set in each call``."""
        return call_label(self.operation, self.key_setup)

    @property
    def stack_bytes(self) -> int | None:
        """The most stack that such a call takes; null where a part of it is not known."""
        taken = getattr(self.footprint, f"{self.operation.replace('-', '_')}_stack_bytes")
        of_setup = self.footprint.key_setup_stack_bytes if self.key_setup == "included" else 0
        return None if taken is None or of_setup is None else max(int(taken), of_setup)


class Choices(View):
    """What occurs in a run: the values its results can be filtered by."""

    protocols: list[str]
    agents: list[AgentName]
    providers: list[str]
    algorithms: list[str]
    toolchains: list[str]
    """In words."""
    operations: list[str]
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
    toolchain: str
    protocol: str
    operation: str
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
    executions: int | None
    """How many it would have been; null where the agent has no build that would tell."""


class DeviceToolchain(View):
    """A build that cases of a run execute, or the attempt at one."""

    build_id: int
    words: str
    compiler_version: str
    """Empty where there was no compiler."""
    failed: bool


class Device(View):
    """An agent of a run with what it is, and what stands beside its results."""

    agent: AgentName
    model: str | None
    processor: str | None
    architecture: str | None
    operating_system: str | None
    emulated: bool
    hardware_counters: bool | None
    toolchains: list[DeviceToolchain]
    calibrations: list[CalibrationRow]


class ResultPage(View):
    """One page of the result table, which holds the cases of one protocol."""

    protocol: str
    rows: list[ResultRow] | list[LatencyRow]
    total: int
    page: int
    pages: int


class ChartChoice(View):
    """What the charts of a run show; always one agent, because nothing is paired across agents."""

    measure: str
    """encrypt, pass or call."""
    algorithm: str | None
    """Null: all of them; only charts of calls are narrowed by it."""
    kind: str | None
    """Null: all kinds together."""
    agent_id: str | None
    agent: str | None


class ImpreciseCase(View):
    """A case that stopped before it was as precise as the plan asks."""

    case_id: int
    agent: str
    provider: str
    algorithm: str
    variant: str
    copy_number: int
    toolchain: str
    operation: str
    input_kind: str | None
    message_bytes: int
    ok: int
    """Timed executions."""
    stop_reason: str
    """Why, in words."""
    relative_interval: float | None
    """What it reached: half the width of its 95 % interval, as a share of its median."""


class PrecisionPart(View):
    """How precise a run is, where its plan asks for a precision."""

    sentence: str
    not_reached: int
    cases: list[ImpreciseCase]
    """The widest intervals first; not all of a large run."""


class RunPage(View):
    """One run: troubles, results, omissions and devices; the answer is a view of its own."""

    run: RunCard
    charts: ChartChoice
    troubles: list[Trouble]
    skipped: list[SkippedCases]
    conditions: list[PreflightReportDetail]
    """As its agents found them before its first job there; those with most poor findings first."""
    precision: PrecisionPart | None
    """None where the plan asks for none."""
    results: ResultPage
    choices: Choices
    omissions: list[OmissionRow]
    devices: list[Device]
    plan: dict[str, Any]


class AnswerPage(View):
    """Which one, and how sure: for each agent of a run."""

    run: RunCard
    answer: RunAnswer


class ScalingPage(View):
    """Start-up and cost per byte of a run's candidates."""

    run: RunCard
    scaling: ScalingAnswer


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
    position: int | None
    """Place in the randomised order of its run and agent; null for what was skipped from the beginning."""
    state: str
    started_at: datetime | None
    call_wall_ns: float | None
    """Of one warm call; null under the process protocol, as the next one."""
    call_cpu_ns: float | None
    work_wall_ns: int | None
    encrypt_wall_ns: int | None
    decrypt_wall_ns: int | None
    work_cpu_ns: int | None
    peak_rss_bytes: int | None
    disturbed: bool
    outlier: bool
    """Far from the others of its case; kept in every figure."""


class CasePage(View):
    """One case with its executions; the curve shown is that of the execution nearest to the median."""

    run_id: str
    run_name: str
    case: ResultRow | LatencyRow
    executions: list[ExecutionRow]
    page: int
    pages: int
    curve_execution_id: int | None


class ExecutionPage(View):
    """Everything that is known of one execution."""

    detail: ExecutionDetail
    case: ResultRow | LatencyRow
    run_name: str
    agent: AgentName
    position: int | None
    """Place in the randomised order of its run and agent; null for what was skipped from the beginning."""
    phases: list[Phase]
    """Empty under the latency protocol."""
    timings: TimingsDetail | None
    """Of a latency execution that has a result."""
