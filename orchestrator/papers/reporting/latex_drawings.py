"""Figures and tables of a publication in LaTeX: charts by pgfplots, tables with published and measured cells. Pure."""

from collections.abc import Iterator, Sequence

from orchestrator.papers.reporting.columns import title_of
from orchestrator.papers.reporting.drawn import shared_scale
from orchestrator.papers.reporting.latex_elements import number, table
from orchestrator.papers.reporting.schemas import DrawnSpot, PaperDrawing, PaperDrawings
from orchestrator.values.latex import escape
from orchestrator.values.palette import COLORS

_PATTERNS = ("", "north east lines", "dots", "horizontal lines", "crosshatch", "vertical lines", "north west lines")
"""Second code of series, for print without colors."""
_BARS_OF_A_CHART = 0.8
"""Share of a category's width that its bars occupy."""


def drawings(found: PaperDrawings) -> Iterator[str]:
    """Yield all figures and tables of a paper as published, each next to what the devices measured."""
    if not found.drawings:
        return
    yield r"\section{Figures and tables of the publication}"
    for one in found.drawings:
        yield rf"\subsection{{{escape(one.title)}}}"
        if one.remark:
            yield escape(one.remark) + "\n"
        yield from _tables(found, one) if one.kind == "table" else _charts(found, one)


def _tables(found: PaperDrawings, drawing: PaperDrawing) -> Iterator[str]:
    """Yield a table for each device, or the published one; the measured value is below the published one."""
    columns, cells = drawing.table
    places = range(len(found.columns))
    for place in places or [None]:
        yield escape(_name_of_values(found, drawing, place)) + "\n"
        width = r"L{\dimexpr(\textwidth-46mm)/" + str(len(columns)) + r"-2\tabcolsep\relax}"
        yield from table(
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


def _charts(found: PaperDrawings, drawing: PaperDrawing) -> Iterator[str]:
    """Yield a chart for each panel and source, two of them side by side, and the legend."""
    top = _top(drawing.spots) if shared_scale(found, drawing) else None
    yield r"{\raggedright"
    for panel in dict.fromkeys(one.panel for one in drawing.spots):
        spots = [one for one in drawing.spots if one.panel == panel]
        for place in (None, *range(len(found.columns))):
            source = "published" if place is None else title_of(found.columns[place])
            yield from _chart(drawing, spots, place, top, f"{panel}: {source}" if panel else source)
    yield r"\par}"
    series = _series(drawing)
    if len(series) > 1:
        names = (rf"{_swatch(n)}~{escape(name)}" for n, name in enumerate(series))
        yield "\n" + r"\quad ".join(names) + "\n"


def _series(drawing: PaperDrawing) -> list[str]:
    return list(dict.fromkeys(one.series for one in drawing.spots))


def _top(spots: Sequence[DrawnSpot]) -> float | None:
    """Return the largest value of all sources, including limits of intervals; None without any value."""
    values = [one.published for one in spots]
    for one in spots:
        values += [value.interval.high if value.interval else value.measured for value in one.values]
    return max((one for one in values if one is not None), default=None)


def _chart(
    drawing: PaperDrawing, spots: Sequence[DrawnSpot], place: int | None, top: float | None, title: str
) -> Iterator[str]:
    series = _series(drawing)
    names = list(dict.fromkeys(one.x for one in drawing.spots))
    unit = drawing.y if drawing.unit == "times" else f"{drawing.y} [{drawing.unit}]"
    width = _BARS_OF_A_CHART / len(series)
    options = [
        r"width=0.47\textwidth", "height=55mm", rf"title={{\parbox{{0.4\textwidth}}{{\centering {escape(title)}}}}}",
        r"title style={font=\scriptsize}", r"tick label style={font=\scriptsize}", r"label style={font=\scriptsize}",
        "xmin=-0.5", f"xmax={len(names) - 0.5}", f"xtick={{{','.join(str(n) for n in range(len(names)))}}}",
        f"xticklabels={{{','.join(f'{{{escape(name)}}}' for name in names)}}}",
        "x tick label style={rotate=35, anchor=north east}", f"xlabel={{{escape(drawing.x)}}}",
        f"ylabel={{{escape(unit)}}}", "scaled y ticks=false", f"bar width={width:.3f}",
        "error bars/y dir=both", "error bars/y explicit", "error bars/error bar style={black}",
        *(["ymode=log", "log origin=infty"] if drawing.scale == "log" else ["ymin=0"]),
        *([f"ymax={1.08 * top:.6g}"] if top and drawing.scale != "log" else []),
    ]  # fmt: skip
    yield rf"\begin{{tikzpicture}}\begin{{axis}}[{', '.join(options)}]"
    for n, name in enumerate(series):
        shift = (n - (len(series) - 1) / 2) * width
        points = [_point(names.index(one.x) + shift, one, place) for one in spots if one.series == name]
        yield rf"\addplot[ybar, {_fill(n)}] coordinates {{{' '.join(filter(None, points))}}};"
    yield r"\end{axis}\end{tikzpicture}"


def _point(x: float, spot: DrawnSpot, place: int | None) -> str:
    """Return a bar with its interval; empty without a value."""
    found = spot.values[place] if place is not None else None
    value = found.measured if found else spot.published
    if value is None:
        return ""
    interval = found.interval if found else None
    limits = f" += (0,{interval.high - value:.6g}) -= (0,{value - interval.low:.6g})" if interval else ""
    return f"({x:.4f},{value:.6g}){limits}"


def _fill(n: int) -> str:
    """Return color and pattern of a series."""
    color = rf"fill={{rgb,255:{_rgb(COLORS[n % len(COLORS)])}}}"
    pattern = _PATTERNS[n % len(_PATTERNS)]
    return f"draw=black, {color}" + (f", postaction={{pattern={pattern}}}" if pattern else "")


def _rgb(text: str) -> str:
    """Return `#rrggbb` in the notation of xcolor."""
    red, green, blue = (int(text[place : place + 2], 16) for place in (1, 3, 5))
    return f"red,{red};green,{green};blue,{blue}"


def _swatch(n: int) -> str:
    return rf"\tikz\path[{_fill(n)}] (0,0) rectangle (3mm,2mm);"
