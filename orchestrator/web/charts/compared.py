"""Ratios to a reference in charts: fields of the data, hollow points without a difference, caption with the method."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from orchestrator.results.answers.by_length.schemas import RelativeRatio
from orchestrator.web.charts.theme import limits
from orchestrator.web.charts.vega_lite import Spec, number_tip, text_tip

_WITHOUT_DIFFERENCE = ("tie", "undecided")
TIPS: list[Spec] = [
    text_tip("reference", "compared with"),
    text_tip("method", "method"),
    number_tip("blocks", "common blocks"),
    text_tip("result", "result"),
]


def ratio_fields(one: RelativeRatio) -> dict[str, Any]:
    """Return the fields of a ratio in the data of a chart."""
    return {
        "value": one.ratio,
        **limits(one.interval),
        "reference": one.reference,
        "method": one.method,
        "blocks": one.blocks,
        "result": one.verdict,
    }


def hollow(ratios: Sequence[RelativeRatio]) -> str:
    """Return the condition of the points without a difference; empty if all differ, because Vega warns of no points."""
    if not any(one.verdict in _WITHOUT_DIFFERENCE for one in ratios):
        return ""
    return " || ".join(f"datum.result === '{name}'" for name in _WITHOUT_DIFFERENCE)


def caption(ratios: Sequence[RelativeRatio]) -> list[str]:
    """Return the lines of a title: how the points were compared, and why others were not."""
    methods = Counter(one.method for one in ratios)
    paired, unpaired = methods["paired"], methods["unpaired"]
    lines = []
    if paired:
        lines.append("paired by block, 95 %" + (f"; {unpaired} without common blocks, unpaired" if unpaired else ""))
    elif unpaired:
        lines.append("no common blocks: unpaired, 95 %")
    if any(one.verdict in _WITHOUT_DIFFERENCE for one in ratios):
        lines.append("hollow: tie or undecided")
    reasons = Counter(one.reason for one in ratios if one.ratio is None)
    return lines + [f"{number} not compared: {reason}" for reason, number in sorted(reasons.items())]
