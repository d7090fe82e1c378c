"""Sentences of the report: what was found in plain language, and where and why figures differ. Pure."""

from collections.abc import Iterator, Sequence
from statistics import median

from orchestrator.papers.names import TONES
from orchestrator.papers.reporting.schemas import PaperReport
from orchestrator.papers.schemas import (
    AgentVerdicts,
    ClaimVerdict,
    FigureComparison,
    PaperVerdicts,
)

FAR = 2.0
"""Factor beyond which a figure is named as far from the published one."""
MAX_NAMED = 3


def summary(report: PaperReport) -> list[str]:
    """Return the verdicts in plain language; what may mislead a reader is in `warnings`."""
    sentences = list[str]()
    agents = [(run, agent) for run in report.runs for agent in run.found.agents]
    for run, agent in agents:
        sentences += _of_agent(agent, f" in run {run.found.run_id}" if len(report.runs) > 1 else "")
    if agents:
        sentences.append(report.runs[0].found.chance)
    return sentences


def warnings(runs: Sequence[PaperVerdicts]) -> list[str]:
    """Return what may mislead a reader of these runs: unfinished, without results, wrong, unlike, or not measured."""
    several = len(runs) > 1
    sentences = []
    for run in runs:
        name = f"Run {run.run_id}" if several else "The run"
        if run.run_state != "finished":
            sentences.append(f"{name} is {run.run_state}: the report judges what it has so far.")
        if not run.agents:
            sentences.append(f"No agent of {name[0].lower()}{name[1:]} has results, so that no claim can be judged.")
    devices = {agent.agent_id: agent.device or agent.agent_name for run in runs for agent in run.agents}
    if len(devices) > 1:
        names = "; ".join(devices.values())
        sentences.append(
            f"{len(devices)} different devices were measured ({names}): each has verdicts of its own, and no figure "
            "is an average over devices."
        )
    for run in runs:
        for agent in run.agents:
            where = f"{agent.agent_name} in run {run.run_id}" if several else agent.agent_name
            sentences += _of_executions(agent, where)
    return sentences


def _of_executions(agent: AgentVerdicts, where: str) -> Iterator[str]:
    if agent.wrong or agent.disputed:
        yield (
            f"{agent.wrong} executions on {where} gave wrong results and {agent.disputed} are disputed; "
            "they contribute to no verdict."
        )
    if agent.failed or agent.skipped:
        yield f"{agent.failed} executions on {where} failed and {agent.skipped} were skipped."
    missing = list(dict.fromkeys(text for one in agent.claims for text in one.missing))
    total = sum(one.missing_total > 0 for one in agent.claims)
    if missing:
        more = f" and {len(missing) - MAX_NAMED} more" if len(missing) > MAX_NAMED else ""
        yield (
            f"{total} of {len(agent.claims)} claims lack something on {where}: {'; '.join(missing[:MAX_NAMED])}{more}. "
            "Such a claim can fail here, but cannot be reproduced."
        )


def _of_agent(agent: AgentVerdicts, where: str) -> Iterator[str]:
    yield f"On {agent.device}{where}, {len(agent.claims)} claims were tested."
    for verdict in TONES:
        named = [f"“{one.text}”" for one in agent.claims if one.verdict == verdict]
        if named:
            yield f"{len(named)} {verdict}: {'; '.join(named)}."
    if agent.differences:
        yield f"Differs from the publication in {'; '.join(agent.differences)}."
    shown = sum(one.verdict == "reproduced here" for one in agent.findings)
    if agent.findings:
        yield f"{shown} of the {len(agent.findings)} findings on the publication are visible here."


def noise(runs: Sequence[PaperVerdicts]) -> list[str]:
    """Return for each agent of each run the share of disturbed executions and the noise floor."""
    several = len(runs) > 1
    return [
        f"{agent.agent_name}{f' in run {run.run_id}' if several else ''}: {agent.noise}"
        for run in runs
        for agent in run.agents
    ]


def differences(agent: AgentVerdicts) -> list[str]:
    """Return where the figures of an agent differ from the published ones, and by which comparisons claims fail."""
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
    sentences += [_failure(one) for one in agent.claims if one.verdict in ("not reproduced here", "contradicted")]
    return sentences


def _factor(figure: FigureComparison) -> float:
    ratio = figure.ratio or 1.0
    return max(ratio, 1 / ratio)


def _failure(claim: ClaimVerdict) -> str:
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
    more = f"; {claim.parts_outside} of {claim.parts} comparisons are outside" if claim.parts > 1 else ""
    return f"“{claim.text}” is {claim.verdict}: {seen}{more}."
