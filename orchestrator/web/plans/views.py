"""Data of the editor of plans."""

from datetime import datetime

from orchestrator.runs.schemas import PlanPreview
from orchestrator.service.problems import Problem
from orchestrator.web.views import View


class ShippedPlanLink(View):
    """A plan of this installation to start from."""

    name: str
    description: str


class EarlierRun(View):
    """A run whose plan can be edited and submitted again."""

    id: str
    name: str
    submitted_at: datetime


class QuestionForm(View):
    """The form of the usual questions: the names to choose from, and the answers."""

    algorithms: dict[str, list[str]]
    """Family → algorithms: ``aes`` → ``aes-128-ctr``."""
    providers: list[str]
    agents: list[str]
    labels: list[str]
    kinds: list[str]
    compilers: list[str]
    optimizations: list[str]
    chosen: dict[str, list[str]]
    """Field of the form → chosen names."""
    purpose: str
    certainty: str
    label: str
    lengths: str


class Starts(View):
    """Questions, plans and runs that a plan can be made from."""

    questions: QuestionForm
    shipped: list[ShippedPlanLink]
    runs: list[EarlierRun]


class PlanPage(View):
    """The editor: the text of a plan, and its preview or its problem."""

    text: str
    origin: str
    """Where the text comes from, as a sentence; empty for a text of the user."""
    preview: PlanPreview | None = None
    problem: Problem | None = None
    key: str
    """Distinguishes submissions: one page submits the same text once."""
    starts: Starts | None = None
    """Null in the response to a form."""
