"""Declaration of a figure or table of a publication in its own axes."""

from dataclasses import dataclass

from orchestrator.papers.names import AxisScale, DrawingKind, Unit
from orchestrator.papers.quantities import Quantity


@dataclass(frozen=True)
class Spot:
    """A point of a chart, or a cell of a table."""

    x: str
    """Category of the horizontal axis, or row."""
    series: str
    """Color of a chart, or column of a table."""
    published: float | None = None
    """None where the publication shows a value that it does not print."""
    quantity: Quantity | None = None
    """None if it has no counterpart."""
    panel: str = ""
    unit: Unit | None = None
    """If it is not that of the drawing."""
    reason: str = ""
    """Why there is no counterpart."""


@dataclass(frozen=True)
class Drawing:
    """A figure or table. Panels, categories and series have the order in which the spots name them first."""

    name: str
    """As in the addresses of pages: `figure-1`."""
    title: str
    """`Figure 1: performance by mode`."""
    kind: DrawingKind
    x: str
    """Title of the categories."""
    y: str
    """Title of the values, without the unit."""
    unit: Unit
    spots: tuple[Spot, ...]
    series: str = ""
    """Title of the legend."""
    scale: AxisScale = "linear"
    remark: str = ""
    """What the publication does not print or state about the drawing."""
