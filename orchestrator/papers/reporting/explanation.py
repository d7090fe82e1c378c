"""Sentences of the report: what was found in plain language, and where and why figures differ. Pure."""

from collections.abc import Iterator, Mapping
from statistics import median

from orchestrator.papers.schemas import AgentVerdicts, ClaimVerdict, Decision, FigureComparison, PaperReport

FAR = 2.0
"""Factor beyond which a figure is named as far from the published one."""
MAX_NAMED = 3

_WORDS: Mapping[Decision, str] = {
    "holds": "can be confirmed",
    "refuted": "is contradicted",
    "inconclusive": "stays open",
    "not measurable here": "cannot be judged here",
}


def summary(report: PaperReport) -> list[str]:
    """Return the summary in plain language, what may mislead first; at least one sentence."""
    found = report.found
    sentences = []
    if found.run_state != "finished":
        sentences.append(f"The run is {found.run_state}: the report judges what it has so far.")
    if not found.agents:
        return [*sentences, "No agent of this run has results, so that no claim can be judged."]
    for agent in found.agents:
        if agent.wrong or agent.disputed:
            sentences.append(
                f"{agent.wrong} executions on {agent.agent_name} gave wrong results and {agent.disputed} are disputed; "
                "they contribute to no verdict."
            )
        sentences += _of_agent(agent)
    sentences.append(
        f"The probability that any of the verdicts on a device is wrong is at most {found.significance:.0%}."
    )
    return sentences


def _of_agent(agent: AgentVerdicts) -> Iterator[str]:
    yield f"On {agent.device}, {len(agent.claims)} claims were tested."
    for decision, words in _WORDS.items():
        claims = [one for one in agent.claims if one.verdict == decision]
        if claims:
            named = "; ".join(f"“{one.text}”" for one in claims)
            yield f"{len(claims)} {words if len(claims) == 1 else _plural(words)}: {named}."
    shown = sum(one.verdict == "holds" for one in agent.findings)
    if agent.findings:
        yield f"{shown} of the {len(agent.findings)} findings on the publication are visible here."


def _plural(words: str) -> str:
    first, _, rest = words.partition(" ")
    return f"{ {'is': 'are', 'stays': 'stay', 'can': 'can', 'cannot': 'cannot'}[first] } {rest}"


def differences(agent: AgentVerdicts) -> list[str]:
    """Return where the figures of an agent differ from the published ones, and which comparisons refute claims."""
    compared = [one for one in agent.figures if one.ratio]
    sentences = []
    if compared:
        ratios = [one.ratio for one in compared if one.ratio]
        sentences.append(
            f"{len(compared)} of {len(agent.figures)} published figures have a counterpart in this run. Measured / "
            f"published is {min(ratios):.3g} to {max(ratios):.3g}, with a median of {median(ratios):.3g}."
        )
        far = sorted((one for one in compared if _factor(one) > FAR), key=_factor, reverse=True)
        if far:
            named = "; ".join(f"{one.label}: {one.ratio:.3g}" for one in far[:MAX_NAMED])
            sentences.append(f"{len(far)} differ by more than a factor of {FAR:g}, most of all {named}.")
        else:
            sentences.append(f"None differs by more than a factor of {FAR:g}.")
    else:
        sentences.append("No published figure has a counterpart in this run.")
    sentences += [_refutation(one) for one in agent.claims if one.verdict == "refuted"]
    return sentences


def _factor(figure: FigureComparison) -> float:
    ratio = figure.ratio or 1.0
    return max(ratio, 1 / ratio)


def _refutation(claim: ClaimVerdict) -> str:
    limits = " and ".join(
        text
        for text in (
            f"at least {claim.low:.3g}" if claim.low is not None else "",
            f"at most {claim.high:.3g}" if claim.high is not None else "",
        )
        if text
    )
    interval = f" ({claim.interval.low:.3g} to {claim.interval.high:.3g})" if claim.interval else ""
    seen = (
        ""
        if claim.estimate is None
        else f"{claim.part} is {claim.estimate:.3g}{interval}, and the claim states {limits}"
    )
    more = f"; {claim.parts_outside} of {claim.parts} comparisons contradict it" if claim.parts > 1 else ""
    return f"“{claim.text}” is refuted: {seen}{more}."
