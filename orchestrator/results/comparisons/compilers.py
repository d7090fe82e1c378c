"""Names of compilers: what --version prints, and what a program that it compiled reports."""

import re

_KINDS = (
    ("icpx", re.compile(r"\bicpx\b|IntelLLVM|oneAPI", re.IGNORECASE)),
    ("clang", re.compile(r"\bclang\b", re.IGNORECASE)),
    ("gcc", re.compile(r"\bGNU\b|\bgcc\b|\bg\+\+", re.IGNORECASE)),
)
_VERSION = re.compile(r"\d+(?:\.\d+)+")
_REVISION = re.compile(r"\([^)]*\)")
"""Package of a distribution: ``(Debian 12.2.0-14+deb12u1)``."""


def compiler_name(described: str) -> str:
    """Return kind and version: ``gcc 12.2.0`` for ``g++ (Debian 12.2.0-14+deb12u1) 12.2.0`` and for ``GNU 12.2.0``.

    A text without a known kind or without a version is returned as it is.
    """
    plain = _REVISION.sub("", described)
    kind = next((name for name, pattern in _KINDS if pattern.search(plain)), None)
    version = _VERSION.search(plain)
    return f"{kind} {version[0]}" if kind and version else described


def same_compiler(one: str, other: str) -> bool:
    """Return whether two texts describe one compiler.

    A program reports no revision of a distribution, so that one is compared only where both texts have it.
    """
    detailed = all(_REVISION.search(text) for text in (one, other))
    return one == other if detailed else compiler_name(one) == compiler_name(other)
