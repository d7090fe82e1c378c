"""Remarks of an answer about sizes: the processor of the code, code for its extensions, unmeasured variants. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from orchestrator.results.answers.decision.constraints import ImplementationFacts
from orchestrator.results.answers.readings import Candidate, Implementation
from orchestrator.shared.values.text import some

Implementations = Mapping[Implementation, ImplementationFacts]
"""Properties in the listing of the runner."""
_NAMED = 3
_FEATURES_NAMED = 4


def size_remarks(
    device: str, target: str, listed: Implementations, candidates: Iterable[Candidate], run_id: str
) -> str:
    """Return what limits of code size and memory apply to on one agent.

    target: that the sizes are those of; empty: the device itself.
    listed: of the builds of the candidates; candidates: of the question, whether they meet its limits or not.
    """
    found = sorted(candidates)
    if target:
        text = f"Sizes are those on {target}, times those on {device}, whose compiler and flags are others."
        return text + _unmeasured(listed, found, run_id)
    text = f"Sizes are those of code that was compiled for {device}; on another processor they differ."
    return text + _extensions(listed, found) + _unmeasured(listed, found, run_id)


def _extensions(listed: Implementations, candidates: Sequence[Candidate]) -> str:
    """Return which candidates use vector or other instructions that not every processor of this kind has."""
    required = {one: facts.requires for one in candidates if (facts := listed.get(one.implementation)) is not None}
    names = [f"{one.algorithm} by {one.provider} [{one.variant}]" for one, features in required.items() if features]
    if not names:
        return ""
    features = sorted({feature for features in required.values() for feature in features})
    shown = ", ".join(features[:_FEATURES_NAMED]) + (" …" if len(features) > _FEATURES_NAMED else "")
    return f" No sizes of firmware, because they use instructions of this processor ({shown}): {_list(names)}."


def _unmeasured(listed: Implementations, candidates: Sequence[Candidate], run_id: str) -> str:
    """Return of which ciphers a single variant was measured although there are others, and how to measure those."""
    measured: dict[tuple[int, str, str], set[str]] = defaultdict(set)
    for one in candidates:
        if not one.form.shares:
            measured[one.build_id, one.provider, one.algorithm].add(one.variant)
    further = {
        (build_id, provider, algorithm)
        for (build_id, provider, algorithm, variant), facts in listed.items()
        if facts.available and not facts.masked and variant not in measured.get((build_id, provider, algorithm), ())
    }
    names = [
        f"{cipher[2]} by {cipher[1]}"
        for cipher, variants in measured.items()
        if len(variants) == 1 and cipher in further
    ]
    if not names:
        return ""
    return (
        f" A single variant was measured of {_list(names)}, and another one may be smaller: "
        f"ciphermark submit {run_id} --variant '*' --watch measures all."
    )


def _list(names: Iterable[str]) -> str:
    return some(list(dict.fromkeys(names)), _NAMED)
