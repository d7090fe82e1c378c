"""API schemas of executions, curves, timings and answers. Names carry units."""

from datetime import datetime
from typing import Any, Literal

from pydantic import AliasChoices, Field

from orchestrator.builds.schemas import ConstantTimeFigures, FootprintFigures
from orchestrator.builds.source_metrics.schemas import SourceFigures
from orchestrator.results.measures import RankingMeasure
from orchestrator.shared.values.models import EndedExecutions, FormFields, LazyModel
from orchestrator.statistics.median import ConfidenceInterval
from orchestrator.wire.health import Health
from orchestrator.wire.messages import KeySetup, operation_label

Measure = Literal["encrypt", "pass", "call"]
"""encrypt: input bytes / the encrypt phase; pass: input bytes / work_wall_ns, process overhead included;
call: nanoseconds of one warm call under the latency protocol."""
MAX_ALGORITHMS = 50
"""Algorithms that one answer may be restricted to."""


class Interval(LazyModel):
    """95 % interval, in the unit of its quantity."""

    low: float
    high: float

    @classmethod
    def of(cls, limits: ConfidenceInterval | None) -> "Interval | None":
        """Return the interval of these limits, or None without limits."""
        return None if limits is None else cls(low=limits.low, high=limits.high)


class ImplementationFields(FormFields):
    """Names of an implementation, in one form if it is masked, and of its copy in the plan."""

    provider: str
    algorithm: str
    variant: str
    copy_number: int = Field(
        serialization_alias="copy", validation_alias=AliasChoices("copy", "copy_number"), default=1
    )
    """1, 2 … for the copies of a case that a plan repeats."""


class CandidateFields(ImplementationFields):
    """Names of a candidate: an implementation of one build."""

    build_key: str
    toolchain: str
    """Label: ``gcc 12 -O3 -march=native static``."""


class TimedCandidateFields(CandidateFields):
    """Names of a candidate, and whether its time depends on secrets."""

    constant_time: bool | None
    """Whether its code claims that no branch and no table look-up depends on a secret. Null: unknown."""
    constant_time_check: ConstantTimeFigures
    """What its agent found on this build."""


class CaseFields(ImplementationFields):
    """Names of a case of a run: a candidate with its input, without the ids of its build and of the run."""

    toolchain: str
    input_kind: str
    """Empty for a timed call."""
    length_bytes: int
    has_message: bool = True
    """False for a timed call that takes no message, such as a key setup."""
    operation: str
    """Operation of a timed call; empty for a chunk, as the next."""
    key_setup: str
    associated_data_bytes: int


class PhaseDetail(LazyModel):
    """One operation of a process; null without a reading, for which the readings have the reason."""

    phase: str
    """The operation, with underscores as in the names of its readings."""
    wall_ns: int
    bytes_per_second: float | None
    """Input bytes / wall_ns; null for an operation that does not process the input."""
    user_ns: int | None
    system_ns: int | None
    cycles: int | None
    instructions: int | None
    rss_bytes: int | None
    """Resident size after the phase."""


PHASE_READINGS = tuple(PhaseDetail.model_fields)[3:]
"""Fields that are readings, whose names begin with the phase."""


class StoredCaseFields(ImplementationFields):
    """A case of a run as it is stored: agent, implementation, operation, input and protocol."""

    run_id: str
    agent_id: str
    agent_name: str
    toolchain_words: str
    """``gcc 12 -O3``."""
    protocol: str
    operation: str
    message_operations: str
    """Of these, the ones that process the message, joined by ``+``."""
    input_kind: str | None
    """Kind of a chunk; null under the latency protocol."""
    message_bytes: int
    input_sha256: str | None
    """SHA-256 of the chunk, or of the message description under the latency protocol."""
    associated_data_bytes: int
    fill: str | None
    """Content of a timed message: zero, counter or random. Null under the process protocol, as the next two."""
    key_fill: str | None
    key_setup: str | None
    """apart, or included in each call."""


