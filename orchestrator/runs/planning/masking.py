"""Forms that a matrix selects of a masked variant, and reasons for those that the variant or the agent lacks. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, cast

from orchestrator.runs.planning.offers import OfferedMasking
from orchestrator.shared.values.forms import Form
from orchestrator.shared.values.text import enumerated
from orchestrator.wire.messages import MAX_GENERATORS
from orchestrator.wire.plans import ALL, Masking

FORM_STEPS = 2
"""Steps of the selection of one form."""
_ALL_SHARES, _ALL_DEGREES = 5, 3
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class SelectedForms:
    """The forms that a matrix selects of one variant."""

    forms: tuple[Form, ...]
    missing: Mapping[str, int]
    """Reason → number of forms that are omitted for it."""


def max_forms(masking: Masking) -> int:
    """Return how many forms a matrix can select of one variant."""
    limits = ((masking.shares, _ALL_SHARES), (masking.degrees, _ALL_DEGREES), (masking.generators, MAX_GENERATORS))
    count = 1
    for values, everything in limits:
        count *= everything if ALL in values else len(set(values))
    return count


def select_forms(masking: Masking, variant: str, offered: OfferedMasking) -> SelectedForms:
    """Return the forms of a variant in the order of the matrix, each once."""
    known = {one.name: one.reason for one in offered.generators}
    shares = _requested(masking.shares, offered.shares)
    degrees = _requested(masking.degrees, offered.degrees)
    generators = _requested(masking.generators, known)
    missing: dict[str, int] = {}
    for count in (one for one in shares if one not in offered.shares):
        reason = f"{variant} exists with {enumerated(list(map(str, offered.shares)))} shares, not with {count}."
        missing[reason] = len(degrees) * len(generators)
    present = [one for one in shares if one in offered.shares]
    for degree in (one for one in degrees if one not in offered.degrees):
        reason = f"{variant} exists with masking {enumerated(offered.degrees)}, not {degree}."
        missing[reason] = len(present) * len(generators)
    of_cipher = [Form(count, one, "") for count in present for one in degrees if one in offered.degrees]
    available: list[str] = []
    for name in generators:
        obstacle = known.get(name, "this runner lacks it")
        if obstacle is None:
            available.append(name)
        else:
            missing[f"The generator {name} is not available: {obstacle.rstrip('.')}."] = len(of_cipher)
    forms = tuple(Form(one.shares, one.degree, name) for one in of_cipher for name in available)
    return SelectedForms(forms, {reason: count for reason, count in missing.items() if count})


def _requested(values: Sequence[_Value | Literal["*"]], offered: Iterable[_Value]) -> list[_Value]:
    found: dict[_Value, None] = {}
    for value in values:
        found.update(dict.fromkeys(offered) if value == ALL else {cast(_Value, value): None})
    return list(found)
