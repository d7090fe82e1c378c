"""Agreement of devices of one model about times, which are the word of one agent alone without it."""

from collections.abc import Collection, Mapping, Sequence
from statistics import median

from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import AgentAnswer
from orchestrator.service.trust.kinds import WORDS

_ALIKE = 1.2
"""Ratio up to which two devices of a model can differ by silicon, heat and configuration."""
_IDENTITY = ("provider", "algorithm", "variant", "shares", "masking", "generator", "copy_number", "toolchain")


def with_agreement(
    answers: Sequence[AgentAnswer], models: Mapping[str, str], contradicted: Collection[str]
) -> list[AgentAnswer]:
    """Return the answers of a run's agents, each with a sentence on whose word its times are.

    models: agent id → model that its inventory declares, empty where it is unknown. Emulated agents, and those with
    withdrawn results, confirm nothing. contradicted: agents with times that their own health checks contradict.
    """
    return [
        one.model_copy(update={"times": f"{_sentence(one, answers, models)}{_remark(one, contradicted)}"})
        if MEASURES[one.measure].timed
        else one
        for one in answers
    ]


def _remark(own: AgentAnswer, contradicted: Collection[str]) -> str:
    return f" It reported {WORDS['faster-than-control']}." if own.agent_id in contradicted else ""


def _sentence(own: AgentAnswer, answers: Sequence[AgentAnswer], models: Mapping[str, str]) -> str:
    model = models.get(own.agent_id)
    others = [one for one in answers if one is not own and model and models.get(one.agent_id) == model]
    found = [words for one in others if not one.unranked and (words := _compared(own, one))]
    if own.unranked or not found:
        return f"Times: the word of {own.agent_name} alone."
    return f"Times: the word of {own.agent_name}. Of the same declared model, {'; '.join(found)}."


def _compared(own: AgentAnswer, other: AgentAnswer) -> str:
    """Return how long another device takes, over the candidates of both; empty where they share none."""
    theirs = _values(other)
    ratios = sorted(theirs[key] / value for key, value in _values(own).items() if key in theirs)
    if not ratios:
        return ""
    middle = median(ratios)
    candidates = f"{len(ratios)} candidate{'s' if len(ratios) > 1 else ''}"
    words = f"{other.agent_name} takes {middle:.2f} times as long over {candidates}"
    words += f" ({ratios[0]:.2f} to {ratios[-1]:.2f})" if len(ratios) > 1 else ""
    if 1 / _ALIKE <= middle <= _ALIKE:
        return words
    return f"{words}: they disagree, so one was disturbed, is configured differently or reports false times"


def _values(answer: AgentAnswer) -> dict[tuple[object, ...], float]:
    """Return the time of each candidate, in any unit."""
    rises = MEASURES[answer.measure].rises
    return {
        tuple(getattr(row, name) for name in _IDENTITY): 1 / row.value if rises else row.value
        for row in answer.rows
        if row.value
    }
