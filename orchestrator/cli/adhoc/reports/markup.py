"""Table of the results for a document, with units and intervals, and the order of the programs."""

from collections.abc import Sequence
from typing import Literal

from orchestrator.cli.adhoc.comparison import Behind
from orchestrator.cli.adhoc.reports.document import Results
from orchestrator.shared.units import MIB, TIME_UNITS, format_in_unit

Sort = Literal["auto", "command", "mean-time", "median-time"]
_DIGITS = 4


def ranked_order(results: Results, sort: Sort) -> list[int]:
    """Return the programs in the order of the printed table: by default from fastest to slowest."""
    if sort != "auto":
        return given_order(results, sort)
    order = [standing.program for standing in results.standings]
    return [*order, *(place for place in range(len(results.summaries)) if place not in order)]


def given_order(results: Results, sort: Sort) -> list[int]:
    """Return the programs in the order of files: by default as given; the control and the shell come last."""
    competing = list(range(results.plan.competing))
    rest = range(results.plan.competing, len(results.summaries))
    if sort == "mean-time":
        competing.sort(key=lambda place: results.summaries[place].wall_mean_ns)
    elif sort == "median-time":
        competing.sort(key=lambda place: results.summaries[place].wall_median_ns)
    return [*competing, *rest]


def markup_table(results: Results, sort: Sort, unit: str | None) -> tuple[list[str], list[list[str]]]:
    """Return columns and rows; times in the unit, or in the one that suits the fastest program."""
    unit = unit or _suitable_unit(min(summary.wall_median_ns for summary in results.summaries))
    sign = TIME_UNITS[unit][0]
    times = ("Median", "95 % interval", "Mean", "Min", "Max")
    columns = ["Command", *(f"{name} [{sign}]" for name in times), "Peak memory [MiB]"]
    rows = [[results.names[place], *_figures(results, place, unit)] for place in given_order(results, sort)]
    if results.standings:
        columns.append("Relative time (95 % interval)")
        relative = _relative(results)
        for row, place in zip(rows, given_order(results, sort), strict=True):
            row.append(relative.get(place, ""))
    return columns, rows


def _figures(results: Results, place: int, unit: str) -> Sequence[str]:
    summary = results.summaries[place]

    def shown(duration_ns: float) -> str:
        return format_in_unit(duration_ns, unit, _DIGITS)

    interval = summary.wall_interval_ns
    return (
        shown(summary.wall_median_ns),
        "" if interval is None else f"{shown(interval.low)} to {shown(interval.high)}",
        shown(summary.wall_mean_ns),
        shown(summary.wall_min_ns),
        shown(summary.wall_max_ns),
        f"{summary.peak_rss_median_bytes / MIB:.2f}",
    )


def _relative(results: Results) -> dict[int, str]:
    """Return each program's time relative to that of the reference, or of the fastest."""
    if results.plan.reference is not None:
        return {one.program: _ratio(one.relative) for one in results.standings}
    return {one.program: _ratio(one.behind) for one in results.standings}


def _ratio(behind: Behind | None) -> str:
    if behind is None:
        return "1"
    interval = "" if behind.low is None else f" ({behind.low:.3g} to {behind.high:.3g})"
    return f"{behind.ratio:.3g}{interval}"


def _suitable_unit(duration_ns: float) -> str:
    return next(
        (name for name, (_, length_ns) in reversed(TIME_UNITS.items()) if duration_ns >= length_ns), "nanosecond"
    )