class ExecutionSummary(StoredCaseFields):
    """One execution in a list, with the case it repeats."""

    id: int
    case_id: int
    repetition: int
    position: int | None
    """Place in the randomized order of its run and agent; null for an execution that was skipped from the start."""
    purpose: str
    state: str
    started_at: datetime | None
    work_wall_ns: int | None
    process_wall_ns: int | None
    phases: list[PhaseDetail]
    """Operations of a process in their order; empty under the latency protocol and without work."""
    pass_throughput_bytes_per_second: float | None
    """Input bytes / work_wall_ns."""
    work_cpu_ns: int | None
    call_wall_ns: float | None
    """One warm call: the median over the timings of wall time / iterations; null under the process protocol."""
    call_cpu_ns: float | None
    peak_rss_bytes: int | None
    output_sha256: str | None
    """Null for operations whose check is not ``digest``."""
    disturbed: bool
    failure: dict[str, Any] | None
    """Why there is no valid result: error, detail, exit_code, signal, stderr_tail."""


class ReadingDetail(LazyModel):
    """One reading with its unit, source, resolution and meaning."""

    name: str
    value: int | float | None
    unit: str
    source: str
    resolution: str
    help: str
    reason: str | None
    """Why the value is null."""


class Verification(LazyModel):
    """The expected digest of the ciphertext, and its basis."""

    expected_sha256: str | None
    basis: Literal["service", "agents", "none"]
    vouched_by: str | None
    """What vouches for this result: ``service``, ``agents pi4 and pi5``, ``one agent``; null unless it is ok."""
    detail: str
    service_reason: str | None = None
    """Why the service has not computed the digest itself; null where it has, or where there is no ciphertext."""


class EarlierAttempt(LazyModel):
    """Attempt at an execution that failed by no fault of the runner and was repeated."""

    started_at: datetime
    error: str
    """``launch-failed``, ``runner-killed``, ``out-of-memory`` or ``file-changed``."""
    detail: str


class ExecutionDetail(ExecutionSummary):
    """One execution with all its readings."""

    job_id: int | None
    """Null for an execution that was skipped at layout."""
    attempt: int | None
    session_id: str | None
    inventory_id: int | None
    stored_at: datetime | None
    readings: list[ReadingDetail]
    disturbances: list[str]
    earlier_attempts: list[EarlierAttempt]
    """Oldest first."""
    verification: Verification
    has_curve: bool
    has_timings: bool


class CurveDetail(LazyModel):
    """The monitor's samples of one execution, column-wise; a column without a source is empty."""

    execution_id: int
    source: str
    at_ns: list[int]
    """Nanoseconds since the spawn."""
    rss_bytes: list[int]
    cpu_ns: list[int]
    threads: list[int]


class TimingsDetail(LazyModel):
    """The timings of one latency execution, column-wise. Every value covers all iterations of its timing."""

    execution_id: int
    iterations: list[int]
    """Calls of each timing."""
    wall_ns: list[int]
    cpu_ns: list[int]
    cycles: list[int | None]
    """Null without hardware counters; the execution's readings have the reason."""
    instructions: list[int | None]
    core_clock_hz: list[float | None]
    """Null if the clock drifted during the timing."""
    derived_cycles: list[float | None]
    """cpu_ns × core_clock_hz: derived, not counted."""


class AnswerInputs(LazyModel):
    """Inputs of a table or of one row; in a table, those that at least two ranked candidates have."""

    count: int
    kinds: list[str]
    """Kinds of chunks; empty in a table of calls."""
    lengths_bytes: list[int]
    """Lengths of the chunks or messages."""
    operations: list[str]
    """Operations of the calls: encrypt, decrypt, key-setup. Empty in a table of throughputs, as the next two."""
    key_setups: list[str]
    """apart, included."""
    associated_data_lengths_bytes: list[int]

    @property
    def calls(self) -> str:
        """Kinds of the calls in words: ``encrypt, key set in each call``."""
        keys = ["key set in each call"] if "included" in self.key_setups else []
        return ", ".join([*map(operation_label, self.operations), *keys])


class PlaceFields(LazyModel):
    """Place of a candidate among those of its agent, by comparisons of every pair."""

    rank: int | None = None
    """1 + the number of candidates that are proven better. Null if the candidate cannot be compared; see reason."""
    last_rank: int | None = None
    """Number of candidates - those that are proven worse: the true rank is between the two."""
    groups: list[str] = []
    """Letters: two candidates have one in common exactly if no difference between them is proven."""
    undecided: bool = False
    """Whether the data cannot decide a comparison with another candidate, which is no tie; see reason."""


class RankFields(PlaceFields):
    """Rank of a candidate among those of its agent, by comparisons of every pair."""

    verdict: Literal["different", "tie", "undecided"] | None = None
    """Whether it differs from the first candidate; null for that one and without a rank."""
    reason: str = ""
    """Why there is no rank, or what is undecided."""


