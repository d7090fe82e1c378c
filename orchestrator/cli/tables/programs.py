"""What ``ciphermark measure`` shows to people: a table, what may make the figures doubtful, and who is faster."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from orchestrator.adhoc.comparison import Standing
from orchestrator.adhoc.document import Results
from orchestrator.adhoc.series import Stopped
from orchestrator.cli.output import Column, console, notes, number, print_table
from orchestrator.units import format_bytes_approximately, format_duration_ns, format_share

if TYPE_CHECKING:
    from rich.progress import Progress

_WIDE = 100
"""Characters of a terminal that shows the share of CPU of several programs, too."""
_FIGURES, _WIDE_FIGURES, _LEAST_NAME = 68, 74, 12
"""Characters of the figures, without and with it; and of a program's name, so that a table fits 80."""
_FEW_TICKS = 100
"""Fewer samples make user and system time an indication (docs/measurement.md)."""
_STOPPED: dict[Stopped, str] = {
    "asked": "as asked",
    "precise": "until precise enough",
    "maximum": "the most that precision may take",
    "budget": "until the time was up (--budget)",
}


def print_results(results: Results) -> None:
    """Print everything that a person wants to know at once."""
    several = len(results.plan.programs) > 1
    out = console()
    if not several:
        out.print(Text(results.names[0], style="bold"))
    shown = slice(None) if not several or out.width >= _WIDE else slice(-1)
    print_table(_columns(several)[shown], (row[shown] for row in _rows(results, several)))
    rounds = results.summaries[0].executions
    told = f"{rounds} {'execution' if rounds == 1 else 'executions'}{' each' if several else ''}"
    where = f"on core {results.core}" if results.core is not None else "on any core"
    out.print(
        f"{told}, {_STOPPED[results.series.stopped]}, {where}; "
        f"± is the 95 % interval of the median; peak memory and times are medians; seed {results.plan.seed}.",
        style="dim",
    )
    if any((summary.cpu_split_ticks_median or _FEW_TICKS) < _FEW_TICKS for summary in results.summaries):
        out.print(
            "This kernel tells user from system time by samples, too few here: only their sum is exact.", style="dim"
        )
    for remark in results.remarks:
        out.print(Text(remark, style="yellow"))
    for sentence in sentences(results):
        out.print(Text(sentence))


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
    """Return a name that leaves the figures their room; the sentences have it whole."""
    width = console().width
    most = max(_LEAST_NAME, width - (_WIDE_FIGURES if width >= _WIDE else _FIGURES))
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _rank(standing: Standing | None) -> str | None:
    return None if standing is None else f"{'=' if standing.tied else ''}{standing.rank}"


def sentences(results: Results) -> Iterator[str]:
    """Say of each program how it stands to the fastest, with how sure that is."""
    if results.noise_floor is not None:
        yield (
            f"Two copies of {results.names[0]!r} differ by up to {format_share(results.noise_floor)} here (noise "
            "floor); what is not beyond it counts as a tie."
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
            yield f"{fastest!r} and {name!r} are tied: {behind.ratio:.3g} times{interval} is no difference that holds."
        else:
            yield f"{fastest!r} and {name!r}: {behind.ratio:.3g} times; fewer than 6 rounds cannot tell them apart."


class ProgressBar:
    """How far the series is, on a terminal alone; drawn between executions, by no thread of its own."""

    def __init__(self) -> None:
        """Show nothing where standard error is no terminal."""
        self._bar: Progress | None = None
        if not notes().is_terminal:
            return
        from rich import progress  # noqa: PLC0415 - takes a twentieth of a second, which scripts need not wait

        columns = (progress.TextColumn("measuring"), progress.BarColumn(), progress.TaskProgressColumn())
        self._bar = progress.Progress(*columns, console=notes(), transient=True, auto_refresh=False)
        self._task = self._bar.add_task("", total=None)

    def tell(self, done: int, most: int) -> None:
        """Show that so many of so many executions are done; the total may grow."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=most, refresh=True)

    def __enter__(self) -> "ProgressBar":
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
