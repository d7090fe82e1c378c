"""Data that several pages show. A page is drawn from a view by its template, and its JSON twin is the same view.

Quantities are unrounded and carry their unit in the name. Null means that there is no value; the page shows the reason.
"""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from orchestrator.agents.schemas import CalibrationSummary


class View(BaseModel):
    """Root of the views: frozen, complete before anything is drawn."""

    model_config = ConfigDict(frozen=True)


class Tally(View):
    """How many executions of a run have ended, and how."""

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
        """Executions that have a record, whatever it says."""
        return self.ok + self.failed + self.wrong + self.disputed + self.skipped

    @property
    def fraction(self) -> float:
        """Share of the run that has ended, 0 to 1."""
        return self.ended / self.total if self.total else 0.0


class AgentName(View):
    """An agent as links show it."""

    id: str
    name: str
    live: bool
    """Heard within the time after which an agent counts as silent."""


class Interval(View):
    """A median with the limits of its 95 % interval; the limits are null below 6 executions."""

    median: float | None
    low: float | None
    high: float | None


class CalibrationRow(View):
    """What measuring itself costs on an agent."""

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
