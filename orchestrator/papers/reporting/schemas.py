"""API schemas of devices and runs next to a publication, and the parts of a report."""

from datetime import datetime
from typing import NamedTuple

from orchestrator.papers.names import AxisScale, DrawingKind, Unit
from orchestrator.papers.schemas import (
    ClaimText,
    ClaimVerdict,
    MeasuredValue,
    PaperDetail,
    PaperVerdicts,
    PublishedFigure,
    RunConditions,
)
from orchestrator.runs.schemas import RunStateName
from orchestrator.shared.values.models import LazyModel


class MeasuredColumn(LazyModel):
    """A device in a run: a column next to the published figures."""

    run_id: str
    run_name: str
    run_state: RunStateName
    submitted_at: datetime
    agent_id: str
    agent_name: str
    device: str
    wrong: int
    """Executions, as the next."""
    disputed: int
    noise: str
    """Share of disturbed executions, and the noise floor."""


class FigureRow(PublishedFigure):
    """A published figure and what was measured for it."""

    values: list[MeasuredValue]
    """One for each column."""


class ClaimRow(ClaimText):
    """A claim or finding and its verdicts."""

    verdicts: list[ClaimVerdict]
    """One for each column."""


class SideBySide(LazyModel):
    """Several devices, or runs at several dates, next to the publication."""

    paper: str
    title: str
    columns: list[MeasuredColumn]
    """By the time of the run, then by the name of the agent."""
    claims: list[ClaimRow]
    findings: list[ClaimRow]
    figures: list[FigureRow]


class DrawnSpot(LazyModel):
    """A point of a chart, or a cell of a table."""

    panel: str
    x: str
    """Category of the horizontal axis, or row."""
    series: str
    """Series of a chart, or column of a table."""
    unit: Unit
    published: float | None
    """Null where the publication shows a value that it does not print."""
    values: list[MeasuredValue]
    """One for each column of the drawings."""


class DrawnTable(NamedTuple):
    """Rows and columns of a table; None for a cell that the publication does not have."""

    columns: list[str]
    rows: list[tuple[str, list[DrawnSpot | None]]]


class PaperDrawing(LazyModel):
    """A figure or table of a publication in its own axes, next to what was measured."""

    name: str
    title: str
    kind: DrawingKind
    x: str
    """Title of the categories."""
    y: str
    """Title of the values, without the unit."""
    unit: Unit
    series: str
    """Title of the legend."""
    scale: AxisScale
    remark: str
    """What the publication does not print or state about it."""
    spots: list[DrawnSpot]
    """Panels, categories and series have the order in which they appear first."""

    @property
    def is_empty(self) -> bool:
        """True if the publication prints no value and none was measured."""
        return all(found is None for one in self.spots for found in (one.published, *(v.measured for v in one.values)))

    @property
    def table(self) -> DrawnTable:
        """Spots as rows and columns."""
        cells = {(one.x, one.series): one for one in self.spots}
        columns = list(dict.fromkeys(one.series for one in self.spots))
        names = dict.fromkeys(one.x for one in self.spots)
        return DrawnTable(columns, [(name, [cells.get((name, one)) for one in columns]) for name in names])


class PaperDrawings(LazyModel):
    """All figures and tables of a paper."""

    paper: str
    columns: list[MeasuredColumn]
    """Devices and runs; empty for the publication alone."""
    drawings: list[PaperDrawing]


class ReportedRun(LazyModel):
    """A run in a report: its verdicts and its conditions."""

    found: PaperVerdicts
    conditions: RunConditions


class PaperReport(LazyModel):
    """All parts of the report of a paper by one run, or by several."""

    paper: PaperDetail
    runs: list[ReportedRun]
    """By the time of their submission; at least one."""
    side_by_side: SideBySide
    drawings: PaperDrawings