class AnswerRow(TimedCandidateFields, RankFields, EndedExecutions):
    """One candidate in an agent's ranking."""

    inputs: AnswerInputs
    """Inputs that its figures cover: of those of the table, or its own if it has no rank."""
    estimated: bool = False
    """Whether it lacks inputs of the table, so that the next figure estimates them from the other candidates."""
    n: int = 0
    """Readings behind the next figure: ok executions over these inputs."""
    value: float | None = None
    """Figure of the measure, in its unit, in whose order rows are listed: the median over blocks of the geometric mean
    over the inputs, or the exact value of a measure without readings."""
    call_cpu_ns: float | None = None
    """CPU time of one warm call: the geometric mean over the inputs of the medians of their cases; null unless the
    measure is `call`, as the next."""
    cold_call_wall_ns: float | None = None
    """The first call of a process, pooled the same way."""
    interval: Interval | None = None
    """Interval of value, including the uncertainty of estimated inputs; null for exact values, which have none."""
    relative_interval: float | None = None
    """Half the width of that interval / the median: 0.01 is ± 1 %."""
    behind: float | None
    """How many times better the first candidate is: its speed / this one's, or this one's value / its value where
    less is better. Paired by block, over the inputs that both have; null for the first."""
    behind_interval: Interval | None
    """95 % interval of this comparison alone."""
    behind_inputs: int | None
    """Inputs of this comparison."""
    behind_blocks: int | None
    adjusted_p: float | None = None
    """p-value of no difference to the fastest, Holm-corrected over the answer; null below 6 blocks and without rank."""
    superiority: float | None
    """Share of blocks in which the fastest candidate is faster; 0.5 is no effect."""
    standardized_difference: float | None
    """Mean / standard deviation of the blocks' log-ratios (d_z); null if all blocks are equal."""
    batch_gain: float | None
    """How many times less time a message takes in its batch than alone, paired by block; null without both."""
    batch_gain_interval: Interval | None
    cycles_per_instruction: float | None = None
    """Geometric mean over the inputs of the case medians; null without counters. Energy is null without a meter."""
    energy_per_execution_joules: float | None = None
    energy_per_byte_joules: float | None = None
    vouched_by: str | None
    """Weakest of what vouches for its ciphertexts: `service`, `agents A and B` or `one agent`; null without any."""
    peak_rss_bytes: float | None
    """Largest median of its cases."""
    footprint: FootprintFigures
    source: SourceFigures | None = None
    """Size and readability of its source code; null with a reason."""
    source_reason: str = ""
    disturbed: int
    outliers: int
    """Readings of the row's inputs with a modified z-score above 3.5 within their case; marked and kept."""


class AgentTrend(LazyModel):
    """Change of an agent's times during the run."""

    per_hour: float | None
    """Relative change per hour: 0.012 is 1.2 % slower, negative is faster. Null with too few readings."""
    interval: Interval | None
    """95 % interval of per_hour."""
    p: float | None
    """p-value of no trend (Kendall)."""
    hours: float | None
    """Duration from the first reading to the last."""
    change: float | None
    """Relative change over that duration, by the slope."""
    real: bool
    """Whether the trend is significant and above the noise floor."""
    sentence: str


class OverheadPoint(LazyModel):
    """Time of a process without a cipher for one input length."""

    length_bytes: int
    work_wall_ns: float
    """Median over executions."""
    interval: Interval | None
    n: int
    """Executions."""
    case_ids: list[int]


class ProcessOverhead(LazyModel):
    """Overhead of a process, by `noop`: start-up, buffers and reading the input, without a cipher."""

    provider: str
    build_key: str
    toolchain: str
    points: list[OverheadPoint]
    """By input length, ascending."""
    sentence: str
    """``own: 0.9 ms with 128 KiB to 2.3 ms with 1 MiB``."""


class ExcludedCandidate(CandidateFields):
    """A candidate that does not meet the constraints, with every reason."""

    reasons: list[str]


class FrontPoint(TimedCandidateFields):
    """One candidate over two measures."""

    value: float | None
    """In the unit of the answer's measure."""
    interval: Interval | None
    against_value: float | None
    """In the unit of the front's second measure."""
    against_interval: Interval | None
    on_front: bool
    """True where no other candidate is better in one measure and not worse in the other."""
    dominated_by: str | None
    """A candidate of the front that is better in one measure, and better or tied in the other; null on the front."""
    tied_with: list[str]
    """Candidates of the front that tie with it in both measures."""


