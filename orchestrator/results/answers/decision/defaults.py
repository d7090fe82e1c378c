"""Default variants of an answer that another variant of the same program beats. Pure."""

from collections.abc import Callable, Mapping

from orchestrator.results.answers.decision.constraints import ImplementationFacts
from orchestrator.results.answers.readings import Candidate, Implementation
from orchestrator.statistics.location import Floats
from orchestrator.statistics.paired import compare_shared
from orchestrator.statistics.ranking import Place


def beaten_defaults(
    placed: Mapping[Candidate, Place],
    listed: Mapping[Implementation, ImplementationFacts],
    speeds: Callable[[Candidate], Floats],
) -> str:
    """Return which default variant another variant beats most, in one sentence; empty for none.

    placed: the ranked candidates, the fastest first; only differences that the ranking proves count. listed: properties
    in the listings of the runners.
    """
    fastest: dict[tuple[object, ...], Candidate] = {}
    beaten: list[tuple[Candidate, Candidate]] = []
    for one, place in placed.items():
        first = fastest.setdefault((one.build_id, one.provider, one.algorithm, one.form, one.copy), one)
        facts, best = listed.get(one.implementation), listed.get(first.implementation)
        if best is not None and best.default:
            continue  # Each of several defaults is the fastest for other lengths.
        if facts is not None and facts.default and not {*place.groups} & {*placed[first].groups}:
            beaten.append((first, one))
    if not beaten:
        return ""
    first, default = max(beaten, key=lambda pair: _level(placed[pair[0]]) - _level(placed[pair[1]]))
    found = compare_shared(speeds(first), speeds(default))
    if found is None or found.interval is None or found.interval.low <= 1:
        return ""
    further = len({(one.provider, one.algorithm) for _, one in beaten}) - 1
    # More digits would be noise, fewer would make the limits equal.
    digits = 1 if found.interval.high - found.interval.low < 0.02 else 0
    percent, low, high = (
        f"{100 * (ratio - 1):.{digits}f}" for ratio in (found.ratio, found.interval.low, found.interval.high)
    )
    return (
        f"On this machine {default.provider} {default.algorithm} '{first.variant}' is {percent} % faster than the "
        f"default '{default.variant}' (interval {low} to {high} %)"
        f"{f', and {further} more of the defaults are slower than another variant' if further else ''}."
    )


def _level(place: Place) -> float:
    return place.level.middle if place.level is not None else 0.0
