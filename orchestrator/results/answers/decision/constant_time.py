"""Warnings about candidates whose times may depend on secrets, for the sentences that recommend them. Pure."""

from collections.abc import Callable, Sequence

from orchestrator.results.schemas import TimedCandidateFields
from orchestrator.shared.values.forms import variant_label

NAMED_IN_A_WARNING = 3

_Rule = tuple[Callable[[bool | None, int | None, list[str]], bool], str, str]
"""Which claims, errors and hidden features it is about; the sentence of one candidate, and that of several."""

_RULES: tuple[_Rule, ...] = (
    (
        lambda claimed, errors, _: claimed is True and bool(errors),
        "Attention: the code of {} claims constant time, and the check of this build REFUTED it: branches or "
        "addresses depend on secrets, which others on the machine may observe.",
        "Attention: the code of {} claims constant time, and the check of these builds REFUTED it: branches or "
        "addresses depend on secrets, which others on the machine may observe.",
    ),
    (
        lambda claimed, errors, _: claimed is not True and (bool(errors) or (claimed is False and errors is None)),
        "Attention: {} does not claim constant time: table look-ups or branches may depend on secrets, which others "
        "on the machine may observe.",
        "Attention: {} do not claim constant time: table look-ups or branches may depend on secrets, which others on "
        "the machine may observe.",
    ),
    (
        lambda claimed, errors, _: claimed is not True and errors == 0,
        "{} does not claim constant time, but its check found no branch and no address that depends on a secret.",
        "{} do not claim constant time, but their checks found no branch and no address that depends on a secret.",
    ),
    (
        lambda claimed, errors, _: claimed is True and errors is None,
        "{} claims constant time, which was not checked on this build.",
        "{} claim constant time, which was not checked on these builds.",
    ),
    (
        lambda _, errors, hidden: errors == 0 and bool(hidden),
        "{} was checked for constant time without some features of this processor, for which it may have other code.",
        "{} were checked for constant time without some features of this processor, for which they may have other "
        "code.",
    ),
)


def timing_warning(rows: Sequence[TimedCandidateFields]) -> str:
    """Return warnings about recommended candidates, the gravest first, with a space before each; empty without any."""
    text = ""
    for concerns, one, several in _RULES:
        concerned = [row for row in rows if _applies(concerns, row)]
        names = list(dict.fromkeys(_name(row, [one for one in rows if one not in concerned]) for row in concerned))
        if names:
            more = f" and {len(names) - NAMED_IN_A_WARNING} others" if len(names) > NAMED_IN_A_WARNING else ""
            shown = ", ".join(names[:NAMED_IN_A_WARNING]) + more
            text += f" {(one if len(names) == 1 else several).format(shown)}"
    return text


def _name(row: TimedCandidateFields, others: Sequence[TimedCandidateFields]) -> str:
    """Return the name of a candidate, with what distinguishes it from others of its algorithm and provider."""
    same = any((one.algorithm, one.provider) == (row.algorithm, row.provider) for one in others)
    return f"{row.algorithm} by {row.provider}" + (f" [{variant_label(row)}, {row.toolchain}]" if same else "")


def _applies(concerns: Callable[[bool | None, int | None, list[str]], bool], row: TimedCandidateFields) -> bool:
    check = row.constant_time_check
    return concerns(row.constant_time, check.errors, check.hidden_features)
