"""Data of the pages of papers."""

from datetime import datetime

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
    """A paper, and the verdicts of one run."""

    paper: PaperDetail
    runs: list[PaperRun]
    """Newest first, at most 20."""
    pdf: bool
    """Whether this service can print reports as PDF."""
    found: PaperVerdicts | None
    """Null without a run of this paper."""
