"""Report of a paper as LaTeX source, with the packages booktabs, longtable and siunitx. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence

from orchestrator.papers.reporting.columns import COLUMNS_ABREAST, title_of
from orchestrator.papers.reporting.explanation import differences, noise, summary, warnings
from orchestrator.papers.reporting.schemas import (
    DrawnSpot,
    PaperDrawing,
    PaperDrawings,
    PaperReport,
    ReportedRun,
    SideBySide,
)
from orchestrator.papers.schemas import (
    AgentVerdicts,
    ClaimVerdict,
    DeviceConditions,
    FigureComparison,
    MeasuredValue,
)
from orchestrator.results.schemas import Interval
from orchestrator.shared.values.latex import escape
from orchestrator.shared.values.text import visible_line

_ABSENT = "---"
_PREAMBLE = r"""\documentclass[a4paper,10pt]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\usepackage[margin=20mm]{geometry}
\usepackage{booktabs}
\usepackage{longtable}
\usepackage{array}
\usepackage{siunitx}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\newcolumntype{L}[1]{>{\raggedright\arraybackslash}p{#1}}
\begin{document}
"""


def latex(report: PaperReport) -> str:
    """Return the whole document; it compiles with pdflatex."""
    paper = report.paper
    published = paper.authors + (f", {paper.year}" if paper.year else "")
    runs = "; ".join(f"run {one.found.run_id}, {one.conditions.submitted_at:%Y-%m-%d}" for one in report.runs)
    found = [one.found for one in report.runs]
    lines = [
        _PREAMBLE + rf"\title{{{escape(paper.title)}: repetition}}",
        rf"\author{{Publication: {escape(published)}}}",
        rf"\date{{{escape(runs[0].upper() + runs[1:])}}}",
        r"\maketitle",
        r"\section{Summary}",
        escape(paper.summary),
        "",
        *(rf"\textbf{{{escape(one)}}}" + "\n" for one in warnings(found)),
        *(escape(one) + "\n" for one in (*noise(found), *summary(report))),
        *_side_by_side(report.side_by_side),
    ]
    several = len(report.runs) > 1
    for run in report.runs:
        lines += _conditions(run, several)
    for run in report.runs:
        for agent in run.found.agents:
            lines += _agent(agent, f", run {run.found.run_id}" if several else "")
    lines += _published_tables(report.drawings)
    lines += [
        r"\section{Intended differences from the publication}",
        *_items([f"It was measured on {paper.published_on}." if paper.published_on else "", *paper.differences]),
        r"\section{Repetition of a paper}",
        escape(f"ciphermark papers run {paper.name}, or submit a plan below."),
        "",
    ]
    for run in report.runs:
        lines += _plan(run)
    return "\n".join([*lines, r"\end{document}"]) + "\n"


def _plan(run: ReportedRun) -> Iterator[str]:
    conditions = run.conditions
    seed = f"Run {conditions.run_id}: seed {conditions.seed}, Ciphermark {conditions.version}, SHA-256 of the plan: "
    yield escape(seed) + r"\newline" + _hash(conditions.plan_sha256)
    yield r"\begin{verbatim}"
    # Nothing in a plan can end the environment: it is the only text that is not escaped.
    yield visible_document(conditions.plan_text)
    yield r"\end{verbatim}"


def _side_by_side(found: SideBySide) -> Iterator[str]:
    """Yield tables of the devices and runs next to the publication, if there are several, three of them in a table."""
    if len(found.columns) < 2:
        return
    yield r"\section{Devices and runs side by side}"
    for first in range(0, len(found.columns), COLUMNS_ABREAST):
        places = range(first, min(first + COLUMNS_ABREAST, len(found.columns)))
        titles = [escape(title_of(found.columns[place])) for place in places]
        for name, rows in (("claim", found.claims), ("finding", found.findings)):
            if rows:
                yield from _table(
                    "L{56mm}" + "L{32mm}" * len(titles),
                    (name, *titles),
                    ((escape(row.text), *(escape(row.verdicts[place].verdict) for place in places)) for row in rows),
                )
        yield from _table(
            "L{34mm}r" + "L{36mm}" * len(titles),
            ("figure", "published", *titles),
            (
                (
                    escape(row.label),
                    f"{number(row.published)} {escape(row.unit)}",
                    *(_value(row.values[place]) for place in places),
                )
                for row in found.figures
            ),
        )


def _value(one: MeasuredValue) -> str:
    if one.measured is None:
        return _ABSENT
    return f"{_with_interval(one.measured, one.interval)}, ratio {number(one.ratio)}"


def visible_document(text: str) -> str:
    """Return text of several lines for a verbatim environment: ASCII, without the command that ends it."""
    lines = (visible_line(line).encode("ascii", "replace").decode() for line in text.splitlines())
    return "\n".join(lines).replace(r"\end", r"\ end")


def _conditions(run: ReportedRun, several: bool) -> Iterator[str]:
    where = f" of run {escape(run.found.run_id)}" if several else ""
    yield rf"\section{{Devices and conditions{where}}}"
    for device in run.conditions.devices:
        yield rf"\subsection{{{escape(device.agent_name)}}}"
        yield from _items(_device(device))
    if run.conditions.omissions:
        yield r"\subsection{Omitted}"
        yield from _items(
            f"{one.combinations} combinations on {one.agent_name or 'every agent'}: {one.reason}"
            for one in run.conditions.omissions
        )


def _device(device: DeviceConditions) -> Iterator[str]:
    for name, value in device.facts.items():
        yield f"{name}: {value}"
    states = ", ".join(f"{count} {state}" for state, count in device.executions.items())
    yield f"executions: {states or 'none'}"
    for build in device.builds:
        yield f"build: {build.toolchain} ({build.compiler_version}), key {build.build_key[:16]}"
    for check in device.preflight.results if device.preflight else ():
        if check.state != "good":
            yield f"preflight check {check.name}, {check.state}: {check.found}; expected: {check.expected}"


def _agent(agent: AgentVerdicts, where: str) -> Iterator[str]:
    yield rf"\section{{{escape(agent.agent_name + where)}}}"
    yield escape(agent.sentence) + "\n"
    for title, claims in (("Claims", agent.claims), ("Findings", agent.findings)):
        if claims:
            yield rf"\subsection{{{title}}}"
            yield from _table(
                "L{54mm}L{20mm}rL{46mm}",
                (title[:-1], "verdict", "estimate (95 \\%)", "decided by"),
                map(_claim, claims),
            )
    yield r"\subsection{Published and measured figures}"
    yield from _table(
        "L{48mm}lrrrL{24mm}",
        ("figure", "unit", "published", "measured (95 \\%)", "ratio", "where"),
        map(_figure, agent.figures),
    )
    yield r"\subsection{Where they differ}"
    yield from _items(differences(agent))


def _published_tables(found: PaperDrawings) -> Iterator[str]:
    """Yield the tables of the publication; the values of its charts are among the figures of each agent."""
    tables = [one for one in found.drawings if one.kind == "table"]
    if tables:
        yield r"\section{Tables of the publication}"
    for one in tables:
        yield rf"\subsection{{{escape(one.title)}}}"
        if one.remark:
            yield escape(one.remark) + "\n"
        yield from _published_table(found, one)


def _published_table(found: PaperDrawings, drawing: PaperDrawing) -> Iterator[str]:
    """Yield a table for each device, or the published one; the measured value is below the published one."""
    columns, cells = drawing.table
    places = range(len(found.columns))
    for place in places or [None]:
        yield escape(_name_of_values(found, drawing, place)) + "\n"
        width = r"L{\dimexpr(\textwidth-46mm)/" + str(len(columns)) + r"-2\tabcolsep\relax}"
        yield from _table(
            "L{40mm}" + width * len(columns),
            (escape(drawing.x), *map(escape, columns)),
            ((escape(name), *(_cell(cell, place) for cell in row)) for name, row in cells),
        )


def _name_of_values(found: PaperDrawings, drawing: PaperDrawing, place: int | None) -> str:
    unit = "" if drawing.unit == "times" else f" [{drawing.unit}]"
    where = "" if place is None else f": published, and below it measured by {title_of(found.columns[place])}"
    return f"{drawing.y}{unit}{where}."


def _cell(cell: DrawnSpot | None, place: int | None) -> str:
    if cell is None:
        return ""
    measured = r"\newline " + number(cell.values[place].measured) if place is not None else ""
    return number(cell.published) + measured


def _claim(one: ClaimVerdict) -> Sequence[str]:
    why = "; ".join(text for text in (one.part, one.sentence or one.reason) if text)
    if one.repetitions:
        why += f"; about {one.repetitions} repetitions would decide it"
    return (
        escape(one.text),
        rf"\textbf{{{escape(one.verdict)}}}",
        _with_interval(one.estimate, one.interval),
        escape(why),
    )


def _figure(one: FigureComparison) -> Sequence[str]:
    measured = _with_interval(one.measured, one.interval)
    return escape(one.label), escape(one.unit), number(one.published), measured, number(one.ratio), escape(one.where)


def _hash(text: str) -> str:
    return rf"\texttt{{\footnotesize {text[:32]}\-{text[32:]}}}"


def _with_interval(value: float | None, interval: Interval | None) -> str:
    """Return a number with the limits of its interval."""
    return number(value) + (f" ({number(interval.low)} to {number(interval.high)})" if interval else "")


def number(value: float | None) -> str:
    """Return a number for siunitx, which accepts 1.2e-05."""
    return _ABSENT if value is None else rf"\num{{{re.sub('e[+]0*', 'e', f'{value:.4g}')}}}"


def _table(columns: str, titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a table that may continue on the next page; columns: LaTeX's column types; titles and cells: LaTeX."""
    yield r"{\footnotesize\setlength{\tabcolsep}{4pt}"
    yield rf"\begin{{longtable}}{{{columns}}}"
    yield r"\toprule"
    yield " & ".join(titles) + r" \\"
    yield r"\midrule\endhead"
    for row in rows:
        yield " & ".join(row) + r" \\"
    yield r"\bottomrule"
    yield r"\end{longtable}}"


def _items(texts: Iterable[str]) -> Iterator[str]:
    """Yield a list of the texts that are not empty; nothing without any."""
    found = [rf"\item {escape(text)}" for text in texts if text]
    if found:
        yield r"\begin{itemize}"
        yield from found
        yield r"\end{itemize}"
