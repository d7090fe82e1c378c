"""Schemas of plans, runs and jobs in the API. Names contain units; null means absent."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from orchestrator.runs.chunks.schemas import AwaitedChunks, ChunkEstimate
from orchestrator.shared.values.models import EndedExecutions
from orchestrator.shared.values.text import LABEL_PATTERN
from orchestrator.wire.base import Message, ServiceResponse
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.health import Health
from orchestrator.wire.plans import Plan

EXAMPLE_PLAN: dict[str, Any] = {
    "version": 1,
    "name": "aes-against-chacha20",
    "repetitions": 10,
    "matrix": [
        {
            "providers": ["cryptopp", "botan", "own"],
            "algorithms": ["aes-256-ctr", "chacha20-256"],
            "inputs": {"kinds": ["text", "video"], "sizes": ["128 KiB", "1 MiB"]},
        }
    ],
}


class GivenPlan(Message):
    """A plan, as an object or as the text of a YAML or JSON document."""

    plan: dict[str, Any] | None = Field(default=None, description="The plan; its schema is `Plan`.")
    plan_text: str | None = Field(default=None, description="The plan as a YAML or JSON document.")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.plan is None) == (self.plan_text is None):
            raise ValueError("exactly one of plan and plan_text is required")
        return self


class RunRequest(GivenPlan):
    """A plan whose run is submitted or registered."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"plan": EXAMPLE_PLAN}]})

    registered: bool = Field(
        default=False,
        description="Register the run: its answer states whether all repetitions were made, what was measured "
        "before, and whether the answer was read before the end. Refused where the same was registered "
        "with other repetitions.",
    )


Tag = Annotated[str, Field(pattern=LABEL_PATTERN)]
MAX_TAGS = 20


class RunChange(Message):
    """New values of a run; values that are left out or null stay."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"tags": ["baseline", "gcc-14"]}]})

    tags: list[Tag] | None = Field(default=None, max_length=MAX_TAGS)
    """All tags of the run, in place of the present ones."""
    archived: bool | None = None
    """An archived run is left out of lists; a run that has not ended cannot be archived."""


class PlanKeySummary(ServiceResponse):
    """A key of plans, with the values that it can have now."""

    path: str
    """Path without the positions of lists: ``matrix.inputs.kinds``."""
    required: bool
    values: list[str]
    """Names and fixed values; patterns, numbers and texts are not listed."""


class OmissionSummary(ServiceResponse):
    """A combination of the plan that an agent cannot execute."""

    agent_id: str | None
    agent_name: str | None
    provider: str | None
    algorithm: str | None
    variant: str | None
    reason: str
    executions: int | None
    """Executions that are left out; null if the agent has no build to count them from."""


class MissingChunkSummary(ServiceResponse):
    """An input that the corpus lacks."""

    kind: str
    length_bytes: int
    field: str
    """First field of the plan that names it."""
    remedy: str
    """Command that makes it by hand."""


class BuildEstimate(ServiceResponse):
    """A toolchain of the plan that an agent has to build first."""

    toolchain: Toolchain
    toolchain_words: str
    estimated_seconds: float
    basis: str
    """Basis of the estimate."""
    earlier_failure: str | None
    """Why the last build failed; submission tries again."""
    obstacle: str | None
    """The compiler that the agent lacks, and the command that installs it; null if it is installed."""


class DetectableDifference(ServiceResponse):
    """Number of repetitions that detect a difference."""

    difference: float
    """Relative difference of two candidates: 0.02 is 2 %."""
    repetitions: int | None
    """Detect it with a probability of 90 %; null if the dispersion is unknown or a million are not enough."""


class ExpectationSummary(ServiceResponse):
    """Expected precision of a plan on an agent, from its latest noise floor."""

    single_execution_spread: float | None
    """Robust standard deviation of ln(time) of single executions: 0.02 is 2 %."""
    expected_repetitions: int | None
    """Timed executions of each case; with a precision, the number that reaches it."""
    expected_relative_interval: float | None
    """Half the width of a median's 95 % interval, as a share of the median; null also below 6 repetitions."""
    inputs: int
    """Inputs of the candidate that has the fewest; a comparison averages over them."""
    detectable_difference: float | None
    """Relative difference of two candidates detected with a probability of 90 %; null also below 6 repetitions."""
    repetitions_for_difference: list[DetectableDifference]
    cases_at_budget: int
    """Cases that are expected to stop at their budget before they are precise enough."""
    reason: str
    """Why the dispersion and the fields based on it are null; empty if it is known."""


class AgentEstimate(ServiceResponse):
    """One agent's part of a plan."""

    agent_id: str
    agent_name: str
    health: Health
    """Result of the latest check. A quarantined agent gets no jobs; its part waits until a check passes."""
    health_reason: str
    health_checked_at: datetime | None
    cases: int
    executions: int
    """As first laid out; with a precision, rounds add more."""
    expected_executions: int
    """Including those that rounds are expected to add."""
    estimated_seconds: float
    """Including rounds."""
    basis: str
    """Basis of the estimate."""
    expectation: ExpectationSummary
    library_versions: dict[str, list[str]] = {}
    """Versions that the plan's ``libraries`` select on the agent, by library."""
    builds: list[BuildEstimate]
    """Made one after the other before the first execution; not part of estimated_seconds."""


class AgentMatchSummary(ServiceResponse):
    """Match of an agent with a plan."""

    agent_id: str
    agent_name: str
    labels: list[str]
    matches: bool
    """The run would have this agent; a part of a matching agent without cases is left out."""
    reasons: list[str]
    """Why it does not match, as predicates of its name: ``lacks the label kitchen``."""


