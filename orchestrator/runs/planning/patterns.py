"""Patterns of names in a plan: matching them, and suggesting names that exist. Pure."""

import difflib
from collections.abc import Iterable
from fnmatch import fnmatchcase

_MAX_NAMES = 12


def is_pattern(text: str) -> bool:
    """Return whether a text has wildcards. Without them it is a name, which must exist."""
    return any(character in text for character in "*?[")


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that a pattern matches, sorted."""
    return sorted({name for name in names if fnmatchcase(name, pattern)})


def suggestion(text: str, names: Iterable[str]) -> str:
    """Return a remedy for an unknown name: the most similar names, otherwise the first of all names."""
    known = sorted(set(names))
    similar = difflib.get_close_matches(text, known, n=3, cutoff=0.6)
    if similar:
        return f"Did you mean {', '.join(similar)}?"
    if not known:
        return "None exists yet."
    more = ", …" if len(known) > _MAX_NAMES else ""
    return f"Known: {', '.join(known[:_MAX_NAMES])}{more}."
