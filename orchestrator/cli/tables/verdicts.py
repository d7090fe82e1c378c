"""Verdicts on the claims of a paper in the terminal: a table for each agent, and the figures next to the published."""

from collections.abc import Mapping

from rich.text import Text

from orchestrator.cli.output import console, print_rows, print_table
from orchestrator.papers.names import TONES, Tone, VerdictName
from orchestrator.papers.reporting.schemas import MeasuredColumn, SideBySide
from orchestrator.papers.schemas import ClaimVerdict, MeasuredValue, PaperVerdicts
from orchestrator.shared.tables import Column, figure, limits, number
from orchestrator.shared.units import format_figure

_STYLES: Mapping[Tone, str] = {"good": "green", "bad": "red", "open": "yellow", "muted": "dim"}


def verdict_text(verdict: VerdictName) -> Text:
    """Return a verdict in its color."""
    return Text(verdict, style=_STYLES[TONES[verdict]])


def print_verdicts(found: PaperVerdicts) -> None:
    """Print the verdicts of each agent of a run."""
    out = console()
    out.print(Text(f"{found.title}: run {found.run_id} ({found.run_state})", style="bold"))
    if not found.agents:
        out.print("No agent of this run has results yet.")
    for agent in found.agents:
        out.print(f"{agent.sentence} {agent.noise}", markup=False)
        if agent.differences:
            out.print(f"Differs from the publication in {'; '.join(agent.differences)}.", markup=False)
        for title, claims in (("claim", agent.claims), ("finding", agent.findings)):
            if claims:
                print_rows((Column(title, value="text"), *_CLAIM_COLUMNS), claims)
        if figures := [one for one in agent.figures if one.measured is not None]:
            print_rows(_FIGURE_COLUMNS, figures)
    if found.agents:
        out.print(found.chance, style="dim")


def print_side_by_side(found: SideBySide) -> None:
    """Print the verdicts and figures of several devices and runs, a column for each."""
    out = console()
    out.print(Text(found.title, style="bold"))
    for one in found.columns:
        if one.run_state != "finished":
            out.print(f"Run {one.run_id} is {one.run_state}: what it has so far is judged.", style="yellow")
        if one.wrong or one.disputed:
            text = f"{_head(one)}: {one.wrong} wrong and {one.disputed} disputed executions count in no verdict."
            out.print(text, style="yellow", markup=False)
        out.print(f"{_head(one)}: {one.noise}", markup=False)
    heads = [_head(one) for one in found.columns]
    for title, claims in (("claim", found.claims), ("finding", found.findings)):
        columns = (Column(title), *(Column(head) for head in heads))
        if claims:
            print_table(columns, [(row.text, *map(_verdict, row.verdicts)) for row in claims])
    figures = [row for row in found.figures if any(one.measured is not None for one in row.values)]
    if figures:
        print_table(
            (Column("figure"), number("published"), *(Column(head, "right") for head in heads)),
            [(row.label, f"{format_figure(row.published)} {row.unit}", *map(_value, row.values)) for row in figures],
        )


def _head(column: MeasuredColumn) -> str:
    return f"{column.agent_name} {column.submitted_at:%Y-%m-%d} {column.run_id}"


def _verdict(one: ClaimVerdict) -> Text:
    return verdict_text(one.verdict)


def _value(one: MeasuredValue) -> str | None:
    """Return a measured value with its interval and its ratio to the published one."""
    if one.measured is None:
        return None
    interval = f" ({format_figure(one.interval.low)} – {format_figure(one.interval.high)})" if one.interval else ""
    return f"{format_figure(one.measured)}{interval} {one.ratio:.3g} ×"


def _why(one: ClaimVerdict) -> str:
    """Return the reason for no decision, or the comparison that decides, over how many choices of variants."""
    if one.repetitions:
        return f"{one.part}: {one.reason}; about {one.repetitions} repetitions would decide it"
    return one.reason or "; ".join(text for text in (one.part, one.range) if text)


_CLAIM_COLUMNS = (
    Column("verdict", value=_verdict),
    number("estimate", lambda one: figure(one.estimate, ".3g")),
    number("95 %", lambda one: limits(one.interval, "{:.3g}".format)),
    Column("why", value=_why),
)
_FIGURE_COLUMNS = (
    Column("figure", value="label"),
    number("published", lambda one: f"{format_figure(one.published)} {one.unit}"),
    number("measured", lambda one: f"{format_figure(one.measured)} {one.unit}"),
    number("ratio", lambda one: figure(one.ratio, ".3g")),
)
