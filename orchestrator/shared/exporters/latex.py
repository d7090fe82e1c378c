"""LaTeX: a table with rules of booktabs and numbers of siunitx, aligned at their decimal points.

It may have many pages (longtable). The columns of numbers have their units in the head; an absent value is empty.
"""

from collections.abc import Iterable, Iterator, Sequence

from orchestrator.shared.exporters import NO_FACTS, TEXT, Cell, Facts, pieces, plain_text
from orchestrator.shared.values.latex import escape

NAME = "tex"
MEDIA_TYPE = "application/x-tex; charset=utf-8"

_UNITS = {
    "ns": r"\nano\second", "ms": r"\milli\second", "bytes": r"\byte", "bytes/s": r"\byte\per\second", "Hz": r"\hertz",
    "J": r"\joule", "W": r"\watt", "celsius": r"\degreeCelsius",
}  # fmt: skip
"""Units with a command of siunitx; others are text."""
_COUNT = "1"


def stream(columns: Sequence[str], rows: Iterable[Sequence[Cell]], facts: Facts = NO_FACTS) -> Iterator[bytes]:
    """Yield the table in pieces of up to 100 rows."""
    numbers = [facts.get(name, TEXT).kind in ("integer", "real") for name in columns]
    lines = [
        r"% \usepackage{booktabs,longtable,siunitx}",
        rf"\begin{{longtable}}{{{' '.join('S' if number else 'l' for number in numbers)}}}",
        r"\toprule",
        _row([f"{{{escape(name)}}}" for name in columns]),
    ]
    units = [_unit(facts.get(name, TEXT).unit) for name in columns]
    if any(units):
        lines.append(_row([f"{{{unit}}}" if unit else "" for unit in units]))
    lines += [r"\midrule", r"\endhead"]
    yield "".join(f"{line}\n" for line in lines).encode()
    yield from pieces(_row([_cell(*one) for one in zip(row, numbers, strict=True)]) + "\n" for row in rows)
    yield b"\\bottomrule\n\\end{longtable}\n"


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _unit(unit: str) -> str:
    if unit in ("", _COUNT):
        return ""
    return rf"\unit{{{_UNITS[unit]}}}" if unit in _UNITS else escape(unit)


def _cell(cell: Cell, number: bool) -> str:
    if cell is None or cell == {}:
        return ""
    if number and isinstance(cell, int | float) and not isinstance(cell, bool):
        return str(cell)
    text = escape(plain_text(cell))
    # Braces keep siunitx from reading text as a number.
    return f"{{{text}}}" if number else text
