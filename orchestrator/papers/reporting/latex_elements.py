"""Numbers, lists and tables in LaTeX. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence

from orchestrator.shared.values.latex import escape

ABSENT = "---"


def with_interval(value: float | None, limits: tuple[float, float] | None) -> str:
    """Return a number with the limits of its interval."""
    return number(value) + (f" ({number(limits[0])} to {number(limits[1])})" if limits else "")


def number(value: float | None) -> str:
    """Return a number for siunitx, which accepts 1.2e-05."""
    return ABSENT if value is None else rf"\num{{{re.sub('e[+]0*', 'e', f'{value:.4g}')}}}"


def table(columns: str, titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
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


def items(texts: Iterable[str]) -> Iterator[str]:
    """Yield a list of the texts that are not empty; nothing without any."""
    found = [rf"\item {escape(text)}" for text in texts if text]
    if found:
        yield r"\begin{itemize}"
        yield from found
        yield r"\end{itemize}"
