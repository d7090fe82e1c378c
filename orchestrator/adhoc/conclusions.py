"""What a series amounts to: a summary of each program, their order, and what makes the figures doubtful."""

from collections.abc import Iterator, Sequence

from orchestrator.adhoc.comparison import compare_programs, floor_of
from orchestrator.adhoc.document import Results
from orchestrator.adhoc.series import Series, SeriesPlan
from orchestrator.adhoc.summary import Summary, summarize_executions


def conclude(
    plan: SeriesPlan, series: Series, *, core: int | None, control: int | None, remarks: Sequence[str]
) -> Results:
    """Return everything that is known of a series.

    core: on which the programs were held. control: which program is a second copy of the first, if one is. remarks:
    those that were made before.
    """
    executed = [series.of(program) for program in range(len(plan.programs))]
    summaries = tuple(map(summarize_executions, executed))
    floor = None
    if control is not None:
        floor = floor_of([one.wall_ns for one in executed[0]], [one.wall_ns for one in executed[control]])
    competing = len(plan.programs) - (control is not None)
    standings = compare_programs(series, competing, floor or 0.0) if competing > 1 else []
    found = (
        remark
        for program, summary in zip(plan.programs, summaries, strict=True)
        for remark in _remarks(program.name, summary, plan, core)
    )
    return Results(
        plan=plan,
        series=series,
        core=core,
        summaries=summaries,
        standings=tuple(standings),
        control=control,
        noise_floor=floor,
        remarks=(*remarks, *found),
    )


def _remarks(name: str, summary: Summary, plan: SeriesPlan, core: int | None) -> Iterator[str]:
    n = summary.executions
    if summary.disturbed:
        marks = ", ".join(f"{mark} {count}" for mark, count in summary.marks.items())
        yield f"{name!r}: {_of(summary.disturbed, n, 'was', 'were')} disturbed ({marks}): marked, and kept."
    outliers = sum(summary.outliers)
    if outliers:
        first = summary.outliers[0] and not plan.warm_up_rounds
        mend = " The first is one of them: --warmup 3 leaves it out." if first else ""
        yield f"{name!r}: {_of(outliers, n, 'lies', 'lie')} far from the others: marked, and kept.{mend}"
    if summary.failures:
        yield f"{name!r}: {summary.failures} of {n} executions failed, and count all the same (--ignore-failure)."
    if core is not None and (summary.max_threads or 1) > 1:
        yield f"{name!r} has {summary.max_threads} threads, which shared core {core}: --any-core gives them all cores."
    if plan.rounds is None and summary.relative_interval is not None:
        wanted = plan.precision.relative_interval
        if summary.relative_interval > wanted:
            reached = f"± {summary.relative_interval:.3g} of ± {wanted:g} wanted"
            yield f"{name!r}: not as precise as wanted ({reached}); --budget gives it longer, -n sets the number."


def _of(count: int, n: int, one: str, several: str) -> str:
    return f"{count} of {n} executions {one if count == 1 else several}"