class PlanPreview(ServiceResponse):
    """Preview of a plan; nothing is stored."""

    name: str
    plan: Plan
    cases: int
    phases: dict[str, bool]
    """Operations of the cases as phases, and whether they process the message."""
    executions_total: int
    """As first laid out; with a precision, rounds add more."""
    expected_executions: int
    """Including those that rounds are expected to add."""
    agents: list[AgentEstimate]
    estimated_seconds: float
    """Duration on the slowest agent, because agents execute in parallel; without builds."""
    estimated_build_seconds: float
    """Duration of the builds on the agent with the longest ones."""
    input_bytes: int
    """Total length of the chunks that all expected executions of the process protocol encrypt."""
    estimated_stored_bytes: int
    """Growth of the database."""
    agent_matches: list[AgentMatchSummary]
    """All agents that are not revoked, by name; at most 1000."""
    omissions: list[OmissionSummary]
    omissions_total: int
    missing_chunks: list[MissingChunkSummary]
    """The service makes these before the first execution; at most 1000 are listed."""
    chunk_estimate: ChunkEstimate | None
    """Null if the corpus has every chunk."""


class Progress(EndedExecutions, ServiceResponse):
    """Progress of a run, in executions."""

    waiting: int
    done: int
    total: int
    percent: float
    input_bytes_done: int | None
    input_bytes_total: int | None
    executions_per_second: float | None
    input_bytes_per_second: float | None
    seconds_left: float | None
    basis: str
    """Basis of the rate and the remaining time, or why they are null."""


RunStateName = Literal["planned", "running", "paused", "finished", "cancelled", "failed"]


ActivityName = Literal[
    "queued", "waiting for chunks", "building", "preflight", "measuring", "waiting for agent", "paused", "finished",
    "cancelled", "failed",
]  # fmt: skip


class Activity(ServiceResponse):
    """Activity of a run, or of its part on one agent, at this moment."""

    name: ActivityName
    since: datetime | None
    """Start of the activity; null if it is not known."""
    cause: str
    """Builds, runs or agents that it waits for; empty if there is none."""


class RunAgent(ServiceResponse):
    """An agent of a run."""

    id: str
    name: str
    live: bool
    has_open_jobs: bool
    health: Health
    health_reason: str
    health_checked_at: datetime | None
    activity: Activity


class RunSummary(EndedExecutions, ServiceResponse):
    """A run in a list."""

    id: str
    name: str
    description: str
    tags: list[str]
    archived_at: datetime | None
    state: RunStateName
    waiting_for: list[str]
    """If none of the agents with open jobs serves: each of them, with the reason unless it is silent. The run is
    then ``waiting for agent``."""
    waiting_for_builds: list[str]
    """``<agent> <toolchain>`` of each build that the run needs before it is laid out."""
    waiting_for_chunks: list[AwaitedChunks]
    """Chunks that the service makes before the run is laid out."""
    reason: str
    priority: int
    seed: int
    repetitions: int
    """Repetitions of the plan; with a precision, the minimum."""
    registered_repetitions: int | None
    """Repetitions of the plan of a registered run; null for another."""
    executions_total: int
    executions_done: int
    disturbed: int
    """Number of ok executions with a disturbance."""
    fastest_call_ns: float | None
    """Shortest median time of a case that encrypts, without withdrawn results; comparable between runs of one plan."""
    fastest_encryption_bytes_per_second: float | None
    """Highest median of a case of whole processes, as before."""
    estimated_seconds: float | None
    """Computed by the planner."""
    seconds_left: float | None
    """With the runs and builds before it on its agents; as the next two, null unless the run is planned or running, and
    while it waits for a silent agent."""
    executions_per_second: float | None
    input_bytes_per_second: float | None
    activity: Activity
    """What happens now; `state` is ``running`` also while the run waits for jobs of other runs."""
    agents: list[RunAgent]
    """Agents of the run since its submission, by name."""
    submitted_at: datetime
    submitted_by: str
    """Label of the token, for display."""
    owner_id: str | None
    """Family of the token that submitted it; only its tokens and admins may change the run. Null: only admins."""
    started_at: datetime | None
    finished_at: datetime | None


class PrecisionSummary(ServiceResponse):
    """Numbers of cases by the precision that they have reached."""

    relative_interval: float
    """Required: half the width of a median's 95 % interval, as a share of the median."""
    open: int
    """May get more repetitions."""
    reached: int
    maximum: int
    """Stopped at the plan's maximum of repetitions."""
    budget: int
    """Stopped after the plan's seconds for each case."""
    failing: int
    """Stopped because none of its executions is ok."""
    lost: int
    """Stopped because a job of their agent was lost."""
    widest: float | None
    """Widest interval of the cases that stopped at a limit; null if there is none."""
    sentence: str
    """Summary of the other fields."""


class RunDetail(RunSummary):
    """One run."""

    plan: dict[str, Any]
    """As submitted."""
    cases: int
    laid_out_at: datetime | None
    progress: Progress
    precision: PrecisionSummary | None
    """Null if the plan has none."""


class JobSummary(ServiceResponse):
    """An ordered slice of a run's executions for one agent."""

    id: int
    run_id: str
    agent_id: str
    number: int
    state: Literal["planned", "waiting", "sent", "running", "done", "cancelled", "lost"]
    """``planned``: part of a round whose layout is not complete."""
    reason: str
    executions_total: int
    attempts: int
    sent_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
