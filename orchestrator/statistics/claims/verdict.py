"""Verdict on a claim, and on all claims of a paper together.

Error control: with m judged claims, each is judged at the level 0.05 / m (Bonferroni), in both directions. One of "the
claim is true" and "the claim is false" is a fact, and only the test of the other can err; so the probability that any
claim of a paper gets a wrong verdict is at most 5 %, however the claims depend on each other. Holm's procedure over
claims would be more powerful, but its control of wrong directions is proven for independent tests only.
Inside of a claim, `holds` requires that every part is inside of its range (intersection-union test: each part at the
level of the claim); `refuted` requires one part outside, at the level of the claim divided by the number of parts.
Source: Dunn, Journal of the American Statistical Association 56 (1961); Berger, Technometrics 24 (1982); Shaffer,
Annals of Statistics 8 (1980), on directional errors.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from orchestrator.shared.errors import NoData
from orchestrator.statistics.claims.counts import Counts
from orchestrator.statistics.claims.ordering import Ordering
from orchestrator.statistics.claims.part import ClaimPart
from orchestrator.statistics.median import CONFIDENCE, MIN_FOR_INTERVAL, ConfidenceInterval

Decision = Literal["holds", "refuted", "inconclusive"]
SIGNIFICANCE = 1 - CONFIDENCE
"""Probability that any claim of a paper gets a wrong verdict."""

Statement = Sequence[ClaimPart] | Ordering | Counts
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Verdict:
    """Verdict on one claim, with the part that decides it or is furthest from a decision."""

    decision: Decision
    name: str
    """Name of that part."""
    estimate: float
    """Location of that part, in the unit of its values; Kendall's tau for an order; share of counted events."""
    interval: ConfidenceInterval | None
    """95 % for that part alone; of an order: at the level of the claim. None below 6 blocks."""
    low: float
    """Stated range."""
    high: float
    blocks: int
    parts: int
    inside: int
    outside: int
    repetitions: int | None
    """Repetitions that would probably decide an inconclusive claim; None if decided, or if no number would."""
    reason: str
    """Why an inconclusive claim is not decided; empty for the others."""


def judge(claims: Mapping[Key, Statement], family: int | None = None) -> dict[Key, Verdict]:
    """Return the verdict on each claim; all of them are one family.

    claims: name → parts, at least one, an ordering of at least one pair, or counts. family: number of claims, if some
    are alternatives of one claim, which is decided only if all of them are decided alike (intersection-union test).
    Raises NoData for a claim without any.
    """
    level = SIGNIFICANCE / max(1, len(claims) if family is None else family)
    return {name: _judge_one(one, level) for name, one in claims.items()}


def _judge_one(one: Statement, level: float) -> Verdict:
    if isinstance(one, Ordering):
        return _of_order(one, level)
    return _of_counts(one, level) if isinstance(one, Counts) else _of_parts(one, level)


def _of_parts(parts: Sequence[ClaimPart], level: float) -> Verdict:
    if not parts:
        raise NoData("A claim without measured parts has no verdict.")
    level_outside = level / len(parts)
    sides = [part.side(level, level_outside) for part in parts]
    outside = [part for part, side in zip(parts, sides, strict=True) if side == "outside"]
    undecided = [part for part, side in zip(parts, sides, strict=True) if side == "undecided"]
    decision: Decision = "refuted" if outside else "inconclusive" if undecided else "holds"
    # The clearest violation, the part next to a violation, or the part with the smallest margin.
    shown = min(outside or undecided or parts, key=lambda part: part.distance)
    repetitions, reason = None, ""
    if decision == "inconclusive":
        repetitions, reason = _outlook(undecided, level, level_outside)
    return Verdict(
        decision, shown.name, shown.location.middle, shown.location.interval, shown.low, shown.high,
        min(len(part.values) for part in parts), len(parts), sides.count("inside"), len(outside), repetitions, reason,
    )  # fmt: skip


def _outlook(undecided: Sequence[ClaimPart], level: float, level_outside: float) -> tuple[int | None, str]:
    """Return the repetitions that decide a claim, and why it is undecided.

    One part outside is enough to refute; otherwise all must become inside.
    """
    needs = [(part, part.needed(level, level_outside)) for part in undecided]
    refuting = [number for part, number in needs if part.distance < 0 and number is not None]
    if refuting:
        return min(refuting), _TOO_FEW
    found = [number for _, number in needs if number is not None]
    if len(found) == len(needs):
        return max(found), _TOO_FEW
    if any(len(part.values) < MIN_FOR_INTERVAL for part, _ in needs):
        return MIN_FOR_INTERVAL, f"fewer than {MIN_FOR_INTERVAL} blocks decide nothing"
    return None, "a part is closer to the limit of the claim than the error that repetitions do not reduce"


_TOO_FEW = "the repetitions do not separate the estimate from the limit of the claim"


def _of_order(one: Ordering, level: float) -> Verdict:
    found = one.agreement(level)
    if not found.pairs:
        raise NoData("An order without measured pairs has no verdict.")
    holds, refuted = found.low >= one.min_tau, found.high < one.min_tau
    decision: Decision = "holds" if holds else "refuted" if refuted else "inconclusive"
    repetitions = one.needed(level) if decision == "inconclusive" else None
    reason = ""
    if decision == "inconclusive":
        if repetitions:
            reason = "too many pairs of rows have no certain order"
        elif found.pairs < one.stated_pairs():
            reason = "too many pairs of rows were not measured"
        else:
            reason = "more pairs are closer than the error that repetitions do not reduce than the claim permits"
    return Verdict(
        decision, one.name, found.tau, ConfidenceInterval(found.low, found.high), one.min_tau, 1.0, one.blocks(), 1,
        int(holds), int(refuted), repetitions, reason,
    )  # fmt: skip


def _of_counts(one: Counts, level: float) -> Verdict:
    holds, refuted = one.p_above() <= level, one.p_below() <= level
    decision: Decision = "holds" if holds else "refuted" if refuted else "inconclusive"
    reason = "too few events separate the share from the limit of the claim" if decision == "inconclusive" else ""
    return Verdict(
        decision, one.name, one.share, one.interval(), one.low, 1.0, one.total, 1, int(holds), int(refuted), None,
        reason,
    )  # fmt: skip
