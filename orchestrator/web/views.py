"""Data that several pages show. A template renders a view as HTML; the same view is the page's JSON.

Quantities are unrounded and carry their unit in the name. Null means that there is no value; the page shows the reason.
"""

from datetime import datetime

from pydantic import ConfigDict

from orchestrator.agents.schemas import CalibrationSummary
from orchestrator.shared.values.models import LazyModel


class View(LazyModel):
    """Base of the views: frozen, and complete before rendering starts."""

    model_config = ConfigDict(frozen=True)


class Tally(View):
    """Ended executions of a run by state."""

    ok: int = 0
    failed: int = 0
    wrong: int = 0
    disputed: int = 0
    skipped: int = 0
    disturbed: int = 0
    """Of the ok ones."""
    total: int = 0

    @property
    def ended(self) -> int:
        """Number of executions with a record, in any state."""
        return self.ok + self.failed + self.wrong + self.disputed + self.skipped


class AgentName(View):
    """Name, id and liveness of an agent, for links."""

    id: str
    name: str
    live: bool
    """Whether the last heartbeat is recent enough."""


class Interval(View):
    """A median with the limits of its 95 % interval; the limits are null below 6 executions."""

    median: float | None
    low: float | None
    high: float | None


class CalibrationRow(View):
    """One calibration: a cost of measuring on an agent."""

    kind: str
    value: float
    unit: str
    toolchain: str
    calibrated_at: datetime


class Phase(View):
    """One phase of an execution."""

    name: str
    wall_ns: int
    share: float
    """Of the work."""


def calibration_row(calibration: CalibrationSummary) -> CalibrationRow:
    """Return a calibration as pages show it."""
    return CalibrationRow(
        kind=calibration.kind,
        value=calibration.value,
        unit=calibration.unit,
        toolchain=calibration.toolchain_words,
        calibrated_at=calibration.calibrated_at,
    )
