"""Schemas of watches and of regressions in the API. Names contain units; null means absent."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from orchestrator.results.comparisons.schemas import Change
from orchestrator.results.measures import RankingMeasure
from orchestrator.results.schemas import CaseFields, Interval
from orchestrator.runs.schemas import EXAMPLE_PLAN, GivenPlan, Tag
from orchestrator.shared.values.text import SLUG_PATTERN
from orchestrator.wire.base import Line, Message, RunId, ServiceResponse

MIN_EVERY_SECONDS, MAX_EVERY_SECONDS = 600, 31 * 86_400
MAX_OUTLETS = 8

OutletKind = Literal["webhook", "email", "file"]
LookState = Literal["measuring", "confirming", "decided", "undecided", "failed"]
DeliveryState = Literal["waiting", "delivered", "failed"]


class WatchedCase(CaseFields):
    """A case in all runs of a plan."""

    agent_id: str
    agent_name: str


class Outlet(Message):
    """Where the changes of a watch are reported, besides its page."""

    kind: OutletKind
    target: Annotated[Line, StringConstraints(max_length=500)] = ""
    """URL of a webhook, address of an email; empty for a file, whose place the service determines."""


class WatchRequest(GivenPlan):
    """A new watch: a plan, when it is executed, and what its runs are compared with."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "nightly", "plan": EXAMPLE_PLAN, "every_seconds": 86_400}]}
    )

    name: Annotated[str, StringConstraints(pattern=SLUG_PATTERN, max_length=64)]
    every_seconds: int | None = Field(default=None, ge=MIN_EVERY_SECONDS, le=MAX_EVERY_SECONDS)
    """Interval between two looks."""
    on_build: bool = False
    """Look after an agent made a new build."""
    baseline_run_id: RunId | None = None
    """Compare with this run; without a baseline, with the former runs of the watch."""
    baseline_tag: Tag | None = None
    """Compare with the latest 60 finished runs that have this tag."""
    measure: RankingMeasure | None = None
    """By default the first that the runs have."""
    outlets: list[Outlet] = Field(default=[], max_length=MAX_OUTLETS)

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        if (self.every_seconds is None) != self.on_build:
            raise ValueError("exactly one of every_seconds and on_build is required")
        if self.baseline_run_id is not None and self.baseline_tag is not None:
            raise ValueError("a watch has one baseline: baseline_run_id or baseline_tag")
        return self


class WatchChangeRequest(Message):
    """New values of a watch; values that are left out or null stay."""

    paused: bool | None = None
    """A paused watch begins no look; one that has begun is decided."""


class LookSummary(ServiceResponse):
    """A look of a watch."""

    number: int
    state: LookState
    reason: str
    """Why it failed, or what a decided one lacks; empty otherwise."""
    began_at: datetime
    decided_at: datetime | None
    run_ids: list[str]
    """The run of the plan, then those that confirmed suspected cases; perhaps deleted."""
    measure: str | None
    cases: int | None
    """Compared cases; null before the first run has ended."""
    suspects: int | None
    changes: int
    """Reported changes."""
    detectable_change: float | None
    """Relative change that half of the cases show at least (0.03 is 3 %); null with too few former runs."""


class NamedCase(ServiceResponse):
    """A case with its label."""

    case: WatchedCase
    case_words: str
    """The case in one line."""


class RegressionRow(NamedCase):
    """A change of one case, corrected for all cases."""

    ratio: float
    """New / former."""
    interval: Interval
    """Corrected for all cases of the plan and for repeated looks."""
    worse: bool
    new_runs: int
    former_runs: int


class ChangeSummary(RegressionRow):
    """A reported change of one case."""

    look: int
    found_at: datetime
    lasts: bool
    """Whether the case had no later change and has not recovered."""


class WithdrawnChange(NamedCase):
    """A reported change of one case whose agent was distrusted later: its figures are withdrawn."""

    look: int
    found_at: datetime
    reason: str


class DeliverySummary(ServiceResponse):
    """A report of a look to one outlet."""

    look: int
    kind: OutletKind
    target: str
    state: DeliveryState
    tries: int
    last_error: str
    due_at: datetime
    delivered_at: datetime | None


