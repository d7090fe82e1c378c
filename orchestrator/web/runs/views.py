"""Data of the list of runs and of the page of a run."""

from datetime import datetime
from typing import Any

from orchestrator.results.cases.schemas import RunIntervals, SkippedCases
from orchestrator.results.comparisons.choices.schemas import ComparedBy
from orchestrator.results.schemas import ProcessOverhead, StatisticsLag
from orchestrator.runs.chunks.schemas import AwaitedChunks
from orchestrator.runs.preflight.schemas import PreflightReportDetail
from orchestrator.runs.schemas import Activity
from orchestrator.shared.values.models import FormFields
from orchestrator.web.runs.executions.views import LatencyRow, ResultRow
from orchestrator.web.views import AgentName, CalibrationRow, Tally, View


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
    owner_id: str | None
    started_at: datetime | None
    finished_at: datetime | None
    seed: int
    repetitions: int
    registered_repetitions: int | None
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
    differences: str
    """Sentence on what differs from the device's present state; empty for nothing."""
    withdrawn: bool
    """No operator has trusted the agent again since it made a false report."""


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
    comparable: list[ComparedBy]
    """How the run can be compared with itself or the run before it; empty before its first verified result."""
    omissions: list[OmissionRow]
    devices: list[Device]
    plan: dict[str, Any]


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
