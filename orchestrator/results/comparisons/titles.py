"""Titles of the sides of a comparison: what distinguishes them, in the words of a reader. Pure."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from orchestrator.results.comparisons.sides import SideName

NamedRun = tuple[SideName, str, datetime]
"""A side with the name and date of its run."""


def titles(sides: Sequence[NamedRun]) -> list[str]:
    """Return a title for each side: ``packets``, ``packets of 2026-11-23 21:03``, ``clang -O3``; all are distinct.

    Sides of one run are named by their parts alone. Sides that are the same keep the text that names them.
    """
    runs = {side.run_id: f"{name} of {submitted_at:%Y-%m-%d %H:%M}" for side, name, submitted_at in sides}
    names = {side.run_id: name for side, name, _ in sides}
    if len(set(names.values())) == len(names):
        runs = names
    elif len(set(runs.values())) < len(runs):
        runs = {run_id: f"{name} ({run_id})" for run_id, name in names.items()}
    found = [_title(side, runs[side.run_id], alone=len(runs) == 1) for side, _, _ in sides]
    count = Counter(found)
    return [title if count[title] == 1 else side.label for title, (side, _, _) in zip(found, sides, strict=True)]


def _title(side: SideName, run: str, *, alone: bool) -> str:
    parts = list(side.selected.values())
    return ", ".join(parts if parts and alone else [run, *parts])
