"""Data of the pages of cases and executions, and rows of the result tables."""

from datetime import datetime

from orchestrator.builds.schemas import FootprintFigures
from orchestrator.results.cases.schemas import TypicalCall
from orchestrator.results.schemas import ExecutionDetail, TimingsDetail
from orchestrator.shared.values.models import FormFields
from orchestrator.web.formats import call_label
from orchestrator.web.views import AgentName, Interval, Phase, View


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
    """encrypt, decrypt, key-setup, or another one that the runner declares."""
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
        taken = getattr(self.footprint, f"{self.operation.replace('-', '_')}_stack_bytes", None)
        of_setup = self.footprint.key_setup_stack_bytes if self.key_setup == "included" else 0
        return None if taken is None or of_setup is None else max(int(taken), of_setup)


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