class ParetoFront(LazyModel):
    """The candidates of one agent that have both measures, and which of them no other one dominates."""

    against: RankingMeasure
    """The second measure."""
    unit: str
    """Unit of the second measure."""
    points: list[FrontPoint]
    """Members of the front in the order of the first measure, then the others."""
    sentence: str


class NoiseFloor(LazyModel):
    """Relative difference that an agent shows between two equal cases."""

    relative: float | None
    reason: str
    """Why it is null, or which builds it covers."""


class AgentFields(LazyModel):
    """Agent of a table of candidates."""

    agent_id: str
    agent_name: str
    device: str
    emulated: bool
    unranked: str
    """Why nothing is ranked: the processor is emulated, or the results are withdrawn; empty otherwise."""
    noise_floor: NoiseFloor


class AgentAnswer(AgentFields):
    """Ranking of the candidates of one agent. Agents are never ranked against each other."""

    measure: RankingMeasure
    unit: str
    """Unit of the measure: bytes/s, ns, bytes, J/byte, or 1 for cycles."""
    inputs: AnswerInputs
    blocks: int
    health: Health
    """Health of the agent at its first job of the run; a degraded agent keeps measuring and its results are marked."""
    health_reason: str
    """Why the agent was degraded; empty for a healthy one."""
    differences: str
    """Sentence on what differs between the device at its first job and now; empty for nothing."""
    trend: AgentTrend
    comparisons: int
    """Number of comparisons corrected together (Holm): all pairs that can be compared, over all agents of the run."""
    overheads: list[ProcessOverhead]
    """Time of a process without a cipher (`noop`), which no row includes; empty if the plan does not measure it."""
    times: str
    """Sentence on whose word the times are, and whether other devices of the model agree; empty for other measures."""
    sentence: str
    rows: list[AnswerRow]
    """Ranked candidates in order of their figure, then those that are listed separately, without a rank."""
    rows_total: int
    excluded: list[ExcludedCandidate]
    """Candidates that do not meet the constraints; no table contains them."""
    front: ParetoFront | None
    """Pareto front over two measures; null unless a second measure was requested."""


class StatisticsLag(LazyModel):
    """Executions that ended and are not in the statistics yet, which follow within seconds."""

    changes: int
    """Number of records and changed verdicts."""
    since: datetime | None
    """Time of the first of them; null without any."""


class Repetitions(LazyModel):
    """Other runs that measured the same, so that a result which was chosen among several is seen as such."""

    runs: int
    cancelled: int
    failed: int
    deleted: int
    """Whatever their state was."""
    resumed: int
    registration: "Registration | None"
    """Null unless the run or one of the others was registered."""
    sentence: str
    """Empty without another run and without a registration."""


class Registration(LazyModel):
    """Registration of a measurement before its first execution, and what became of it."""

    run_id: str
    """The registered run; this one if it was registered, otherwise the first of the others."""
    registered_at: datetime
    repetitions: int
    kept: bool | None
    """True: this run was registered, and all its repetitions were made. Null before its end, and for a run that was not
    registered."""
    earlier_runs: int
    """Runs of the same measurement before the registration."""
    first_look_executions: int | None
    """Executions with a record when the run's answer was first returned before its end; null: never."""


class RunAnswer(LazyModel):
    """The answer of a run: one table for each agent."""

    run_id: str
    state: str
    repetitions: Repetitions
    measure: RankingMeasure
    measures: list[RankingMeasure]
    """Measures that this run can be ranked by, the default first."""
    against: RankingMeasure | None
    """Second measure of the Pareto fronts; null: none was requested."""
    algorithms: list[str]
    """The only algorithms that take part, sorted; empty: all."""
    constraints: list[str]
    """Requirements that candidates meet: `AEAD`, `code size at most 8 192 B`."""
    targets: list[str]
    """Processors whose sizes the agents have reported besides their own, sorted."""
    length_bytes: int | None
    """The only chunk or message length included; null: all."""
    operation: str | None
    """The only operation included in a table of calls; null for any other table."""
    key_setup: KeySetup | None
    """How the key of the included calls is set, where the run timed both; null for any other table."""
    lag: StatisticsLag
    agents: list[AgentAnswer]
