"""Verdicts on a paper's claims from one agent's part of a run, and its figures next to the published ones. Pure."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from orchestrator.papers.judging.comparability import Comparability, noise
from orchestrator.papers.names import TONES, Unit, VerdictName
from orchestrator.papers.paper import Claim, Figure, Paper
from orchestrator.papers.quantities import Device, Missing, Quantity
from orchestrator.papers.schemas import AgentVerdicts, ClaimVerdict, FigureComparison, MeasuredValue
from orchestrator.papers.statements import ClaimEvidence, ForEachChoice, location_of
from orchestrator.results.answers.agents import unranked_sentence
from orchestrator.results.answers.readings import ExecutionCounts
from orchestrator.results.case_statistics import NS_PER_SECOND
from orchestrator.results.schemas import Interval
from orchestrator.shared.units import KIB, MIB
from orchestrator.statistics.claims.counts import Counts
from orchestrator.statistics.claims.ordering import Ordering
from orchestrator.statistics.claims.verdict import Decision, Verdict, judge

MAX_LISTED = 20
"""Missing quantities that a verdict lists."""


def verdicts_of(paper: Paper, device: Device) -> AgentVerdicts:
    """Return the verdict on every claim of the paper, and every published figure next to the measured one.

    Claims and figures are read with the lengths of the publication alone; findings with every length.
    """
    facts, published = device.facts, of_published_lengths(paper, device)
    claims = [_compared(paper, one, published, found) for one, found in _judged(paper.claims, published)]
    findings = [found for _, found in _judged(paper.findings, device)]
    decided = tuple(claim for claim, found in zip(paper.claims, claims, strict=True) if found.sentence)
    return AgentVerdicts.from_row(
        facts,
        **vars(device.counts),
        architecture=device.architecture,
        claims=claims,
        findings=findings,
        figures=[_figure(one, published) for one in paper.figures],
        sentence=_sentence(facts.device, claims, device.counts),
        noise=noise(device),
        differences=Comparability(paper.setting, decided, published).differences,
    )


def of_published_lengths(paper: Paper, device: Device) -> Device:
    """Return a device without the readings at lengths that the publication does not have."""
    lengths = frozenset(paper.setting.lengths)
    return replace(device, lengths=lengths) if lengths and device.measured_lengths - lengths else device


def _compared(paper: Paper, claim: Claim, device: Device, found: ClaimVerdict) -> ClaimVerdict:
    """Return a decided verdict with its differences from the publication, which decide what is contradicted."""
    if found.verdict not in ("reproduced here", "not reproduced here"):
        return found
    next_to = Comparability(paper.setting, (claim,), device)
    verdict: VerdictName = found.verdict
    if verdict == "not reproduced here" and next_to.contradicts:
        verdict = "contradicted"
    differences = next_to.differences
    named = f"differs from the publication in {'; '.join(differences)}" if differences else "as in the publication"
    words = "; ".join(one for one in (f"{verdict[0].upper()}{verdict[1:]}", found.range, named) if one)
    sentence = f"{words}. {noise(device)}"
    return found.model_copy(update={"verdict": verdict, "differences": differences, "sentence": sentence})


def _judged(claims: Sequence[Claim], device: Device) -> list[tuple[Claim, ClaimVerdict]]:
    """Return each claim with its verdict on this device; all of them are one family."""
    evidence = {claim.id: _evidence(claim, device) for claim in claims}
    statements = {
        (claim, choice): found.statement
        for claim, choices in evidence.items()
        for choice, found in choices.items()
        if found.statement
    }
    judged = judge(statements, len({claim for claim, _ in statements}))
    return [
        (one, _over_choices([_claim(one, found, judged.get((one.id, label))) for label, found in choices]))
        for one in claims
        for choices in (evidence[one.id].items(),)
    ]


def _over_choices(found: Sequence[ClaimVerdict]) -> ClaimVerdict:
    """Return the verdict that all choices of variants share, or none, with the number of choices of each verdict.

    Its comparison is that of the choice that is closest to the other verdict.
    """
    if len(found) == 1:
        return found[0]
    counts = Counter(one.verdict for one in found)
    shown = min(found, key=_margin)
    places = "; ".join(f"{verdict} for {counts[verdict]}" for verdict in TONES if counts[verdict])
    words = f"of {len(found)} choices of portable variants, {places}"
    verdict, reason = shown.verdict, shown.reason
    if len(counts) > 1:
        unmeasured = next((one for one in found if one.verdict == "not measurable here"), None)
        verdict = "not measurable here" if unmeasured else "inconclusive"
        reason = f"{unmeasured.reason}; {words}" if unmeasured else f"the verdict depends on the variants: {words}"
    elif reason:
        reason = f"{reason}; {words}"
    changes = {"verdict": verdict, "reason": reason, "range": words, "choices": len(found)}
    return shown.model_copy(update={**changes, "choices_reproduced": counts["reproduced here"]})


def _margin(one: ClaimVerdict) -> float:
    """Return the distance of a ratio from the nearest limit of its claim, as a difference of logarithms."""
    if one.estimate is None:
        return math.inf
    return min(abs(math.log(one.estimate / limit)) for limit in (one.low, one.high) if limit)


def _evidence(claim: Claim, device: Device) -> dict[str, ClaimEvidence]:
    """Return what a device contributes to a claim, by the label of each choice of variants."""
    if unranked := device.facts.unranked:
        return {"": ClaimEvidence((), (unranked_sentence(device.facts.device, unranked).rstrip("."),))}
    if claim.device and device.architecture not in claim.device.architectures:
        seen = f"this agent has {device.architecture or 'an unknown processor'}"
        return {"": ClaimEvidence((), (f"the claim is about another device ({claim.device.label}); {seen}",))}
    if not isinstance(claim.statement, ForEachChoice):
        return {"": claim.statement.evidence(device)}
    try:
        return claim.statement.choices(device)
    except Missing as absent:
        return {"": ClaimEvidence((), (str(absent),))}


def _claim(claim: Claim, evidence: ClaimEvidence, found: Verdict | None) -> ClaimVerdict:
    """Return the verdict on a claim. A part of it can fail, but only all of it can be reproduced."""
    verdict: VerdictName = _ON_DEVICE[found.decision] if found else "not measurable here"
    reason = found.reason if found else ""
    if evidence.missing and verdict != "not reproduced here":
        first, *others = evidence.missing
        verdict, reason = "not measurable here", f"{first}; {len(others)} more" if others else first
    elif found is None:
        reason = "the run has nothing to compare"
    decided: dict[str, Any] = {}
    if found:
        scale: Callable[[float], float] = float if isinstance(evidence.statement, Ordering | Counts) else math.exp
        interval = found.interval
        decided = {
            "part": found.name,
            "estimate": scale(found.estimate),
            "interval": Interval(low=scale(interval.low), high=scale(interval.high)) if interval else None,
            "low": scale(found.low) if math.isfinite(found.low) else None,
            "high": scale(found.high) if math.isfinite(found.high) else None,
            "blocks": found.blocks,
            "parts": found.parts,
            "parts_inside": found.inside,
            "parts_outside": found.outside,
            "repetitions": found.repetitions if verdict == "inconclusive" else None,
        }
    return ClaimVerdict(
        claim=claim.id,
        text=claim.text,
        tested=claim.statement.tested,
        verdict=verdict,
        choices_reproduced=int(verdict == "reproduced here"),
        missing=list(evidence.missing[:MAX_LISTED]),
        missing_total=len(evidence.missing),
        reason=reason,
        **decided,
    )


_ON_DEVICE: Mapping[Decision, VerdictName] = {
    "holds": "reproduced here",
    "refuted": "not reproduced here",
    "inconclusive": "inconclusive",
}
"""Verdicts about the measured device alone."""


def _figure(figure: Figure, device: Device) -> FigureComparison:
    found = measured_value(figure.quantity, figure.unit, figure.value, device, figure.reason)
    return FigureComparison.from_row(figure, published=figure.value, **found.model_dump())


_SCALES: Mapping[Unit, float] = {"s": NS_PER_SECOND, "MB": 1e6, "KiB": KIB, "MiB": MIB}
"""Nanoseconds or bytes of a unit."""


_BYTES_PER_UNIT: Mapping[Unit, float] = {"MiB/s": MIB, "MB/s": 1e6}
"""Units of throughputs, which are measured as the time of one byte."""


def measured_value(
    quantity: Quantity | None, unit: Unit, published: float | None, device: Device, reason: str
) -> MeasuredValue:
    """Return the location of a quantity over the blocks, with its interval and its ratio to the published value.

    quantity: None if there is no counterpart, for this reason.
    """
    if quantity is None:
        return MeasuredValue(reason=reason)
    try:
        found = location_of(quantity, device)
    except Missing as absent:
        return MeasuredValue(reason=str(absent))
    measured = _in_unit(found.middle, unit)
    interval = None
    if found.interval:
        low, high = sorted(_in_unit(one, unit) for one in (found.interval.low, found.interval.high))
        interval = Interval(low=low, high=high)
    return MeasuredValue(
        measured=measured, interval=interval, ratio=measured / published if published else None, reason=reason
    )


def _in_unit(log: float, unit: Unit) -> float:
    value = math.exp(log)
    if unit in _BYTES_PER_UNIT:
        return NS_PER_SECOND / value / _BYTES_PER_UNIT[unit]
    return value / _SCALES.get(unit, 1.0)


def _sentence(device: str, claims: list[ClaimVerdict], counts: ExecutionCounts) -> str:
    """Return the summary of an agent: what may mislead first, then the number of each verdict."""
    found = Counter(claim.verdict for claim in claims)
    words = ", ".join(f"{found[one]} {one}" for one in TONES if found[one])
    states = (counts.wrong, "wrong"), (counts.disputed, "disputed"), (counts.failed, "failed")
    bad = [f"{count} {state}" for count, state in states if count]
    first = (
        f"{', '.join(bad)} executions on {device}: their cases count with their other executions only. " if bad else ""
    )
    return f"{first}{device}: of {len(claims)} claims, {words}."
