"""Verdicts and figures of a report as rows for the exporters. Pure."""

from collections.abc import Iterable, Iterator, Sequence

from orchestrator.papers.names import TONES
from orchestrator.papers.schemas import ClaimVerdict, PaperVerdicts
from orchestrator.shared.exporters import Cell, ColumnFacts

FACTS = {
    "paper": ColumnFacts("text", help="Name of the paper."),
    "run_id": ColumnFacts("text", help="Run."),
    "submitted_at": ColumnFacts("time", help="Submission of the run."),
    "agent_id": ColumnFacts("text", help="Agent."),
    "agent_name": ColumnFacts("text", help="Name of the agent now."),
    "kind": ColumnFacts("text", help="figure, claim or finding."),
    "name": ColumnFacts("text", help="Label of the figure, or text of the claim."),
    "unit": ColumnFacts("text", help="Unit of published and measured; ratio for a claim."),
    "published": ColumnFacts("real", help="Published figure."),
    "measured": ColumnFacts("real", help="Measured figure, or estimate of a claim."),
    "interval_low": ColumnFacts("real", help="Lower limit of the 95 % interval of measured."),
    "interval_high": ColumnFacts("real", help="Upper limit of the 95 % interval of measured."),
    "measured_over_published": ColumnFacts("real", "1", "measured / published."),
    "verdict": ColumnFacts("text", help=f"{', '.join(list(TONES)[:-1])} or {list(TONES)[-1]}."),
    "decided_by": ColumnFacts("text", help="Comparison that decides a claim, or is furthest from a decision."),
    "blocks": ColumnFacts("integer", "1", "Blocks of that comparison."),
    "where": ColumnFacts("text", help="Table, figure or section of the publication."),
    "tested": ColumnFacts("text", help="Test of a claim."),
    "reason": ColumnFacts("text", help="Why there is no figure or no decision; how a verdict differs from the paper."),
}
"""Columns in their order."""
COLUMNS = tuple(FACTS)


def rows_of(runs: Iterable[PaperVerdicts]) -> Iterator[Sequence[Cell]]:
    """Yield a row for each figure, claim and finding of each agent; the estimate of a claim is in `measured`."""
    for found in runs:
        for agent in found.agents:
            common = (found.paper, found.run_id, found.submitted_at.isoformat(), agent.agent_id, agent.agent_name)
            for one in agent.figures:
                low, high = (one.interval.low, one.interval.high) if one.interval else (None, None)
                values = (one.published, one.measured, low, high, one.ratio)
                yield (*common, "figure", one.label, one.unit, *values, None, None, None, one.where, None,
                       one.reason or None)  # fmt: skip
            for kind, claims in (("claim", agent.claims), ("finding", agent.findings)):
                yield from ((*common, kind, *_claim(claim)) for claim in claims)


def _claim(one: ClaimVerdict) -> Sequence[Cell]:
    low, high = (one.interval.low, one.interval.high) if one.interval else (None, None)
    return (one.text, "ratio", None, one.estimate, low, high, None, one.verdict, one.part or None, one.blocks, None,
            one.tested, one.sentence or one.reason or None)  # fmt: skip
