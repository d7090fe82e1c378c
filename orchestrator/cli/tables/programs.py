"""Output of ``ciphermark measure``: table, warnings, and comparison."""

from collections.abc import Iterator

from rich.text import Text

from orchestrator.adhoc.comparison import Standing
from orchestrator.adhoc.document import Results
from orchestrator.adhoc.series import Stopped
from orchestrator.cli.output import Column, console, number, print_table
from orchestrator.units import format_bytes_approximately, format_duration_ns, format_share

_WIDE = 100
"""Terminal width from which the CPU share of several programs is shown."""
_FIGURES, _WIDE_FIGURES, _LEAST_NAME = 68, 74, 12
"""Width of the figures without and with that column, and of a program's name, so that a table fits 80."""
_FEW_TICKS = 100
"""With fewer samples user and system time are only indicative (docs/measurement.md)."""
_STOPPED: dict[Stopped, str] = {
    "asked": "as requested",
    "precise": "until precise enough",
    "maximum": "maximum for the precision",
    "budget": "until the budget was spent (--budget)",
}


def print_results(results: Results) -> None:
    """Print the table, the warnings and the comparison."""
    several = len(results.plan.programs) > 1
    out = console()
    if not several:
        out.print(Text(results.names[0], style="bold"))
    shown = slice(None) if not several or out.width >= _WIDE else slice(-1)
    print_table(_columns(several)[shown], (row[shown] for row in _rows(results, several)))
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


def _columns(several: bool) -> list[Column]:
    head = [number("rank"), Column("program", keeps_width=True)] if several else []
    return [*head, *map(number, ("median", "±", "min", "max", "user", "system", "peak", "CPU"))]


def _rows(results: Results, several: bool) -> Iterator[list[object]]:
    standings = {standing.program: standing for standing in results.standings}
    order = [standing.program for standing in results.standings]
    for program in [*order, *(place for place in range(len(results.summaries)) if place not in order)]:
        summary, standing = results.summaries[program], standings.get(program)
        head = [_rank(standing), _shortened(results.names[program])] if several else []
        width = summary.relative_interval
        times = (summary.wall_median_ns, summary.wall_min_ns, summary.wall_max_ns, summary.user_median_ns)
        median, least, most, user = map(format_duration_ns, times)
        yield [
            *head,
            median,
            None if width is None else f"{width:.1%}",
            least,
            most,
            user,
            format_duration_ns(summary.system_median_ns),
            format_bytes_approximately(summary.peak_rss_median_bytes),
            f"{summary.cpu_share:.0%}",
        ]


def _shortened(name: str) -> str:
    """Return a name cut to the table; sentences have the whole name."""
    width = console().width
    most = max(_LEAST_NAME, width - (_WIDE_FIGURES if width >= _WIDE else _FIGURES))
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _rank(standing: Standing | None) -> str | None:
    return None if standing is None else f"{'=' if standing.tied else ''}{standing.rank}"


def sentences(results: Results) -> Iterator[str]:
    """Yield each program's speed relative to the fastest, with its interval."""
    if results.noise_floor is not None:
        yield (
            f"Two copies of {results.names[0]!r} differ by up to {format_share(results.noise_floor)} (noise "
            "floor); smaller differences are ties."
        )
    if not results.standings:
        return
    fastest = results.names[results.standings[0].program]
    for standing in results.standings[1:]:
        behind, name = standing.behind, results.names[standing.program]
        if behind is None:
            continue
        interval = "" if behind.low is None else f" (95 % {behind.low:.3g} to {behind.high:.3g})"
        if behind.verdict == "different":
            yield f"{fastest!r} is {behind.ratio:.3g} times as fast as {name!r}{interval}."
        elif behind.verdict == "tie":
            yield f"{fastest!r} and {name!r} are tied: {behind.ratio:.3g} times{interval} is not significant."
        else:
            yield f"{fastest!r} and {name!r}: {behind.ratio:.3g} times; fewer than 6 rounds cannot distinguish them."
