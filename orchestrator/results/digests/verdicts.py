"""Judgment of ciphertexts: which digest of an input is correct. Pure functions."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

Basis = Literal["third-party", "agreement"]

OUTPUT_DIFFERS = "output-differs"
"""Failure of an execution whose decryption did not return the input."""
DIGEST_DIFFERS = "digest-differs"
"""Failure of an execution whose ciphertext differs from the expected one."""
DIGEST_DISPUTED = "digest-disputed"
"""Failure of an execution whose ciphertext differs from another's, with no reference to decide."""


@dataclass(frozen=True)
class Observation:
    """A ciphertext digest that one provider gave for the input."""

    provider: str
    ciphertext_sha256: str
    proven: bool  # known answers passed on the same build


@dataclass(frozen=True)
class DigestJudgment:
    """The expected digest, or a dispute, or neither: one provider alone, unconfirmed."""

    expected_sha256: str | None
    basis: Basis | None
    disputed: bool
    detail: str


def judge(observations: Iterable[Observation], third_party_sha256: str | None) -> DigestJudgment:
    """Return the judgment of all observations of one algorithm and input.

    third_party_sha256: digest by the reference implementation, or None. It counts once a proven implementation agrees
    with it, so that a mistake in its use cannot make every other provider wrong.
    """
    seen = set(observations)
    if third_party_sha256 is not None:
        return _against_third_party(seen, third_party_sha256)
    agreeing = {
        digest: providers
        for digest in {one.ciphertext_sha256 for one in seen}
        if len(providers := sorted({o.provider for o in seen if o.proven and o.ciphertext_sha256 == digest})) > 1
    }
    if len(agreeing) == 1:
        ((digest, providers),) = agreeing.items()
        return DigestJudgment(digest, "agreement", False, f"proven implementations of {', '.join(providers)} agree")
    if len({one.ciphertext_sha256 for one in seen}) > 1:
        return DigestJudgment(None, None, True, f"{_providers(seen)} differ, and no reference decides between them")
    return DigestJudgment(None, None, False, f"{_providers(seen)} alone, without a second provider to compare with")


def digest_failure(seen: str | None, expected: str, basis: str) -> dict[str, Any]:
    """Return the failure of an execution whose ciphertext differs from the expected one."""
    subject = f"The ciphertext's SHA-256 is {seen}," if seen else "The ciphertext differs;"
    return {"error": DIGEST_DIFFERS, "detail": f"{subject} expected was {expected} ({basis})."}


def _against_third_party(seen: set[Observation], expected: str) -> DigestJudgment:
    agreeing = sorted({one.provider for one in seen if one.proven and one.ciphertext_sha256 == expected})
    if agreeing:
        return DigestJudgment(expected, "third-party", False, f"Python's cryptography and {', '.join(agreeing)} agree")
    if any(one.ciphertext_sha256 != expected for one in seen):
        detail = f"no proven implementation of {_providers(seen)} agrees with Python's cryptography"
        return DigestJudgment(None, None, True, detail)
    return DigestJudgment(None, None, False, f"{_providers(seen)} agree with Python's cryptography, but are not proven")


def _providers(seen: set[Observation]) -> str:
    return ", ".join(sorted({one.provider for one in seen})) or "no provider"
