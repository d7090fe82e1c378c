"""Cases with their statistics, as the API and the pages return them. Units are in the names; null means absent."""

from datetime import datetime
from typing import Any, Literal

from orchestrator.builds.schemas import FootprintFigures
from orchestrator.results.digests.verdicts import Basis
from orchestrator.results.schemas import StoredCaseFields
from orchestrator.shared.values.models import EndedExecutions
from orchestrator.statistics.stopping import Stop
from orchestrator.wire.base import ServiceResponse

Protocol = Literal["process", "latency"]


class PhaseFigures(ServiceResponse):
    """Statistics of one operation of a process; without a throughput if it does not process the input."""

    median_wall_ns: float | None
    median_bytes_per_second: float | None
    low_bytes_per_second: float | None
    """Limits of the median's 95 % interval; null below 6 executions."""
    high_bytes_per_second: float | None


class CaseFigures(EndedExecutions, ServiceResponse):
    """Statistics over the ``ok`` executions of a case; null until there are enough."""

    stale_since: datetime | None
    """Time of the first record or verdict that these statistics do not include yet; null if they include all."""
    disturbed: int
    phases: dict[str, PhaseFigures] | None
    """Operations of a process by their phases; null under the latency protocol."""
    median_pass_bytes_per_second: float | None
    low_pass_bytes_per_second: float | None
    high_pass_bytes_per_second: float | None
    median_call_wall_ns: float | None
    """Wall time of one warm call; null under the process protocol."""
    low_call_wall_ns: float | None
    high_call_wall_ns: float | None
    median_call_cpu_ns: float | None
    median_cold_call_wall_ns: float | None
    """Wall time of the first call in its process."""
    median_work_wall_ns: float | None
    median_work_cpu_ns: float | None
    median_peak_rss_bytes: float | None
    """Peak of the executions made for memory, where the plan measures it apart."""
    warm_ups: int
    """Not included in the other counts."""
    outliers: int
    """Among the ok ones; none is left out."""
    mad_work_wall_ns: float | None
    """Median absolute deviation from the median, not scaled."""
    mad_call_wall_ns: float | None
    relative_interval: float | None
    """Half the width of the 95 % interval of ``work_wall_ns`` or ``call_wall_ns`` / its median."""
    median_cycles_per_instruction: float | None
    median_energy_per_execution_joules: float | None
    median_energy_per_byte_joules: float | None


class CaseSummary(StoredCaseFields, ServiceResponse):
    """One combination of agent, build, implementation, operation, input and protocol."""

    id: int
    number: int
    build_id: int
    timings: int | None
    """Timings of each execution; null under the process protocol, as the next."""
    min_timing_ms: float | None
    stop_reason: Stop | None
    """Reason for the last repetition, where the plan requires a precision; ``summary.relative_interval`` is what was
    reached. Null while more repetitions are possible, and without a required precision."""
    summary: CaseFigures | None
    """Null before the first execution ended."""
    basis: Basis | None
    """Basis of the expected digest: ``service`` (computed by it), ``agents`` (at least two agree), or null where there
    is no expected digest yet."""
    vouched_by: str | None
    """What vouches for the ok results: ``service``, ``agents pi4 and pi5``, ``one agent``; null without any."""
    footprint: FootprintFigures


class CaseDetail(CaseSummary):
    """A case with the build it executes."""

    build_key: str
    toolchain: dict[str, Any]
    compiler_version: str
    build_failure: str | None
    """Why the toolchain made nothing: the case is skipped for it."""


class TypicalCall(ServiceResponse):
    """Values that only executions have, read from the execution whose call is nearest to the median of its case."""

    execution_id: int
    iterations: float | None
    """Calls of one timing."""
    cycles: float | None
    """Cycles of one call: counted by the processor, or derived; see cycles_basis."""
    cycles_basis: Literal["counted", "derived", "absent"]
    """derived: CPU time × the clock of the core."""
    cycles_reason: str
    """Why there are no cycles."""


class SkippedCases(ServiceResponse):
    """Executions of one build that were skipped for one reason: no compiler, or a failed build."""

    agent_name: str
    toolchain_words: str
    error: str
    detail: str
    """The last lines of the compiler's output, or what was missing."""
    cases: int
    executions: int


class CaseChoices(ServiceResponse):
    """Values that the cases of a run can be filtered by."""

    protocols: list[Protocol]
    """``process`` first."""
    protocol: Protocol
    """The one that the other lists belong to."""
    phases: list[str]
    """Phases of its processes that have a throughput; empty under the latency protocol."""
    providers: list[str]
    algorithms: list[str]
    operations: list[str]
    kinds: list[str]
    lengths_bytes: list[int]
    series: int
    """Implementations of the agent that has most: each build, copy, operation and length of associated data counts."""
    shares: list[int]
    """Numbers of shares of masked variants; the next two are of these, too."""
    degrees: list[str]
    generators: list[str]


class CaseInterval(StoredCaseFields, ServiceResponse):
    """The 95 % interval of a case of a run."""

    case_id: int
    number: int
    ended: int
    """Executions that have ended."""
    relative_interval: float | None
    """Half the width of the interval / the median; null below 6 executions."""
    timed: int
    """Of these, the timing executions that are ok."""
    stop_reason: Stop | None
    """Why the case gets no more repetitions; null while it may."""
    left: int
    """Executions that are laid out and have not ended; with a precision, at least the estimated number for it."""


class RunIntervals(ServiceResponse):
    """The 95 % intervals of a run, now."""

    target: float | None
    """Relative interval that the plan requires; null where it requires none."""
    total: int
    """Cases of the run."""
    cases: list[CaseInterval]
    """In the planner's order; of a large run, those with the widest intervals."""
