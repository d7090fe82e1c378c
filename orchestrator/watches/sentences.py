"""Sentences about the changes of runs, and the method that found them. Pure."""

from collections import Counter
from collections.abc import Sequence

from orchestrator.results.answers.agents import WITHDRAWN
from orchestrator.results.comparisons.schemas import Change
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.shared.values.text import counted, some
from orchestrator.statistics.comparisons.between_runs import CONFIRMATIONS, FALSE_ALARMS, LOOKS, MIN_FORMER, SUSPICION
from orchestrator.watches.schemas import LeftOutCase, RegressionRow

METHOD = (
    "Each run counts as one value per case; the variation between runs is the error (Student). Cases that deviate "
    f"(p below {SUSPICION}) are measured again, in up to {CONFIRMATIONS} runs. Their interval is corrected for all "
    f"cases and for {LOOKS} looks (Bonferroni, linear spending); a change is reported if it excludes 1. At most "
    f"{FALSE_ALARMS:.0%} of periods of {LOOKS} looks have a false alarm. Every change has at least {MIN_FORMER} former "
    "runs."
)

FAILED = "No verified result, unlike in former runs: its executions failed, or results are wrong."
"""Reason of a lost case that was not omitted."""
_MAX_LABELS = 5
"""Cases that a sentence names."""


def change_words(change: RegressionRow) -> str:
    """Return a change in one sentence."""
    verdict = "worse" if change.worse else "better"
    return (
        f"{change.case_words}: {verdict}, {change.ratio - 1:+.1%} "
        f"({change.interval.low - 1:+.1%} to {change.interval.high - 1:+.1%})."
    )


def changes_words(changes: Sequence[RegressionRow], cases: int) -> str:
    """Return how many cases changed, and the largest change."""
    if not changes:
        return f"None of {counted(cases, 'case')} changed."
    worse = sum(one.worse for one in changes)
    counts = [f"{count} {word}" for count, word in ((worse, "worse"), (len(changes) - worse, "better")) if count]
    return f"Of {counted(cases, 'case')}, {' and '.join(counts)}. {change_words(changes[0])}"


def undecided_words(former: int, cases: int, *, withdrawn: bool) -> str:
    """Return why nothing can be decided.

    former: number of runs that show the variation; cases: of the new run; withdrawn: it has others, which are left out.
    """
    if not cases:
        return f"Undecided: {'no verified result is left' if withdrawn else 'the run has no verified result'}."
    if former >= MIN_FORMER:
        return "Undecided: no run of the baseline, or since the last change, has one of these cases."
    return f"Undecided: {counted(former, 'former run')}, and {MIN_FORMER} are needed to know how much runs vary."


def too_few_words(undecided: int, cases: int) -> str:
    """Return how many cases cannot be compared yet; empty for none."""
    verb = "has" if undecided == 1 else "have"
    return f"{undecided} of {counted(cases, 'case')} {verb} too few former runs." if undecided else ""


def lost_words(cases: Sequence[LeftOutCase]) -> str:
    """Return which cases of former runs have no verified result in a new one, by reason; empty for none."""
    return " ".join(
        f"{counted(len(found), 'case')} {'has' if len(found) == 1 else 'have'} no verified result, "
        f"unlike in former runs: {_listed(found)}.{'' if reason == FAILED else f' {reason}'}"
        for reason, found in _by_reason(cases).items()
    )


def left_out_words(cases: Sequence[LeftOutCase]) -> str:
    """Return which cases are left out, by reason; empty for none."""
    return " ".join(
        f"{counted(len(found), 'case')} {'is' if len(found) == 1 else 'are'} left out: {_listed(found)}. {reason}"
        for reason, found in _by_reason(cases).items()
    )


def other_measures_words(cases: int, measure: RankingMeasure) -> str:
    """Return how many cases do not have the measure, because their protocol is the other one; empty for none."""
    if not cases:
        return ""
    other = "process" if MEASURES[measure].protocol == "latency" else "latency"
    has, verb = ("has", "is") if cases == 1 else ("have", "are")
    count = counted(cases, "case")
    return f"{count} {has} no {measure} and {verb} not compared: choose a measure of the protocol {other}."


def _by_reason(cases: Sequence[LeftOutCase]) -> dict[str, list[str]]:
    labels: dict[str, list[str]] = {}
    for one in cases:
        labels.setdefault(one.reason, []).append(one.case_words)
    return labels


def _listed(labels: Sequence[str]) -> str:
    return some(labels, _MAX_LABELS, "; ")


def withdrawn_words(agent_names: Sequence[str]) -> str:
    """Return which cases are left out, because their agents are not trusted; empty for none.

    agent_names: that of the agent of each case.
    """
    return " ".join(
        f"{counted(count, 'case')} of {name} {'is' if count == 1 else 'are'} left out: "
        f"{'its' if count == 1 else 'their'} results are {WITHDRAWN}."
        for name, count in sorted(Counter(agent_names).items())
    )


def differences_words(differences: Sequence[Change], reason: str) -> str:
    """Return the heading of what changed between the former runs and the new one."""
    if reason:
        return f"Unknown what changed: {reason}"
    if not differences:
        return "Compiler, flags, libraries, kernel and settings are the same as before."
    return "What changed since the former runs:"
