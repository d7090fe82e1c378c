"""Data of the pages of papers."""

from datetime import datetime

from orchestrator.papers.reporting.schemas import PaperDrawings, SideBySide
from orchestrator.papers.schemas import PaperDetail, PaperSummary, PaperVerdicts
from orchestrator.web.views import View


class PaperListPage(View):
    """All papers."""

    papers: list[PaperSummary]


class PaperRun(View):
    """A run of the paper's plan, at either scale."""

    id: str
    name: str
    state: str
    submitted_at: datetime
    agents: list[str]
    """Names."""


class PaperPage(View):
    """A paper, and the verdicts of one run or of several."""

    paper: PaperDetail
    runs: list[PaperRun]
    """Newest first, at most 20."""
    parquet: bool
    """Whether this service can write Parquet."""
    found: list[PaperVerdicts]
    """Of the chosen runs, by the time of their submission; empty without a run of this paper."""
    side_by_side: SideBySide | None
    """Null without a run of this paper."""
    drawings: PaperDrawings
    """Figures and tables in the publication's own axes."""
    same_scales: dict[str, bool]
    """By name of a figure that is no table: whether published and measured values share one scale."""
    warnings: list[str]
    """What may mislead a reader of these runs."""
    noise: list[str]
    """Share of disturbed executions and noise floor of each agent."""
