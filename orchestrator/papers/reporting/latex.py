"""Report of a paper as LaTeX source, with the packages booktabs, longtable and siunitx. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence

from orchestrator.papers.reporting.explanation import differences, summary
from orchestrator.papers.schemas import AgentVerdicts, ClaimVerdict, DeviceConditions, FigureComparison, PaperReport
from orchestrator.values.latex import escape
from orchestrator.values.text import visible_line

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
    paper, found = report.paper, report.found
    published = paper.authors + (f", {paper.year}" if paper.year else "")
    lines = [
        _PREAMBLE + rf"\title{{{escape(paper.title)}: repetition}}",
        rf"\author{{Publication: {escape(published)}}}",
        rf"\date{{Run {escape(found.run_id)}, {report.conditions.submitted_at:%Y-%m-%d}}}",
        r"\maketitle",
        r"\section{Summary}",
        escape(paper.summary),
        "",
        *(escape(one) + "\n" for one in summary(report)),
        *_conditions(report),
    ]
    for agent in found.agents:
        lines += _agent(agent)
    lines += [
        r"\section{Intended differences from the publication}",
        *_items([f"It was measured on {paper.published_on}." if paper.published_on else "", *paper.differences]),
        r"\section{Repetition of a paper}",
        escape(f"ciphermark papers run {paper.name}, or submit the plan below; the seed of this run is {found.seed}."),
        "",
        escape(f"Ciphermark {report.conditions.version}. SHA-256 of the plan: ") + _hash(report.conditions.plan_sha256),
        r"\begin{verbatim}",
        # Nothing in a plan can end the environment: it is the only text that is not escaped.
        visible_document(report.conditions.plan_text),
        r"\end{verbatim}",
        r"\end{document}",
    ]
    return "\n".join(lines) + "\n"


def visible_document(text: str) -> str:
    """Return text of several lines for a verbatim environment: ASCII, without the command that ends it."""
    lines = (visible_line(line).encode("ascii", "replace").decode() for line in text.splitlines())
    return "\n".join(lines).replace(r"\end", r"\ end")


def _conditions(report: PaperReport) -> Iterator[str]:
    yield r"\section{Devices and conditions}"
    for device in report.conditions.devices:
        yield rf"\subsection{{{escape(device.agent_name)}}}"
        yield from _items(_device(device))
    if report.conditions.omissions:
        yield r"\subsection{Omitted}"
        yield from _items(
            f"{one.combinations} combinations on {one.agent_name or 'every agent'}: {one.reason}"
            for one in report.conditions.omissions
        )


def _device(device: DeviceConditions) -> Iterator[str]:
    for fact in device.facts:
        yield f"{fact.name}: {fact.value}"
    states = ", ".join(f"{count} {state}" for state, count in device.executions.items())
    yield f"executions: {states or 'none'}"
    for build in device.builds:
        yield f"build: {build.toolchain} ({build.compiler_version}), key {build.build_key[:16]}"
    for check in device.preflight:
        if check.state != "good":
            yield f"preflight check {check.name}, {check.state}: {check.found}; expected: {check.expected}"


def _agent(agent: AgentVerdicts) -> Iterator[str]:
    yield rf"\section{{{escape(agent.agent_name)}}}"
    yield escape(agent.sentence) + "\n"
    for title, claims in (("Claims", agent.claims), ("Findings", agent.findings)):
        if claims:
            yield rf"\subsection{{{title}}}"
            yield from _table(
                "L{62mm}L{24mm}rL{52mm}",
                (title[:-1], "verdict", "estimate (95 \\%)", "decided by"),
                map(_claim, claims),
            )
    yield r"\subsection{Published and measured figures}"
    yield from _table(
        "L{52mm}lrrrL{28mm}",
        ("figure", "unit", "published", "measured (95 \\%)", "ratio", "where"),
        map(_figure, agent.figures),
    )
    yield r"\subsection{Where they differ}"
    yield from _items(differences(agent))


def _claim(one: ClaimVerdict) -> Sequence[str]:
    why = "; ".join(text for text in (one.part, one.reason) if text)
    if one.repetitions:
        why += f"; about {one.repetitions} repetitions would decide it"
    limits = (one.interval.low, one.interval.high) if one.interval else None
    return escape(one.text), rf"\textbf{{{escape(one.verdict)}}}", _with_interval(one.estimate, limits), escape(why)


def _figure(one: FigureComparison) -> Sequence[str]:
    limits = (one.interval.low, one.interval.high) if one.interval else None
    measured = _with_interval(one.measured, limits)
    return escape(one.label), escape(one.unit), _number(one.published), measured, _number(one.ratio), escape(one.where)


def _with_interval(value: float | None, limits: tuple[float, float] | None) -> str:
    return _number(value) + (f" ({_number(limits[0])} to {_number(limits[1])})" if limits else "")


def _number(value: float | None) -> str:
    """Return a number for siunitx, which accepts 1.2e-05."""
    return _ABSENT if value is None else rf"\num{{{re.sub('e[+]0*', 'e', f'{value:.4g}')}}}"


def _table(columns: str, titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield rf"\begin{{longtable}}{{{columns}}}"
    yield r"\toprule"
    yield " & ".join(titles) + r" \\"
    yield r"\midrule\endhead"
    for row in rows:
        yield " & ".join(row) + r" \\"
    yield r"\bottomrule"
    yield r"\end{longtable}"


def _items(texts: Iterable[str]) -> Iterator[str]:
    found = [rf"\item {escape(text)}" for text in texts if text]
    if found:
        yield r"\begin{itemize}"
        yield from found
        yield r"\end{itemize}"


def _hash(text: str) -> str:
    return rf"\texttt{{\footnotesize {text[:32]}\-{text[32:]}}}"
