"""Sentences about the cost of a traffic on one agent. Pure."""

from collections.abc import Sequence

from orchestrator.results.answers.agents import unranked_sentence
from orchestrator.results.answers.decision.constant_time import timing_warning
from orchestrator.results.answers.sentence import listed
from orchestrator.results.traffic.schemas import AgentTraffic, TrafficRow
from orchestrator.shared.units import format_duration_ns, format_share, format_size
from orchestrator.statistics.mixtures.changes import MixtureChange

LARGE_ERROR = 0.05
"""Error of interpolation from which measuring the lengths is recommended."""


def summary(answer: AgentTraffic, names: Sequence[str]) -> str:
    """Return the summary of an agent's rows; names: labels of the ranked candidates in their order."""
    ranked = [row for row in answer.rows if row.rank is not None]
    if not ranked:
        return _nothing(answer)
    ties = [(row, name) for row, name in zip(ranked, names, strict=False) if row.verdict == "tie"]
    tied = f" and ties with {listed([name for _, name in ties])}" if ties else ""
    lead = f"{_doubt(ranked, names)}{names[0]} {_cost(ranked[0])}{tied}{_distance(ranked, names)}."
    rest = f"{_interpolated(ranked[0])}{_without_change(answer, ranked)}"
    return f"On {answer.device}, {lead}{rest}{timing_warning([ranked[0], *(row for row, _ in ties)])}"


def change(found: MixtureChange, winner: str) -> str:
    """Return the sentence of a change of the traffic."""
    last = (
        "no value that was searched decides for it" if found.undecided_to is None else _value(found, found.undecided_to)
    )
    return (
        f"{_condition(found)}, {winner} costs the same and beyond that less; "
        f"undecided from {_value(found, found.undecided_from)} to {last}."
    )


def _condition(found: MixtureChange) -> str:
    if found.kind == "share":
        return (
            f"With {format_share(found.after)} of the messages of {format_size(found.length_bytes or 0)} instead of "
            f"{format_share(found.before)}"
        )
    if found.kind == "length":
        return f"With all messages {found.after:.3g} times as long"
    return f"With {found.after:.3g} key changes per message instead of {found.before:.3g}"


def _value(found: MixtureChange, value: float) -> str:
    if found.kind == "share":
        return format_share(value)
    return f"{value:.3g} times" if found.kind == "length" else f"{value:.3g}"


def _nothing(answer: AgentTraffic) -> str:
    if answer.unranked:
        return unranked_sentence(answer.device, answer.unranked)
    if answer.excluded and not answer.rows:
        return f"On {answer.device} no candidate meets the constraints; the list of excluded ones has the reasons."
    reasons = sorted({row.reason for row in answer.rows})
    why = f": {reasons[0]}" if len(reasons) == 1 else "; each row has its reason"
    return f"On {answer.device} the cost of this traffic is unknown{why}."


def _cost(row: TrafficRow) -> str:
    text = f"costs {format_duration_ns(row.cost_ns or 0.0)}"
    if row.interval is not None:
        text += f" (95 % interval {format_duration_ns(row.interval.low)} to {format_duration_ns(row.interval.high)})"
    return f"{text} per message"


def _distance(ranked: Sequence[TrafficRow], names: Sequence[str]) -> str:
    place = next((place for place, row in enumerate(ranked) if row.verdict == "different"), None)
    if place is None:
        return ""
    following, name = ranked[place], names[place]
    if following.behind is None or following.behind_interval is None:
        return ""
    limits = f"95 % interval {following.behind_interval.low:.3g} to {following.behind_interval.high:.3g}"
    return f"; the next that differs, {name}, costs {following.behind:.3g} times ({limits}) as much"


def _doubt(ranked: Sequence[TrafficRow], names: Sequence[str]) -> str:
    """Return why the first candidate may not be the cheapest one; empty if it is, or ties."""
    found = [(row, name) for row, name in zip(ranked, names, strict=False) if row.verdict == "undecided"]
    if not found:
        return ""
    return f"it is undecided which candidate is the cheapest: {found[-1][1]} is {found[-1][0].reason}. By its median, "


def _interpolated(row: TrafficRow) -> str:
    """Return how much of the traffic was interpolated, and a recommendation if that may err much."""
    error = row.interpolation_error or 0.0
    if row.measured_share > 0.9999:
        return ""
    share = format_share(1 - row.measured_share)
    text = f" {share} of the messages have interpolated times (the cost may be up to {format_share(error)} higher)"
    return f"{text}; measure their lengths for a narrower interval." if error > LARGE_ERROR else f"{text}."


def _without_change(answer: AgentTraffic, ranked: Sequence[TrafficRow]) -> str:
    if answer.changes or ranked[0].last_rank != 1 or len(ranked) < 2:
        return ""
    return " No other share, length or number of key changes within what was measured makes another one cheaper."
