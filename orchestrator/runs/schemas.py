"""Runs, cases, jobs as the API shows them. Names carry units; null means absent."""

from datetime import datetime
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from orchestrator.wire.base import Message, Report
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


class RunRequest(Message):
    """A plan: as an object, or as the text of a YAML or JSON document, which the service parses within its limits."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"plan": EXAMPLE_PLAN}]})

    plan: dict[str, Any] | None = Field(default=None, description="The plan; its schema is `Plan`.")
    plan_text: str | None = Field(default=None, description="The plan as a YAML or JSON document.")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.plan is None) == (self.plan_text is None):
            raise ValueError("send either plan or plan_text")
        return self


class OmissionSummary(Report):
    """A combination that the plan asks for and an agent cannot execute."""

    agent_id: str | None
    agent_name: str | None
    provider: str | None
    algorithm: str | None
    variant: str | None
    reason: str
    executions: int | None
    """How many it would have been; null where the agent has no build that would tell."""


class MissingChunkSummary(Report):
    """An input that the corpus lacks."""

    kind: str
    length_bytes: int
    field: str
    remedy: str
    """What to type."""


class BuildEstimate(Report):
    """A toolchain of the plan that an agent has to build first."""

    toolchain: Toolchain
    toolchain_words: str
    estimated_seconds: float
    basis: str
    """What the estimate rests on."""
    earlier_failure: str | None
    """Why it could not be built the last time; submission tries again."""


class DetectableDifference(Report):
    """How many repetitions it takes to find a difference."""

    difference: float
    """Of two candidates: 0.02 is 2 %."""
    repetitions: int | None
    """That find it in 90 % of cases; null where the spread is not known, or where a million do not suffice."""


class ExpectationSummary(Report):
    """What a plan will show on an agent, by the spread that its latest noise floor tells."""

    single_execution_spread: float | None
    """Robust standard deviation of ln(time) of single executions: 0.02 is 2 %."""
    expected_repetitions: int | None
    """Timed executions of each case; where the plan asks for a precision, as many as that will take."""
    expected_relative_interval: float | None
    """Half the width of a median's 95 % interval, as a share of the median; null also below 6 repetitions."""
    inputs: int
    """Of the candidate that has fewest: a comparison averages over them."""
    detectable_difference: float | None
    """Of two candidates, that is found in 90 % of cases; null also below 6 repetitions."""
    repetitions_for_difference: list[DetectableDifference]
    cases_at_budget: int
    """Cases that will stop at their budget, before they are precise enough."""
    reason: str
    """Why the spread, and with it what rests on it, is null; empty where it is known."""


class AgentEstimate(Report):
    """One agent's part of a plan."""

    agent_id: str
    agent_name: str
    health: Health
    """A quarantined agent gets no jobs: its part waits until a check is clean."""
    health_reason: str
    cases: int
    executions: int
    """Laid out at first; where the plan asks for a precision, rounds add more."""
    expected_executions: int
    """With those of the rounds, as far as they can be foreseen."""
    estimated_seconds: float
    """With the rounds."""
    basis: str
    """What the estimate rests on."""
    expectation: ExpectationSummary
    builds: list[BuildEstimate]
    """Made before the first execution, one after the other; not in estimated_seconds."""


class PlanPreview(Report):
    """What a plan would do. Nothing was stored."""

    name: str
    plan: Plan
    cases: int
    executions_total: int
    """Laid out at first; where the plan asks for a precision, rounds add more."""
    expected_executions: int
    """With those of the rounds, as far as they can be foreseen."""
    agents: list[AgentEstimate]
    estimated_seconds: float
    """Of the slowest agent: they work side by side. What has to be built first comes on top."""
    estimated_build_seconds: float
    """Of the agent that builds longest."""
    input_bytes: int
    """Of the chunks that all expected executions of the process protocol encrypt together."""
    estimated_stored_bytes: int
    """In the database."""
    omissions: list[OmissionSummary]
    omissions_total: int
    missing_chunks: list[MissingChunkSummary]
    """Submission is refused until the corpus has these."""


class Progress(Report):
    """How far a run is."""

    waiting: int
    ok: int
    failed: int
    wrong: int
    disputed: int
    skipped: int
    done: int
    total: int
    percent: float
    input_bytes_done: int | None
    input_bytes_total: int | None
    executions_per_second: float | None
    input_bytes_per_second: float | None
    seconds_left: float | None
    basis: str
    """What rate and time left rest on, or why they are null."""


RunStateName = Literal["planned", "running", "paused", "finished", "cancelled", "failed"]


class RunAgent(Report):
    """An agent of a run, as the list of runs shows it."""

    id: str
    name: str
    live: bool
    has_open_jobs: bool
    health: Health
    health_reason: str


class RunSummary(Report):
    """A run in a list."""

    id: str
    name: str
    description: str
    state: RunStateName
    waiting_for: list[str]
    """The agents that everything waits for: names of silent ones, ``<name> is quarantined: <reason>``. The run is
    then ``waiting for agent``."""
    waiting_for_builds: list[str]
    """``<agent> <toolchain words>`` of what has to be built before the run is laid out."""
    reason: str
    priority: int
    seed: int
    repetitions: int
    """As the plan has it; with a precision, the fewest."""
    executions_total: int
    executions_done: int
    ok: int
    wrong: int
    disputed: int
    failed: int
    skipped: int
    disturbed: int
    """Of the ok executions."""
    estimated_seconds: float | None
    """Computed by the planner, before the first execution."""
    seconds_left: float | None
    """By the last jobs of each agent; null unless the run is running, as the next two."""
    executions_per_second: float | None
    input_bytes_per_second: float | None
    agents: list[RunAgent]
    """Agents with jobs of this run, by name."""
    submitted_at: datetime
    submitted_by: str
    started_at: datetime | None
    finished_at: datetime | None


class ImpreciseCase(Report):
    """A case that stopped before it was as precise as the plan requires."""

    case_id: int
    agent_name: str
    provider: str
    algorithm: str
    variant: str
    copy_number: int = Field(serialization_alias="copy")
    toolchain_words: str
    operation: str
    input_kind: str | None
    message_bytes: int
    ok: int
    """Timed executions."""
    stop_reason: Literal["maximum", "budget", "failing", "lost"]
    relative_interval: float | None
    """Half the width of its 95 % interval, as a share of its median."""


class PrecisionSummary(Report):
    """How far a run is with the precision that its plan asks for, in cases."""

    relative_interval: float
    """Asked for: half the width of a median's 95 % interval, as a share of the median."""
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
    """The widest interval among the cases that stopped without reaching it; null where there is none."""
    sentence: str
    """All of this in words."""


class RunDetail(Report):
    """One run."""

    id: str
    name: str
    state: RunStateName
    waiting_for: list[str]
    """The agents that everything waits for: names of silent ones, ``<name> is quarantined: <reason>``."""
    waiting_for_builds: list[str]
    """``<agent> <toolchain words>`` of what has to be built before the run is laid out."""
    reason: str
    priority: int
    seed: int
    plan: dict[str, Any]
    """As submitted."""
    cases: int
    executions_total: int
    estimated_seconds: float | None
    submitted_at: datetime
    submitted_by: str
    laid_out_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    progress: Progress
    precision: PrecisionSummary | None
    """Null where the plan asks for none."""


class JobSummary(Report):
    """An ordered slice of a run's executions for one agent."""

    id: int
    run_id: str
    agent_id: str
    number: int
    state: Literal["planned", "waiting", "sent", "running", "done", "cancelled", "lost"]
    """``planned``: of a round that is being laid out."""
    reason: str
    executions_total: int
    attempts: int
    sent_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
