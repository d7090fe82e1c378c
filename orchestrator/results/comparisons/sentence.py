"""Sentences of a comparison: its outcome, and what its intervals cover."""

import math
from collections.abc import Sequence
from statistics import median

from orchestrator.results.comparisons.schemas import ComparisonPart, ComparisonRow, ComparisonSide
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.shared.units import format_share
from orchestrator.shared.values.text import some

_PAIRED = (
    "Paired: both sides were executed in the same blocks, so that a slow minute affects both (Hodges and Lehmann, over "
    "the signs of the blocks)."
)
_UNPAIRED = (
    "Unpaired: the sides share no blocks. Intervals (Yuen, trimmed means of logarithms) cover the variation "
    "of the executions inside each run, but not what differs between the runs as a whole, such as heat or another boot."
)
_SAME = "Both sides are the same results."
_CHANGES_NAMED = 3
_TOGETHER = " All of them moved together, whatever their provider: probably the machine."
_FASTEST = " Each provider has its fastest measured variant of a cipher."
_MIN_MOVED = 4
"""Cases that must have moved before the machine is named."""
_SHARED = {"compiler", "libraries", "device"}
"""Topics whose change can move all providers."""


def method_of(rows: Sequence[ComparisonRow]) -> str:
    """Return which methods compared the cases."""
    methods = {row.method for row in rows}
    sentences = {"same results": _SAME, "paired": _PAIRED, "unpaired": _UNPAIRED}
    return " ".join(text for method, text in sentences.items() if method in methods)


def summary_of(part: ComparisonPart, first: ComparisonSide, measure: RankingMeasure, scope: str = "") -> str:
    """Return the outcome of the rows of a part, and the topics that changed.

    scope: operation and length of the rows, where the part has further ones.
    """
    total = part.rows_total
    title = MEASURES[measure].title
    cases = f"{total} case{'s' if total != 1 else ''} {f'({scope}) ' if scope else ''}that both have"
    if part.ties == total:
        text = f"By {title}, {part.other.title} and {first.title} tie in all {cases}."
    else:
        counts = [
            f"{count} {word}"
            for count, word in (
                (part.better, "better"), (part.worse, "worse"), (part.ties, "tied"), (part.undecided, "undecided"),
            )
            if count
        ]  # fmt: skip
        text = f"By {title}, {part.other.title} compared with {first.title} over the {cases}: {', '.join(counts)}."
        text += _largest(part) + (_TOGETHER if _moved_together(part) else "")
    text += _hidden(part.rows)
    if "provider" in part.crossed:
        text += _FASTEST
    topics = list(dict.fromkeys(one.topic for one in part.changes))
    if topics:
        return f"{text} Changed: {some(topics, _CHANGES_NAMED)}."
    return text if "provider" in part.crossed else f"{text} Nothing that is stored about the two changed."


def _moved_together(part: ComparisonPart) -> bool:
    """Return whether every case of two or more providers became better, or every one worse, in another run.

    Not where the sides differ by choice, or in what all providers share: another device, compiler or library explains
    the same. A slow minute is common to paired cases.
    """
    if part.paired != "no" or part.crossed or _SHARED & {one.topic for one in part.changes}:
        return False
    one_way = part.rows_total in (part.better, part.worse)
    return one_way and part.rows_total >= _MIN_MOVED and len({row.provider for row in part.rows}) > 1


def _largest(part: ComparisonPart) -> str:
    """Return the largest difference with its interval."""
    row = part.rows[0]
    if row.verdict not in ("better", "worse") or row.interval is None:
        return ""
    limits = f"95 % interval {row.interval.low:.3g} to {row.interval.high:.3g}"
    return f" The largest difference: {row.algorithm} by {row.other_provider}, {row.ratio:.3g} times ({limits})."


def _hidden(rows: Sequence[ComparisonRow]) -> str:
    """Return the differences that ties may hide: within half the width of the interval or the noise floor, in log.

    A lower bound, because the intervals are not corrected for the number of cases.
    """
    factors = [
        max(math.sqrt(row.interval.high / row.interval.low), 1 + (row.noise_floor or 0.0))
        for row in rows
        if row.verdict == "tie" and row.method != "same results" and row.interval is not None
    ]
    if not factors:
        return ""
    half = median(factors)
    size = format_share(half - 1) if half < 2 else f"a factor of {half:.3g}"
    return f" A tie does not prove equality: in half of the ties, a difference below {size} may not be found."