class WatchSummary(ServiceResponse):
    """A watch."""

    id: str
    name: str
    plan_name: str
    measure: str | None
    every_seconds: int | None
    on_build: bool
    baseline_run_id: str | None
    baseline_tag: str | None
    outlets: list[Outlet]
    paused: bool
    created_at: datetime
    created_by: str
    owner_id: str | None
    """Family of the token that added it; only its tokens and admins may change it. Null: only admins."""
    due_at: datetime | None
    """Time of the next look; null if it is paused or follows a build."""
    notice: str
    """Why the last due look was skipped or its run refused; empty if it was submitted."""
    noticed_at: datetime | None
    looks: int
    last_look: LookSummary | None
    changes: int
    """Changes reported so far, also those that are withdrawn."""


class WatchCreated(WatchSummary):
    """A new watch."""

    webhook_key: str | None
    """Key of the signatures of its webhooks, 64 hexadecimal digits; null without a webhook."""


class CasePoint(ServiceResponse):
    """Value of a case in one look, relative to the mean of all looks that are shown."""

    look: int
    ratio: float
    low: float | None
    """95 % interval of a single run, by the differences of consecutive runs; null with fewer than 5 looks."""
    high: float | None
    reported: bool
    """Whether the look reported a change of the case."""


class CaseHistory(NamedCase):
    """Values of a case over the latest looks."""

    points: list[CasePoint]
    """Oldest first; without confirmations."""
    reason: str = ""
    """Why there are no points; empty otherwise."""


class LookDifferences(ServiceResponse):
    """In what the run of a look differs from most of the runs that it was compared with."""

    look: int
    run_id: str | None
    """The run of the plan; null if it, or all former runs, were deleted."""
    former_run_ids: list[str]
    """Oldest first; up to 5 of them, evenly spread, are compared."""
    changed: list[Change]
    """Compiler, flags, libraries, kernel, microcode, governor, …: most relevant first."""
    reason: str
    """Why nothing could be compared; empty otherwise."""


class WatchDetail(WatchSummary):
    """A watch with its latest looks, changes and reports, newest first."""

    plan: dict[str, Any]
    method: str
    """How changes are found, and how often the method is wrong."""
    latest_looks: list[LookSummary]
    latest_changes: list[ChangeSummary]
    withdrawn_changes: list[WithdrawnChange]
    """Changes on agents that were distrusted after the report."""
    differences: LookDifferences | None
    """Differences found by the latest look with a reported change; null without any."""
    latest_deliveries: list[DeliverySummary]
    histories: list[CaseHistory]
    """Histories of the cases with the latest changes, otherwise of those that vary most."""


class LeftOutCase(ServiceResponse):
    """A case, or a combination of a plan, that is not compared."""

    case_words: str
    """The case in one line."""
    reason: str


class Regressions(ServiceResponse):
    """One run, perhaps with confirmations, compared with former runs."""

    run_id: str
    state: Literal["confirm", "decided", "undecided"]
    """confirm: submit the confirmation plan, then request again; undecided: too few former runs."""
    measure: RankingMeasure
    unit: str
    baseline_run_ids: list[str]
    """Runs that it is compared with."""
    former_run_ids: list[str]
    """Further runs that show the variation between runs."""
    cases: int
    suspects: int
    undecided: int
    """Cases that too few former runs have."""
    undecided_cases: list[str]
    """The same in one line each."""
    lost: list[LeftOutCase]
    """Cases that failed, had a wrong result or were omitted, and that former runs have."""
    left_out: list[LeftOutCase]
    """Further cases that are not compared: withdrawn, without a result in former runs too, newly omitted, missing."""
    confirmations: int
    """Further runs of the suspects."""
    confirmation_plan: dict[str, Any] | None
    """Plan of the suspects, while they need a further run."""
    changes: list[RegressionRow]
    """Largest first."""
    differences: list[Change]
    """In what the run differs from most of the baseline's, most relevant first; empty without changes."""
    detectable_change: float | None
    compared: list[str]
    """The compared cases in one line each."""
    sentence: str
    method: str
