"""Output of ``ciphermark measure``: table, warnings, and comparison."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from orchestrator.cli.adhoc.comparison import Behind, Standing
from orchestrator.cli.adhoc.reports.document import Results
from orchestrator.cli.adhoc.reports.markup import Sort, ranked_order
from orchestrator.cli.adhoc.series import Stopped
from orchestrator.cli.adhoc.summary import Summary
from orchestrator.cli.output import MISSING, console, print_table
from orchestrator.shared.tables import Column, number
from orchestrator.shared.units import (
    TIME_UNITS,
    format_bytes_approximately,
    format_duration_ns,
    format_in_unit,
    format_share,
)
from orchestrator.shared.values.ranks import ranked_label

_WIDE = 100
"""Terminal width from which the CPU share of several programs is shown."""
_FEW_TICKS = 100
"""With fewer samples user and system time are only indicative (docs/measurement.md)."""
_STOPPED: dict[Stopped, str] = {
    "requested": "as requested",
    "precise": "until precise enough",
    "maximum": "maximum for the precision",
    "budget": "until the budget was spent (--budget)",
}


def print_results(results: Results, sort: Sort = "auto", unit: str | None = None) -> None:
    """Print the table, the warnings and the comparison; unit: of the times, else the one that suits each."""
    several = len(results.plan.programs) > 1
    out = console()
    if not several:
        out.print(Text(results.names[0], style="bold"), soft_wrap=True)
    _print_table(results, several, sort, unit)
    rounds = results.summaries[0].executions
    count = f"{rounds} {'execution' if rounds == 1 else 'executions'}{' each' if several else ''}"
    where = f"on core {results.core}" if results.core is not None else "on any core"
    out.print(
        f"{count}, {_STOPPED[results.series.stopped]}, {where}; "
        f"± is the 95 % interval of the median; peak memory and times are medians; seed {results.plan.seed}.",
        style="dim",
    )
    if any((summary.cpu_split_ticks_median or _FEW_TICKS) < _FEW_TICKS for summary in results.summaries):
        out.print(
            "This kernel samples the user/system split, with too few samples here: only the sum is exact.", style="dim"
        )
    out.print(_peak_error(results), style="dim", highlight=False)
    for remark in results.remarks:
        out.print(Text(remark, style="yellow"))
    for sentence in sentences(results):
        out.print(Text(sentence))


def _peak_error(results: Results) -> str:
    """Return the error bounds of the peaks as a sentence (docs/measurement.md)."""
    errors = [summary.peak_rss_error_bytes for summary in results.summaries]
    words = ["an unknown amount" if error is None else format_bytes_approximately(error) for error in errors]
    if len(set(words)) > 1:
        words = [f"{word} ({name})" for word, name in zip(words, results.names, strict=True)]
    else:
        words = words[:1]
    return f"Peak memory is within {', '.join(words)} of the true peak; exact if that lasted until exit or 10 ms."


def _print_table(results: Results, several: bool, sort: Sort, unit: str | None) -> None:
    """Print the figures; names that do not fit next to them get lines of their own, as wide as the terminal."""
    out, order = console(), ranked_order(results, sort)
    rows = [_figures(results.summaries[place], unit) for place in order]
    shown = slice(None) if not several or out.width >= _WIDE else slice(-1)
    figures = _FIGURES[shown]
    if not several:
        print_table([*map(number, figures)], (row[shown] for row in rows))
        return
    standings = {standing.program: standing for standing in results.standings}
    ranks = [_rank(standings.get(place)) for place in order]
    names = [results.names[place] for place in order]
    cells = [("rank", *figures), *((rank, *row[shown]) for rank, row in zip(ranks, rows, strict=True))]
    widths = [max(len(row[column] or MISSING) for row in cells) for column in range(len(cells[0]))]
    if sum(widths) + 2 * len(widths) + max(map(len, names)) <= out.width:
        columns = [number("rank"), Column("program", keeps_width=True), *map(number, figures)]
        print_table(columns, ([row[0], name, *row[1:]] for name, row in zip(names, cells[1:], strict=True)))
        return
    out.print(Text(_aligned(cells[0], widths), style="bold"))
    for name, row in zip(names, cells[1:], strict=True):
        # Without a terminal a name stays in one line, so that other programs find it.
        out.print(Text("".join(one if one.isprintable() else " " for one in name)), soft_wrap=not out.is_terminal)
        out.print(Text(_aligned(row, widths)))


def _aligned(cells: Sequence[str | None], widths: Sequence[int]) -> str:
    return "  ".join(f"{cell or MISSING:>{width}}" for cell, width in zip(cells, widths, strict=True))


_FIGURES = ("median", "±", "min", "max", "user", "system", "peak", "CPU")


def _figures(summary: Summary, unit: str | None) -> tuple[str | None, ...]:
    def shown(duration_ns: float) -> str:
        if unit is None:
            return format_duration_ns(duration_ns)
        return f"{format_in_unit(duration_ns, unit)} {TIME_UNITS[unit][0]}"

    width = summary.relative_interval
    return (
        shown(summary.wall_median_ns),
        None if width is None else f"{width:.1%}",
        shown(summary.wall_min_ns),
        shown(summary.wall_max_ns),
        shown(summary.user_median_ns),
        shown(summary.system_median_ns),
        format_bytes_approximately(summary.peak_rss_median_bytes),
        f"{summary.cpu_share:.0%}",
    )


def _rank(standing: Standing | None) -> str | None:
    return None if standing is None else ranked_label(standing.rank, standing.last_rank, standing.groups)


def sentences(results: Results) -> Iterator[str]:
    """Yield each program's speed relative to the fastest or to the reference, with its interval."""
    if results.noise_floor is not None:
        yield (
            f"95 % of the comparisons of two copies of {results.names[0]!r} would find a difference below "
            f"{format_share(results.noise_floor)} (noise floor); smaller differences are ties."
        )
    if not results.standings:
        return
    reference = results.plan.reference
    other = results.names[results.standings[0].program if reference is None else reference]
    for standing in results.standings:
        behind = standing.behind if reference is None else standing.relative
        if behind is not None:
            yield _sentence(other, results.names[standing.program], behind)
    if results.plan.shell is not None:
        yield "All times include the start of the shell, which has a row of its own; nothing is subtracted."


def _sentence(other: str, name: str, behind: Behind) -> str:
    interval = "" if behind.low is None else f" (95 % {behind.low:.3g} to {behind.high:.3g})"
    if behind.verdict == "different" and behind.ratio < 1:
        low, high = 1 / (behind.high or behind.ratio), 1 / (behind.low or behind.ratio)
        return f"{name!r} is {1 / behind.ratio:.3g} times as fast as {other!r} (95 % {low:.3g} to {high:.3g})."
    if behind.verdict == "different":
        return f"{other!r} is {behind.ratio:.3g} times as fast as {name!r}{interval}."
    if behind.verdict == "tie":
        return f"{other!r} and {name!r} are tied: {behind.ratio:.3g} times{interval} is not significant."
    return f"{other!r} and {name!r}: {behind.ratio:.3g} times; fewer than 6 rounds cannot distinguish them."
