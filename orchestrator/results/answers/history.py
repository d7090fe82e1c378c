"""Origin of a result: where its run stopped, and how often the same was measured."""

from collections import Counter

from sqlalchemy.orm import Session

from orchestrator.database.models import Run
from orchestrator.results.schemas import Repetitions
from orchestrator.runs.repository import ended_by_state, list_others
from orchestrator.values.text import enumerated


def stopped_words(session: Session, run: Run) -> str:
    """Return where a run stopped before its end, and how often it was resumed; empty for one that went through."""
    words = []
    if run.state in ("cancelled", "failed"):
        ended = sum(ended_by_state(session, [run]).get(run.id, {}).values())
        words.append(f"Stopped after {ended} of {run.executions_total} executions ({run.state}).")
    if run.resumptions:
        words.append(f"Resumed {run.resumptions} time{'s' if run.resumptions > 1 else ''}.")
    return " ".join(words)


def repetitions_of(session: Session, run: Run) -> Repetitions:
    """Return the numbers of the other runs of the same measurement, deleted ones included."""
    others = list_others(session, run)
    states = Counter(one.state for one in others if not one.deleted)
    numbers = {
        "cancelled": states["cancelled"],
        "failed": states["failed"],
        "deleted": sum(one.deleted for one in others),
        "resumed": sum(one.resumed for one in others),
    }
    sentence = ""
    if others:
        named = [f"{number} {name}" for name, number in numbers.items() if number]
        count = f"{len(others)} other run{'s' if len(others) > 1 else ''}"
        sentence = f"{count} of the same measurement{': ' + enumerated(named) if named else ''}."
    return Repetitions(runs=len(others), **numbers, sentence=sentence)
