"""Data of the pages of runs, cases and executions."""

from datetime import datetime
from typing import Any

from orchestrator.builds.schemas import FootprintFigures
from orchestrator.chunks.schemas import AwaitedChunks
from orchestrator.preflight.schemas import PreflightReportDetail
from orchestrator.results.answers.masking.schemas import MaskingAnswer
from orchestrator.results.answers.scaling.schemas import ScalingAnswer
from orchestrator.results.cases.schemas import RunIntervals, SkippedCases, TypicalCall
from orchestrator.results.comparisons.schemas import RunComparison
from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import (
    ExecutionDetail,
    ProcessOverhead,
    RunAnswer,
    StatisticsLag,
    TimingsDetail,
)
from orchestrator.results.traffic.schemas import TrafficAnswer
from orchestrator.runs.schemas import Activity
from orchestrator.values.form_fields import FormFields
from orchestrator.web.formats import call_label
from orchestrator.web.views import AgentName, CalibrationRow, Interval, Phase, Tally, View


class RunCard(View):
    """One run in the list of runs and at the top of its page."""

    id: str
    name: str
    description: str
    tags: list[str]
    archived: bool
    state: str
    """Activity of a run that is planned or running, otherwise its state."""
    run_state: str
    """planned, running, paused, finished, cancelled or failed."""
    activity: Activity
    agent_activities: list["AgentActivity"]
    awaited_builds: list[str]
    """Builds required before the layout: ``pi4 gcc -O3``."""
    awaited_chunks: list[AwaitedChunks]
    """Chunks that the service makes before the layout."""
    reason: str
    submitted_at: datetime
    submitted_by: str
    started_at: datetime | None
    finished_at: datetime | None
    seed: int
    repetitions: int
    tally: Tally
    estimated_seconds: float | None
    """Computed by the planner, before the first execution."""
    remaining_seconds: float | None
    """With the runs and builds before it; null unless the run is planned or running."""
    executions_per_second: float | None
    input_bytes_per_second: float | None
    """Input bytes per second including the time between executions: not the throughput of a cipher."""
    agents: list[AgentName]
    quarantined: dict[str, str] = {}
    """Quarantined agents with open jobs → reason."""

    @property
    def open(self) -> bool:
        """True where the run can change without a request."""
        return self.run_state in ("planned", "running")

    @property
    def actions(self) -> list[str]:
        """Operations that the run's state allows."""
        if self.open:
            return ["pause", "cancel"]
        keep = "unarchive" if self.archived else "archive"
        ended = {
            "cancelled": ["resume", keep, "delete"],
            "failed": ["resume", keep, "delete"],
            "finished": [keep, "delete"],
        }
        return ended.get(self.run_state, ["resume", "cancel"])


class AgentActivity(View):
    """Activity of one agent of a run."""

    agent: str
    activity: Activity


class CaseRow(FormFields, View):
    """One case of a run: the columns of both protocols."""

    case_id: int
    protocol: str
    agent: str
    provider: str
    algorithm: str
    variant: str
    copy_number: int = 1
    """1, 2 … where the plan contains the same case several times."""
    toolchain: str
    """Label of the toolchain: ``gcc 12 -O3``."""
    input_kind: str | None
    """Null for messages, which are not chunks."""
    message_bytes: int
    peak_rss_bytes: float | None
    relative_interval: float | None
    """Half the width of the headline's 95 % interval / its median: 0.01 is ± 1 %."""
    outliers: int
    """Outliers among the ok timing executions; included in all figures."""
    warm_ups: int
    """Not included in the other counts."""
    cycles_per_instruction: float | None
    energy_per_execution_joules: float | None
    energy_per_byte_joules: float | None
    basis: str | None
    """Basis of the expected digest: ``service``, ``agents``, or null where there is no expected digest yet."""
    vouched_by: str | None
    """``service``, ``agents pi4 and pi5``, ``one agent``; null without an ok execution."""
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
    """One case of the latency protocol with its statistics. Times are those of one call."""

    operation: str
    """encrypt, decrypt or key-setup."""
    key_setup: str
    """``apart`` from the call, or ``included`` in each call."""
    associated_data_bytes: int
    fill: str
    key_fill: str
    call_wall_ns: Interval
    call_cpu_ns: float | None
    cold_call_wall_ns: float | None
    """First call of its process."""
    typical: TypicalCall | None
    """Null before the first verified execution."""
    footprint: FootprintFigures

    @property
    def call(self) -> str:
        """Label of the call: ``encrypt, key set in each call``."""
        return call_label(self.operation, self.key_setup)

    @property
    def stack_bytes(self) -> int | None:
        """Largest stack use of such a call; null where a part of it is unknown."""
        taken = getattr(self.footprint, f"{self.operation.replace('-', '_')}_stack_bytes")
        of_setup = self.footprint.key_setup_stack_bytes if self.key_setup == "included" else 0
        return None if taken is None or of_setup is None else max(int(taken), of_setup)


class Choices(View):
    """Values that the results of a run can be filtered by."""

    protocols: list[str]
    agents: list[AgentName]
    providers: list[str]
    algorithms: list[str]
    toolchains: list[str]
    """Labels."""
    operations: list[str]
    kinds: list[str]
    lengths: list[int]
    series: int
    """Implementations of the agent that has most; charts with more than 12 show the first of them."""
    shares: list[int] = []
    """Of masked variants, as the next two; empty for a run without them."""
    degrees: list[str] = []
    generators: list[str] = []


