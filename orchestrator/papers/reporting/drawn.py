"""Figures and tables of a paper in its own axes, with what each device measured. Pure."""

from collections.abc import Sequence

from orchestrator.papers.judging.verdicts import measured_value, of_published_lengths
from orchestrator.papers.paper import Drawing, Paper
from orchestrator.papers.quantities import Device
from orchestrator.papers.reporting.schemas import DrawnSpot, MeasuredColumn, PaperDrawing, PaperDrawings
from orchestrator.papers.schemas import MeasuredValue

SAME_SCALE = 5.0
"""Factor between the largest values of two sources up to which they share one scale."""

DrawingValues = tuple[tuple[MeasuredValue, ...], ...]
"""Values of each spot of each drawing."""


def values_of(paper: Paper, device: Device) -> DrawingValues:
    """Return what a device measured for each drawing of a paper, with the lengths of the publication alone."""
    device = of_published_lengths(paper, device)
    return tuple(
        tuple(
            measured_value(spot.quantity, spot.unit or one.unit, spot.published, device, spot.reason)
            for spot in one.spots
        )
        for one in paper.drawings
    )


def drawn(paper: Paper, columns: Sequence[MeasuredColumn], measured: Sequence[DrawingValues]) -> PaperDrawings:
    """Return the drawings of a paper with a value for each column; without columns, as they were published."""
    return PaperDrawings(
        paper=paper.name,
        columns=list(columns),
        drawings=[_drawing(one, [values[place] for values in measured]) for place, one in enumerate(paper.drawings)],
    )


def shared_scale(found: PaperDrawings, drawing: PaperDrawing) -> bool:
    """Return whether all sources are drawn on one scale: their largest values do not differ by more than 5 times."""
    tops = []
    for place in range(-1, len(found.columns)):
        of_source = (one.published if place < 0 else one.values[place].measured for one in drawing.spots)
        values = [value for value in of_source if value is not None]
        tops += [max(values)] if values else []
    return drawing.scale == "log" or len(tops) < 2 or max(tops) <= SAME_SCALE * min(tops)


def _drawing(one: Drawing, measured: Sequence[Sequence[MeasuredValue]]) -> PaperDrawing:
    spots = [
        DrawnSpot.from_row(spot, unit=spot.unit or one.unit, values=[values[place] for values in measured])
        for place, spot in enumerate(one.spots)
    ]
    return PaperDrawing.from_row(one, spots=spots)
