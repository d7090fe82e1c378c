"""Columns of a Pareto front."""

from orchestrator.results.columns.cells import quantities, timing_cell
from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import AgentAnswer, FrontPoint, Interval, ParetoFront
from orchestrator.shared.tables import Cell, Column, number, shown
from orchestrator.shared.units import format_quantity
from orchestrator.shared.values.forms import variant_label


def front_columns(front: ParetoFront, agent: AgentAnswer, *, page: bool) -> list[Column]:
    """Return the columns of a Pareto front; page: with the columns and titles that a terminal has no room for."""
    first, second = (MEASURES[one].title if page else one for one in (agent.measure, front.against))
    columns = [
        (True, Column("front", value=lambda one: Cell("yes", tone="state") if one.on_front else None)),
        (
            True,
            Column(
                "algorithm", heads_row=True, value=lambda one: f"{one.algorithm} {one.provider} {variant_label(one)}"
            ),
        ),
        (True, Column("toolchain")),
        (True, number(first, lambda one: _value(one.value, one.interval, agent.unit))),
        (True, number(second, lambda one: _value(one.against_value, one.against_interval, front.unit))),
        (page, Column("constant time", value=lambda one: timing_cell(one.constant_time_check))),
        (True, Column("dominated by, or = tied with", value=_dominating)),
    ]
    return shown(columns)


def _dominating(point: FrontPoint) -> str:
    return point.dominated_by or ", ".join(f"= {name}" for name in point.tied_with)


def _value(value: float | None, interval: Interval | None, unit: str) -> Cell:
    text = None if value is None else format_quantity(value, unit)
    return Cell(text, title=f"95 %: {quantities(interval, unit)}" if interval else "")
