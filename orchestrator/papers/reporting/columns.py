"""Several devices, or runs at several dates, next to the published figures: one column for each. Pure."""

from collections.abc import Iterator, Sequence

from orchestrator.papers.reporting.schemas import ClaimRow, FigureRow, MeasuredColumn, SideBySide
from orchestrator.papers.schemas import ClaimVerdict, FigureComparison, PaperVerdicts

COLUMNS_ABREAST = 3
"""Columns that fit a printed page."""


def title_of(column: MeasuredColumn) -> str:
    """Return the title of a column: agent, date and run."""
    return f"{column.agent_name}, {column.submitted_at:%Y-%m-%d %H:%M} UTC, run {column.run_id}"


def side_by_side(runs: Sequence[PaperVerdicts]) -> SideBySide:
    """Return a column for each agent of each run of one paper, in the order of the runs; at least one run."""
    columns = [(run, agent) for run in runs for agent in sorted(run.agents, key=lambda one: one.agent_name)]
    agents = [agent for _, agent in columns]
    return SideBySide(
        paper=runs[0].paper,
        title=runs[0].title,
        columns=[MeasuredColumn.model_validate(vars(run) | vars(agent)) for run, agent in columns],
        claims=list(_claims([agent.claims for agent in agents])),
        findings=list(_claims([agent.findings for agent in agents])),
        figures=list(_figures([agent.figures for agent in agents])),
    )


def _claims(of_agents: Sequence[Sequence[ClaimVerdict]]) -> Iterator[ClaimRow]:
    """Yield a row for each claim: every agent has all claims of the paper in the same order."""
    for row in zip(*of_agents, strict=True):
        yield ClaimRow(claim=row[0].claim, text=row[0].text, tested=row[0].tested, verdicts=list(row))


def _figures(of_agents: Sequence[Sequence[FigureComparison]]) -> Iterator[FigureRow]:
    for row in zip(*of_agents, strict=True):
        first = row[0]
        yield FigureRow(
            label=first.label, published=first.published, unit=first.unit, where=first.where, values=list(row)
        )
