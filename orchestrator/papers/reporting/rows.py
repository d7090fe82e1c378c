"""Verdicts and figures of a report as rows for the exporters. Pure."""

from collections.abc import Iterator, Sequence

from orchestrator.exporters import Cell
from orchestrator.papers.schemas import ClaimVerdict, PaperVerdicts

COLUMNS = (
    "paper", "run_id", "agent_id", "agent_name", "kind", "name", "unit", "published", "measured", "interval_low",
    "interval_high", "measured_over_published", "verdict", "decided_by", "blocks", "where", "tested", "reason",
)  # fmt: skip


def rows_of(found: PaperVerdicts) -> Iterator[Sequence[Cell]]:
    """Yield a row for each figure, claim and finding of each agent; the estimate of a claim is in `measured`."""
    for agent in found.agents:
        common = (found.paper, found.run_id, agent.agent_id, agent.agent_name)
        for one in agent.figures:
            low, high = (one.interval.low, one.interval.high) if one.interval else (None, None)
            values = (one.published, one.measured, low, high, one.ratio)
            yield (
                *common,
                "figure",
                one.label,
                one.unit,
                *values,
                None,
                None,
                None,
                one.where,
                None,
                one.reason or None,
            )
        for kind, claims in (("claim", agent.claims), ("finding", agent.findings)):
            yield from ((*common, kind, *_claim(claim)) for claim in claims)


def _claim(one: ClaimVerdict) -> Sequence[Cell]:
    low, high = (one.interval.low, one.interval.high) if one.interval else (None, None)
    return (one.text, "ratio", None, one.estimate, low, high, None, one.verdict, one.part or None, one.blocks, None,
            one.tested, one.reason or None)  # fmt: skip
