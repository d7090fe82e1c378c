"""The plan of a few cases of a plan, for confirmations. Pure."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from orchestrator.watches.schemas import WatchedCase
from orchestrator.wire.plans import CHOSEN_VARIANTS, Matrix, Plan

MAX_ENTRIES = 100
"""Maximum number of entries of a plan's matrix."""
SUFFIX = "-confirm"
_MAX_NAME = 64


def narrowed(document: Mapping[str, Any], plan: Plan, cases: Sequence[WatchedCase]) -> dict[str, Any]:
    """Return the document of a plan with at least these cases, and few others.

    document: the plan as submitted; plan: the same, validated. The toolchains stay, so that a case is measured with all
    of them. If the cases need more entries than a matrix may have, or fit none, the whole matrix stays.
    """
    entries = [entry for case in cases for entry in _entries(document["matrix"], plan.matrix, case)]
    unique = [entry for place, entry in enumerate(entries) if entry not in entries[:place]]
    found = {key: value for key, value in document.items() if key != "seed"}
    found["name"] = plan.name[: _MAX_NAME - len(SUFFIX)].rstrip("-") + SUFFIX
    found["agents"] = sorted({case.agent_id for case in cases})
    if unique and len(unique) <= MAX_ENTRIES:
        found["matrix"] = unique
    return found


def _entries(documents: Sequence[Any], matrices: Sequence[Matrix], case: WatchedCase) -> list[dict[str, Any]]:
    return [
        _entry(document, case)
        for document, matrix in zip(documents, matrices, strict=True)
        if _has_implementation(matrix, case) and _has_input(matrix, case)
    ]


def _has_implementation(matrix: Matrix, case: WatchedCase) -> bool:
    if (matrix.masking is not None) != (case.shares is not None):
        return False
    return (
        any(fnmatchcase(case.provider, one) for one in matrix.providers)
        and any(fnmatchcase(case.algorithm, one) for one in matrix.algorithms)
        and any(one in CHOSEN_VARIANTS or fnmatchcase(case.variant, one) for one in matrix.variants)
        and case.copy_number <= matrix.copies
    )


def _has_input(matrix: Matrix, case: WatchedCase) -> bool:
    if matrix.inputs is not None:
        return (
            not case.operation and case.input_kind in matrix.inputs.kinds and case.length_bytes in matrix.inputs.sizes
        )
    if matrix.messages is None or case.operation not in matrix.messages.operations:
        return False
    # An operation without a message is one case for all lengths.
    return not case.has_message or (
        case.length_bytes in matrix.messages.lengths
        and case.associated_data_bytes in matrix.messages.associated_data_lengths
        and case.key_setup in matrix.messages.key_setup
    )


def _entry(document: Mapping[str, Any], case: WatchedCase) -> dict[str, Any]:
    entry = {**document, "providers": [case.provider], "algorithms": [case.algorithm], "variants": [case.variant]}
    if case.shares is not None:
        entry["masking"] = {"shares": [case.shares], "degrees": [case.masking], "generators": [case.generator]}
    if not case.operation:
        entry["inputs"] = {"kinds": [case.input_kind], "sizes": [case.length_bytes]}
    elif not case.has_message:
        entry["messages"] = {**document["messages"], "operations": [case.operation]}
    else:
        entry["messages"] = {
            **document["messages"],
            "lengths": [case.length_bytes],
            "associated_data_lengths": [case.associated_data_bytes],
            "operations": [case.operation],
            "key_setup": [case.key_setup],
        }
    return entry
