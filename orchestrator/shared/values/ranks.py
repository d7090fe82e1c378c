"""Ranks and letters of candidates for users: ``2–4 b–d``."""

from collections.abc import Sequence

_LETTERS = 26
NOTE = "Two with a letter in common are not proven to differ, and two without are; ? marks undecided comparisons."
"""Explanation of the letters and marks next to the ranks."""


def letters_of(number: int) -> str:
    """Return the name of a group: a … z, then aa, ab …; number: from 0."""
    ahead, place = divmod(number, _LETTERS)
    return (letters_of(ahead - 1) if ahead else "") + chr(ord("a") + place)


def rank_label(rank: int, last_rank: int) -> str:
    """Return the ranks that are possible: ``2`` or ``2–4``."""
    return str(rank) if last_rank == rank else f"{rank}–{last_rank}"


def groups_label(groups: Sequence[str]) -> str:
    """Return the letters of a candidate in their order, three or more consecutive ones as a range: ``a c–f``."""
    spans: list[list[str]] = []
    for one in groups:
        if spans and _number(one) == _number(spans[-1][-1]) + 1:
            spans[-1].append(one)
        else:
            spans.append([one])
    return " ".join(f"{one[0]}–{one[-1]}" if len(one) > 2 else " ".join(one) for one in spans)


def ranked_label(rank: int | None, last_rank: int | None, groups: Sequence[str], undecided: bool = False) -> str | None:
    """Return ranks and letters in one cell, with a mark of undecided comparisons; None without a rank."""
    if rank is None or last_rank is None:
        return None
    return f"{rank_label(rank, last_rank)} {groups_label(groups)}".rstrip() + ("?" if undecided else "")


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * _LETTERS + ord(letter) - ord("a") + 1
    return number - 1
