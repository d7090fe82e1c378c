"""API schemas of papers and verdicts. Units are in the names; null means absent, with a reason."""

from datetime import datetime

from orchestrator.papers.names import TONES, Scale, Tone, Unit, VerdictName
from orchestrator.results.schemas import Interval, NoiseFloor
from orchestrator.runs.preflight.schemas import PreflightReportDetail
from orchestrator.runs.schemas import RunStateName
from orchestrator.shared.values.models import EndedExecutions, LazyModel


class PaperSummary(LazyModel):
    """One paper in the list."""

    name: str
    title: str
    authors: str
    year: int | None
    """Null if the publication names none."""
    claims: int
    figures: int


class ClaimText(LazyModel):
    """A claim of a paper."""

    claim: str
    """Id of the claim within its paper."""
    text: str
    tested: str


class ClaimDetail(ClaimText):
    """A claim and the kind of device that it is about."""

    device: str
    """Empty if the publication names none."""


class PublishedFigure(LazyModel):
    """A published figure."""

    label: str
    published: float
    unit: Unit
    where: str
    """Table, figure or section of the publication."""


class FigureDetail(PublishedFigure):
    """A published figure, and why it cannot be compared with a measurement."""

    reason: str
    """Empty if it can."""


class PlanOfPaper(LazyModel):
    """A plan that answers what the paper's own plan does not."""

    name: str
    """Name of the file plans/<name>.yaml."""
    answers: str
    """The question that it answers."""


class PaperDetail(PaperSummary):
    """A paper with its claims, figures and plan."""

    summary: str
    claim_details: list[ClaimDetail]
    figure_details: list[FigureDetail]
    published_on: str
    """Devices of the publication; empty if it names none."""
    differences: list[str]
    """Intended differences from the publication, which can change figures."""
    findings: list[str]
    """What the re-measurement of the paper showed."""
    further_plans: list[PlanOfPaper]
    scale: Scale
    plan_text: str
    """Plan at this scale: YAML at full scale, JSON at quick scale."""


class ClaimVerdict(ClaimText):
    """Verdict on one claim on one agent."""

    verdict: VerdictName
    differences: list[str] = []
    """Differences from the publication in processor, flags, lengths and code; of a decided claim."""
    sentence: str = ""
    """The verdict with these differences, the disturbed share and the noise floor; empty if there is no decision."""
    part: str = ""
    """Comparison that decides the claim, or that is furthest from a decision."""
    estimate: float | None = None
    """Ratio of that comparison, second / first; Kendall's tau for an order; share for counted events."""
    interval: Interval | None = None
    """95 % for that comparison alone; of an order: corrected for all pairs and claims."""
    low: float | None = None
    """Range that the claim states for the estimate, as the next; null without a limit."""
    high: float | None = None
    blocks: int = 0
    parts: int = 0
    """Comparisons of the claim."""
    parts_inside: int = 0
    parts_outside: int = 0
    choices: int = 1
    """Choices of one portable variant of each cipher, 1 where the claim names its code; the estimate is that of one."""
    choices_reproduced: int
    range: str = ""
    """Number of choices with each verdict; empty for a single choice."""
    repetitions: int | None = None
    """Repetitions that would probably decide an inconclusive claim."""
    missing: list[str]
    """What the run lacks, at most 20 entries."""
    missing_total: int
    reason: str
    """Why there is no decision; empty if there is one."""

    @property
    def tone(self) -> Tone:
        """Class and color of the verdict in a form."""
        return TONES[self.verdict]


class MeasuredValue(LazyModel):
    """Measurement of one device in one run for a published figure."""

    measured: float | None = None
    """Location over the blocks, of the geometric mean over the inputs."""
    interval: Interval | None = None
    """95 %, for this value alone; null below 6 blocks and for sizes, which have no error."""
    ratio: float | None = None
    """measured / published."""
    reason: str
    """Why nothing was measured."""


class FigureComparison(MeasuredValue, PublishedFigure):
    """A published figure next to the measured one."""


class AgentVerdicts(EndedExecutions):
    """Verdicts and figures of one agent, and its executions; its claims are one family."""

    agent_id: str
    agent_name: str
    device: str
    architecture: str
    emulated: bool
    noise_floor: NoiseFloor
    disturbed: int
    """Disturbed ones among the ok executions."""
    claims: list[ClaimVerdict]
    findings: list[ClaimVerdict]
    """Checks of the findings, a family of their own: a finding that is reproduced is visible in this run."""
    figures: list[FigureComparison]
    sentence: str
    """Number of each verdict, after what may mislead."""
    noise: str
    """Share of disturbed executions, and the noise floor."""
    differences: list[str]
    """Differences of this agent and its run from the publication, for all decided claims together."""


class PaperVerdicts(LazyModel):
    """Verdicts on the claims of a paper by one run."""

    paper: str
    title: str
    run_id: str
    run_name: str
    run_state: RunStateName
    submitted_at: datetime
    seed: int
    significance: float
    """Probability that any claim of an agent gets a wrong verdict by chance, at most."""
    chance: str
    """The same as a sentence."""
    agents: list[AgentVerdicts]


class BuildOfRun(LazyModel):
    """A build that a run used on a device."""

    toolchain: str
    compiler_version: str
    build_key: str
    source_sha256: str | None
    """Null for programs of unknown origin."""
    runners: dict[str, str]
    """SHA-256 of each runner by provider."""
    failure: str | None


class DeviceConditions(LazyModel):
    """A device of a run and its state before the run."""

    agent_id: str
    agent_name: str
    facts: dict[str, str]
    inventory_sha256: str | None
    builds: list[BuildOfRun]
    executions: dict[str, int]
    """Number of executions by state."""
    preflight: PreflightReportDetail | None
    """The newest report of the run; null if none was made."""


class OmissionsOfRun(LazyModel):
    """Combinations of the plan that an agent cannot execute, for one reason."""

    agent_name: str | None
    reason: str
    combinations: int
    executions: int | None


class RunConditions(LazyModel):
    """Conditions of a run, and the plan and hashes that another device needs to repeat it."""

    run_id: str
    version: str
    """Version of Ciphermark."""
    submitted_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    seed: int
    executions_total: int
    plan_text: str
    """YAML."""
    plan_sha256: str
    devices: list[DeviceConditions]
    omissions: list[OmissionsOfRun]
