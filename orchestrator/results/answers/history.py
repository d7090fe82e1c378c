"""Origin of a result: where its run stopped, whether it was registered, and how often the same was measured."""

from collections import Counter
from collections.abc import Sequence

from sqlalchemy.orm import Session

from orchestrator.database.models import Run
from orchestrator.results.schemas import Registration, Repetitions
from orchestrator.runs.repository import OtherRun, ended_by_state, list_others
from orchestrator.runs.state import ENDED_RUNS
from orchestrator.shared.values.text import enumerated


def first_look(session: Session, run: Run) -> int | None:
    """Return after how many executions the answer of a registered run was first requested before its end, or is now.

    None where it never was.
    """
    is_first = _is_open(run) and run.registered_repetitions is not None and run.first_look_executions is None
    return _ended(session, run) if is_first else run.first_look_executions


def stopped_words(session: Session, run: Run) -> str:
    """Return where a run stopped before its end, and how often it was resumed; empty for one that went through."""
    words = []
    if run.state in ("cancelled", "failed"):
        words.append(f"Stopped after {_ended(session, run)} of {run.executions_total} executions ({run.state}).")
    if run.resumptions:
        words.append(f"Resumed {run.resumptions} time{'s' if run.resumptions > 1 else ''}.")
    return " ".join(words)


def repetitions_of(session: Session, run: Run, look: int | None) -> Repetitions:
    """Return the registration of a run, and the numbers of the other runs of the same measurement, deleted ones too.

    look: the first look at its answer.
    """
    others = list_others(session, run)
    states = Counter(one.state for one in others if one.deleted_at is None)
    numbers = {
        "cancelled": states["cancelled"],
        "failed": states["failed"],
        "deleted": sum(one.deleted_at is not None for one in others),
        "resumed": sum(one.resumptions > 0 for one in others),
    }
    sentences = []
    registration = _registration(run, others, look)
    if registration is not None:
        gone = any(one.id == registration.run_id and one.deleted_at for one in others)
        sentences.append(_registered_words(session, run, registration, gone=gone))
    if others:
        named = [f"{number} {name}" for name, number in numbers.items() if number]
        count = f"{len(others)} other run{'s' if len(others) > 1 else ''}"
        sentences.append(f"{count} of the same measurement{': ' + enumerated(named) if named else ''}.")
    return Repetitions(runs=len(others), **numbers, registration=registration, sentence=" ".join(sentences))


def _registration(run: Run, others: Sequence[OtherRun], look: int | None) -> Registration | None:
    """Return the registration of a run, or of the first registered one of the others; None without any."""
    runs: Sequence[Run | OtherRun] = (run, *others)
    for one in runs:
        if one.registered_repetitions is not None:
            own = one is run
            return Registration(
                run_id=one.id,
                registered_at=one.submitted_at,
                repetitions=one.registered_repetitions,
                kept=run.state == "finished" if own and not _is_open(run) else None,
                earlier_runs=sum((each.submitted_at, each.id) < (one.submitted_at, one.id) for each in runs),
                first_look_executions=look if own else None,
            )
    return None


def _registered_words(session: Session, run: Run, registration: Registration, *, gone: bool) -> str:
    when = f"on {registration.registered_at:%Y-%m-%d %H:%M} UTC with {registration.repetitions} repetitions"
    if registration.run_id != run.id:
        here = f"this one has {run.plan.get('repetitions')}"
        name = f"run {registration.run_id}{' (deleted)' if gone else ''}"
        return f"Not the registered run of this measurement: {name} was registered {when}; {here}."
    ended = f"{_ended(session, run)} of {run.executions_total} executions"
    kept = {
        None: f"Not ended yet: {ended}",
        True: f"Kept: {ended} were made",
        False: f"Not kept: it stopped after {ended}",
    }
    earlier = registration.earlier_runs
    before = f"after {earlier} other run{'s' if earlier > 1 else ''}" if earlier else "as the first run"
    words = f"Registered {when} and seed {run.seed}, {before} of this measurement. {kept[registration.kept]}."
    if registration.first_look_executions is None:
        return words
    return f"{words} Its answer was first read after {registration.first_look_executions} executions."


def _ended(session: Session, run: Run) -> int:
    """Return the number of executions of a run that have ended."""
    return sum(ended_by_state(session, [run]).get(run.id, {}).values())


def _is_open(run: Run) -> bool:
    return run.state not in ENDED_RUNS
