"""Several devices, or runs at several dates, next to the published figures: one column for each. Pure."""

from collections.abc import Sequence

from orchestrator.papers.reporting.schemas import ClaimRow, FigureRow, MeasuredColumn, SideBySide
from orchestrator.papers.schemas import ClaimVerdict, PaperVerdicts

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
        claims=_claims([agent.claims for agent in agents]),
        findings=_claims([agent.findings for agent in agents]),
        figures=[
            FigureRow.from_row(row[0], values=row) for row in zip(*(agent.figures for agent in agents), strict=True)
        ],
    )


def _claims(of_agents: Sequence[Sequence[ClaimVerdict]]) -> list[ClaimRow]:
    """Return a row for each claim: every agent has all claims of the paper in the same order."""
    return [ClaimRow.from_row(row[0], verdicts=row) for row in zip(*of_agents, strict=True)]
