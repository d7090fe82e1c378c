"""Versions of libraries: their names, and the patterns in plans that select them. Pure."""

from typing import Annotated

from pydantic import BeforeValidator, StringConstraints

from orchestrator.shared.values.text import worded

LibraryVersion = Annotated[
    str,
    StringConstraints(
        pattern=worded(
            r"^[0-9]{1,6}[0-9a-z]{0,6}(\.[0-9a-z]{1,8}){0,4}(\+[a-z0-9]+(-[a-z0-9]+)*)?$",
            "a version such as 2.19.3, or 2.19.3+lto with a label",
        ),
        max_length=40,
    ),
]
"""``2.19.3``, or ``2.19.3+lto`` with the label of one of several builds of a version."""


def _pattern(value: object) -> object:
    if isinstance(value, str) and ("/" in value or "\\" in value):
        raise ValueError(
            "expected a version such as '2.19' or '3.*'; a plan contains no path, because the operator of a device "
            "registers folders with: ciphermark daemon libraries add"
        )
    if isinstance(value, int | float):
        raise ValueError("expected a version in quotes, such as '2.19', because YAML reads 3.10 as the number 3.1")
    return value


LibraryPattern = Annotated[
    str,
    BeforeValidator(_pattern),
    StringConstraints(
        pattern=worded(
            r"^(\*|[0-9]{1,6}[0-9a-z]{0,6}(\.[0-9a-z]{1,8}){0,4}(\.\*)?(\+[a-z0-9]+(-[a-z0-9]+)*)?)$",
            "* or the first numbers of a version, such as 2.19 or 3.*",
        ),
        max_length=40,
    ),
]
"""``*``, or the first numbers of a version: ``2.19`` and ``2.19.*`` match 2.19.3, but not 2.190. A label matches the
same one; without it, any."""


def is_selected(version: str, pattern: str) -> bool:
    """Return whether a pattern of a plan selects a version."""
    required, _, label = pattern.partition("+")
    numbers, _, own_label = version.partition("+")
    if label and label != own_label:
        return False
    first = [part for part in required.split(".") if part != "*"]
    return numbers.split(".")[: len(first)] == first


def release_of(version: str) -> str:
    """Return a version without its label."""
    return version.partition("+")[0]


def is_same_release(one: str, other: str) -> bool:
    """Return whether two names can be of one version: libraries report 3.8 or 3.8.1 of it."""
    parts, others = release_of(one).split("."), release_of(other).split(".")
    common = min(len(parts), len(others))
    return parts[:common] == others[:common]
