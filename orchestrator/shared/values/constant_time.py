"""Labels of constant time: what the code claims, and what was found on the build itself."""

from collections.abc import Sequence

SUSPICIOUS_T, DEPENDENT_T = 4.5, 10.0
"""|t| from which times are suspicious, and from which they depend on data (dudect, DATE 2017)."""


def label(claimed: bool | None, errors: int | None, hidden_features: Sequence[str] = ()) -> str:
    """Return claim and check in a few words: ``yes, checked``, ``claimed, REFUTED by 3 errors``.

    errors: branches and addresses that depend on a secret; None if that was not checked. hidden_features: features of
    the processor that a library could not use during its check, so that it perhaps executed other code.
    """
    if errors is None:
        return {True: "yes, not checked", False: "no, not checked", None: "unknown"}[claimed]
    if errors:
        count = "1 error" if errors == 1 else f"{errors} errors"
        prefix = {True: "claimed, REFUTED by", False: "no, found", None: "no claim, found"}[claimed]
        return f"{prefix} {count}"
    checked = {True: "yes, checked", False: "not claimed, no leak found", None: "no claim, no leak found"}[claimed]
    return f"{checked} (perhaps other code)" if hidden_features else checked


def explanation(errors: int | None, max_message_bytes: int | None, hidden_features: Sequence[str], reason: str) -> str:
    """Return what a check means, or why there is none."""
    if errors is None:
        return f"Not checked on this build: {reason}."
    if errors:
        return (
            f"Under valgrind at least {errors} branches or addresses depended on the key or the plaintext: table "
            "look-ups or branches, whose times others on the machine may observe."
        )
    hidden = (
        f" Valgrind hid {', '.join(hidden_features)}: the library may execute other code on this processor."
        if hidden_features
        else ""
    )
    return (
        "Under valgrind no branch and no address depended on the key or the plaintext, in messages of up to "
        f"{max_message_bytes} bytes.{hidden}"
    )


def with_indication(text: str, t: float | None) -> str:
    """Return a label with what the timing test indicates, if times depend on data."""
    return f"{text}; timing depends on data" if t is not None and abs(t) > DEPENDENT_T else text


def timing_label(t: float | None, calls: int | None, reason: str) -> str:
    """Return what a timing test indicates, or why there is none."""
    if t is None:
        return f"No timing test: {reason}."
    if abs(t) > DEPENDENT_T:
        return f"Timing depends on data (t = {t:.1f}, {calls} timings)."
    if abs(t) > SUSPICIOUS_T:
        return f"Timing is suspicious (t = {t:.1f}, {calls} timings)."
    return f"Timing test: nothing found with {calls} timings (t = {t:.1f})."
