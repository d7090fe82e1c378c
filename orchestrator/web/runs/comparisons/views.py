"""Data of the page that compares runs."""

from datetime import datetime

from orchestrator.results.comparisons.choices.schemas import ComparedBy, SideChoices
from orchestrator.results.comparisons.schemas import RunComparison
from orchestrator.web.views import View


class RunChoice(View):
    """A run that can be compared."""

    id: str
    name: str
    submitted_at: datetime


class SideForm(View):
    """One side of the form."""

    run_id: str
    """Empty where no run is chosen."""
    choices: SideChoices | None
    """Null where no run is chosen, or where it does not exist."""


class ComparisonPage(View):
    """Two or more runs, or parts of runs, case by case."""

    sides: list[str]
    """As requested: ``RUN`` or ``RUN,toolchain=gcc -O3``."""
    comparison: RunComparison | None
    """Null with fewer than two sides."""
    forms: list[SideForm]
    """Chosen sides and empty ones after them."""
    runs: list[RunChoice]
    """Latest runs, to choose from."""
    comparable: list[ComparedBy]
    """How the run can be compared with itself or the run before it, where it is the only one chosen."""
    searched: str
    """Text that the offered runs contain."""
    problem: str
    """Why the sides cannot be compared; empty if they can."""
    remedy: str
