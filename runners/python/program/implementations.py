"""The implementations of this provider, and the selection of one by its names."""

from __future__ import annotations

from ciphers.table import PROVIDER, implementations

from program.errors import RunnerError
from program.implementation import Implementation

VERSION = "0.1.0"

__all__ = ["PROVIDER", "VERSION", "find", "implementations"]


def find(algorithm: str, variant: str | None) -> Implementation:
    """Return an implementation; raises RunnerError (unknown-algorithm, unknown-variant)."""
    listed = [one for one in implementations() if one.algorithm == algorithm]
    if not listed:
        raise RunnerError(
            "unknown-algorithm", f"{PROVIDER} has no algorithm '{algorithm}'; 'list' prints its algorithms"
        )
    for one in listed:
        if one.default if variant is None else one.variant == variant:
            return one
    names = ", ".join(one.variant for one in listed)
    raise RunnerError("unknown-variant", f"{algorithm} has no variant '{variant}'; it has {names}")
