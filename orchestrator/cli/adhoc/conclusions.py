"""Results of a series: a summary of each program, their ranking, and remarks on the reliability of the figures."""

from collections.abc import Iterator, Sequence

from orchestrator.cli.adhoc.comparison import compare_programs, floor_of
from orchestrator.cli.adhoc.reports.document import Results
from orchestrator.cli.adhoc.series import ProgramSeries, SeriesPlan
from orchestrator.cli.adhoc.summary import Summary, summarize_executions

SHELL_SHARE = 0.05
"""Share of a program's median from which the start of its shell is remarked."""


def conclude(plan: SeriesPlan, series: ProgramSeries, *, core: int | None, remarks: Sequence[str]) -> Results:
    """Return the results of a series.

    core: core to which the programs were pinned. remarks: remarks made before the series.
    """
    executed = [series.of(program) for program in range(len(plan.programs))]
    summaries = tuple(map(summarize_executions, executed))
    floor, control = None, plan.control
    if control is not None:
        floor = floor_of([one.wall_ns for one in executed[0]], [one.wall_ns for one in executed[control]])
    standings = compare_programs(series, plan.competing, floor or 0.0, plan.reference) if plan.competing > 1 else []
    found = (
        remark
        for program, summary in zip(plan.programs, summaries, strict=True)
        for remark in _remarks(program.name, summary, plan, core)
    )
    shell = [] if plan.shell is None else [*_shell_remarks(plan, summaries, plan.shell)]
    return Results(
        plan=plan,
        series=series,
        core=core,
        summaries=summaries,
        standings=tuple(standings),
        noise_floor=floor,
        remarks=(*remarks, *shell, *found),
    )


def _shell_remarks(plan: SeriesPlan, summaries: Sequence[Summary], shell: int) -> Iterator[str]:
    """Yield the programs of whose time the start of their shell is a considerable part."""
    start_ns = summaries[shell].wall_median_ns
    for program, summary in zip(plan.programs[: plan.competing], summaries, strict=False):
        share = start_ns / summary.wall_median_ns
        if share >= SHELL_SHARE:
            yield (
                f"{program.name!r}: the start of the shell is {share:.0%} of its time, and ratios are closer to 1 by "
                "it; without --shell the program alone is measured."
            )


def _remarks(name: str, summary: Summary, plan: SeriesPlan, core: int | None) -> Iterator[str]:
    n = summary.executions
    if summary.disturbed:
        marks = ", ".join(f"{mark} {count}" for mark, count in summary.marks.items())
        yield f"{name!r}: {_of(summary.disturbed, n, 'was', 'were')} disturbed ({marks}); they are marked and kept."
    outliers = sum(summary.outliers)
    if outliers:
        first = summary.outliers[0] and not plan.warm_up_rounds
        hint = " The first one is an outlier: --warmup 3 excludes it." if first else ""
        yield f"{name!r}: {_of(outliers, n, 'is an outlier', 'are outliers')}, marked and kept.{hint}"
    if summary.failures:
        yield f"{name!r}: {summary.failures} of {n} executions failed and are included (--ignore-failure)."
    if core is not None and (summary.max_threads or 1) > 1:
        yield f"{name!r} has {summary.max_threads} threads, which shared core {core}; --any-core gives them all cores."
    if plan.rounds is None and summary.relative_interval is not None:
        required = plan.precision.relative_interval
        if summary.relative_interval > required:
            reached = f"± {summary.relative_interval:.3g}, required ± {required:g}"
            yield f"{name!r}: the precision was not reached ({reached}); --budget allows more time, -n sets the number."


def _of(count: int, n: int, one: str, several: str) -> str:
    return f"{count} of {n} executions {one if count == 1 else several}"
