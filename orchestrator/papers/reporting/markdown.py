"""Report of a paper in Markdown: summary, verdicts, figures next to the published ones, and how to repeat it. Pure."""

from collections.abc import Iterator, Sequence

from orchestrator.papers.reporting.columns import side_by_side, title_of
from orchestrator.papers.reporting.explanation import noise, warnings
from orchestrator.papers.reporting.schemas import SideBySide
from orchestrator.papers.schemas import (
    AgentVerdicts,
    ClaimVerdict,
    FigureComparison,
    MeasuredValue,
    PaperDetail,
    PaperVerdicts,
)
from orchestrator.shared.exporters.markdown import escaped, table
from orchestrator.shared.units import format_figure

_ABSENT = "—"


def markdown(paper: PaperDetail, runs: Sequence[PaperVerdicts]) -> str:
    """Return the report of one run or of several as Markdown."""
    published = paper.authors + (f", {paper.year}" if paper.year else "")
    lines = [f"# {escaped(paper.title)}", "", f"{escaped(published)}. {escaped(paper.summary)}"]
    lines += [text for one in (*warnings(runs), *noise(runs)) for text in ("", escaped(one))]
    lines += ["", *_side_by_side(side_by_side(runs))]
    for found in runs:
        lines += [
            "",
            f"Run {found.run_id} ({escaped(found.run_name)}) is {found.run_state}. {found.chance}",
        ]
        for agent in found.agents:
            lines += ["", *_agent(agent)]
    lines += ["", "## How to repeat it", ""]
    lines += [f"`ciphermark papers run {paper.name}`; the seed of run {one.run_id} is {one.seed}." for one in runs]
    return "\n".join(lines) + "\n"


def _side_by_side(found: SideBySide) -> Iterator[str]:
    if len(found.columns) < 2:
        return
    titles = [title_of(one) for one in found.columns]
    yield "## Devices and runs side by side"
    for rows in (found.claims, found.findings):
        if rows:
            yield ""
            yield from table(("claim", *titles), ((one.text, *(v.verdict for v in one.verdicts)) for one in rows))
    yield ""
    yield from table(
        ("figure", "published", *titles),
        (
            (one.label, f"{_number(one.published)} {one.unit}", *(_value(value) for value in one.values))
            for one in found.figures
        ),
    )


def _value(one: MeasuredValue) -> str:
    if one.measured is None:
        return _ABSENT
    limits = f" ({_number(one.interval.low)} to {_number(one.interval.high)})" if one.interval else ""
    return f"{_number(one.measured)}{limits}, ratio {_number(one.ratio)}"


def _agent(agent: AgentVerdicts) -> Iterator[str]:
    yield f"## {escaped(agent.agent_name)}"
    yield ""
    yield f"{escaped(agent.sentence)} Processor: {agent.architecture or 'unknown'}."
    yield ""
    yield from table(("claim", "verdict", "tested", "decided by", "estimate", "95 %", "parts", "remark"),
                      (_claim(one) for one in agent.claims))  # fmt: skip
    yield ""
    yield "### Findings"
    yield ""
    yield from table(("finding", "verdict", "tested", "decided by", "estimate", "95 %", "parts", "remark"),
                      (_claim(one) for one in agent.findings))  # fmt: skip
    yield ""
    yield "### Published and measured figures"
    yield ""
    yield from table(("figure", "published", "measured", "95 %", "measured / published", "where", "remark"),
                      (_figure(one) for one in agent.figures))  # fmt: skip


def _claim(one: ClaimVerdict) -> Sequence[str]:
    repetitions = f"; about {one.repetitions} repetitions would decide it" if one.repetitions else ""
    return (
        one.text,
        f"**{one.verdict}**",
        one.tested,
        one.part or _ABSENT,
        _number(one.estimate),
        f"{_number(one.interval.low)} to {_number(one.interval.high)}" if one.interval else _ABSENT,
        f"{one.parts_inside} of {one.parts} inside, {one.parts_outside} outside" if one.parts else _ABSENT,
        one.sentence or (one.reason + repetitions) or _ABSENT,
    )


def _figure(one: FigureComparison) -> Sequence[str]:
    ratio = _ABSENT if one.ratio is None else f"{one.ratio:.3g}"
    return (
        one.label,
        f"{_number(one.published)} {one.unit}",
        _ABSENT if one.measured is None else f"{_number(one.measured)} {one.unit}",
        f"{_number(one.interval.low)} to {_number(one.interval.high)}" if one.interval else _ABSENT,
        ratio,
        one.where,
        one.reason or _ABSENT,
    )


def _number(value: float | None) -> str:
    return _ABSENT if value is None else format_figure(value)