class Trouble(FormFields, View):
    """An execution without a valid result."""

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
    """An omitted combination, with the reason."""

    agent: str | None
    provider: str | None
    algorithm: str | None
    variant: str | None
    reason: str
    executions: int | None
    """Number of executions omitted; null where the agent has no build to derive it from."""


class DeviceToolchain(View):
    """A build that a run's cases use, or a failed build."""

    build_id: int
    words: str
    compiler_version: str
    """Empty where the compiler is missing."""
    origin: str
    """Host, time and compiler of a cross-build; empty for a build of the agent's own compiler."""
    failed: bool


class Device(View):
    """An agent of a run with its hardware, builds and calibrations."""

    agent: AgentName
    model: str | None
    processor: str | None
    architecture: str | None
    operating_system: str | None
    emulated: bool
    hardware_counters: bool | None
    toolchains: list[DeviceToolchain]
    calibrations: list[CalibrationRow]


class OverheadLine(View):
    """Overhead of a process without a cipher on an agent."""

    agent: str
    overhead: ProcessOverhead


class ResultPage(View):
    """One page of the result table, which contains the cases of one protocol except those of `noop`."""

    protocol: str
    rows: list[ResultRow] | list[LatencyRow]
    total: int
    page: int
    pages: int
    overheads: list[OverheadLine]
    """Empty under the latency protocol."""
    lag: StatisticsLag


class ChartChoice(View):
    """Choice of a run's charts; always one agent, because executions are never paired across agents."""

    measure: str
    """encrypt, pass or call."""
    algorithm: str | None
    """Null: all algorithms. Used by the charts of calls only."""
    kind: str | None
    """Null: all kinds pooled."""
    agent_id: str | None
    agent: str | None
    top: str
    """Number of series of a chart with many of them, or ``all``; empty: 12."""


class ImpreciseCase(FormFields, View):
    """A case that stopped before it reached the required precision."""

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
    """Reason in plain words."""
    relative_interval: float | None
    """Half the width of its 95 % interval, as a share of its median."""


class PrecisionPart(View):
    """Precision of a run whose plan requires one."""

    sentence: str
    not_reached: int
    cases: list[ImpreciseCase]
    """The widest intervals first; limited for large runs."""


class RunPage(View):
    """One run: executions without a result, results, omissions and devices. The answer is another view."""

    run: RunCard
    charts: ChartChoice
    troubles: list[Trouble]
    skipped: list[SkippedCases]
    conditions: list[PreflightReportDetail]
    """Preflight reports made before the run's first job on each agent; most poor results first."""
    precision: PrecisionPart | None
    """None where the plan requires none."""
    intervals: RunIntervals | None
    """Of a run that can still measure; null for an ended one."""
    results: ResultPage
    choices: Choices
    omissions: list[OmissionRow]
    devices: list[Device]
    plan: dict[str, Any]


class AnswerPage(View):
    """Ranking: for each agent of a run."""

    run: RunCard
    answer: RunAnswer

    @property
    def protocols(self) -> set[str]:
        """Protocols of the run's measures."""
        return {MEASURES[measure].protocol for measure in self.answer.measures}


class RunChoice(View):
    """A run that can be compared."""

    id: str
    name: str
    submitted_at: datetime


class ComparisonPage(View):
    """Two or more runs, or parts of runs, case by case."""

    sides: list[str]
    """As requested: ``RUN`` or ``RUN,toolchain=gcc -O3``."""
    comparison: RunComparison | None
    """Null with fewer than two sides."""
    runs: list[RunChoice]
    """Latest runs, to choose from."""


class ScalingPage(View):
    """Start-up and cost per byte of a run's candidates."""

    run: RunCard
    scaling: ScalingAnswer


class TrafficPage(View):
    """Cost of a traffic with the candidates of a run."""

    run: RunCard
    traffic: TrafficAnswer | None
    """Null before a histogram is entered."""


class MaskingPage(View):
    """Overhead of masking, for one number of shares."""

    run: RunCard
    masking: MaskingAnswer


class RunListPage(View):
    """The selected runs."""

    runs: list[RunCard]
    total: int
    """Selected runs, on all pages."""
    archived: int
    """Archived runs, counted if there is no other run."""
    narrowed: bool
    """The selection leaves out runs that are not archived."""
    tags: list[str]
    """Tags of all runs."""
    page: int
    pages: int
    agents: list[AgentName]


class ExecutionRow(View):
    """One execution in the list of its case."""

    id: int
    repetition: int
    purpose: str
    position: int | None
    """Place in the randomized order of its run and agent; null for executions skipped from the start."""
    state: str
    started_at: datetime | None
    call_wall_ns: float | None
    """Time of one warm call; null under the process protocol, like call_cpu_ns."""
    call_cpu_ns: float | None
    work_wall_ns: int | None
    encrypt_wall_ns: int | None
    decrypt_wall_ns: int | None
    work_cpu_ns: int | None
    peak_rss_bytes: int | None
    disturbed: bool
    outlier: bool
    """Whether it is far from the others of its case; included in all figures."""


class CasePage(View):
    """One case with its executions. The curve is that of the execution nearest to the median."""

    run_id: str
    run_name: str
    case: ResultRow | LatencyRow
    executions: list[ExecutionRow]
    page: int
    pages: int
    curve_execution_id: int | None


class ExecutionPage(View):
    """One execution with all its stored values."""

    detail: ExecutionDetail
    case: ResultRow | LatencyRow
    run_name: str
    agent: AgentName
    position: int | None
    """Place in the randomized order of its run and agent; null for executions skipped from the start."""
    phases: list[Phase]
    """Empty under the latency protocol."""
    timings: TimingsDetail | None
    """Present for a latency execution with a result."""
