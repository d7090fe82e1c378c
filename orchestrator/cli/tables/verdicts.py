"""Verdicts on the claims of a paper in the terminal: a table for each agent, and the figures next to the published."""

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from orchestrator.cli.output import Column, console, number, print_table

VERDICT_STYLES = {"holds": "green", "refuted": "red", "inconclusive": "yellow", "not measurable here": "dim"}


def print_verdicts(found: Mapping[str, Any]) -> None:
    """Print the verdicts of each agent of a run."""
    out = console()
    out.print(Text(f"{found['title']}: run {found['run_id']} ({found['run_state']})", style="bold"))
    if not found["agents"]:
        out.print("No agent of this run has results yet.")
    for agent in found["agents"]:
        out.print(agent["sentence"], markup=False)
        for title in ("claim", "finding"):
            columns = (Column(title), Column("verdict", keeps_width=True), number("estimate"), number("95 %"))
            print_table((*columns, Column("why")), [_claim(one) for one in agent[f"{title}s"]])
        print_table(
            (Column("figure"), number("published"), number("measured"), number("ratio")),
            [_figure(one) for one in agent["figures"] if one["measured"] is not None],
        )
    if found["agents"]:
        text = f"Probability of any wrong verdict of an agent: at most {found['significance']:.0%}."
        out.print(text, style="dim")


def _claim(one: Mapping[str, Any]) -> tuple[object, ...]:
    interval = one["interval"]
    return (
        one["text"],
        Text(one["verdict"], style=VERDICT_STYLES[one["verdict"]]),
        _number(one["estimate"]),
        f"{interval['low']:.3g} – {interval['high']:.3g}" if interval else None,
        _why(one),
    )


def _why(one: Mapping[str, Any]) -> str:
    """Return the reason for no decision, or the comparison that decides."""
    if one["repetitions"]:
        return f"{one['part']}: {one['reason']}; about {one['repetitions']} repetitions would decide it"
    return str(one["reason"] or one["part"])


def _figure(one: Mapping[str, Any]) -> tuple[object, ...]:
    return one["label"], f"{one['published']:.4g} {one['unit']}", f"{one['measured']:.4g}", _number(one["ratio"])


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.3g}"
