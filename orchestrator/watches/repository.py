"""Queries of watches, their looks, cases, changes and deliveries, and guarded changes of their states."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, exists, func, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from orchestrator.database.models import (
    Agent,
    Build,
    Case,
    Omission,
    Proof,
    Run,
    RunAgent,
    RunTag,
    Watch,
    WatchCase,
    WatchChange,
    WatchDelivery,
    WatchLook,
    WatchRun,
)
from orchestrator.database.rows import changed, lock_name
from orchestrator.shared.errors import NotFound
from orchestrator.watches.schemas import WatchedCase

ROWS_PER_TRANSACTION = 1000
MAX_LEVELS = 20
"""Latest levels of a case that are kept."""
OPEN_LOOKS = ("measuring", "confirming")
_EXECUTABLE = (
    Build.is_default.is_(True),
    Build.failure.is_(None),
    # The daemon reports a build before its known answers; until then no plan can be executed on it.
    exists().where(Proof.build_id == Build.id),
)
"""Conditions of a default build on which a look can be measured."""


def require_watch(session: Session, watch_id: str) -> Watch:
    """Return a watch by its id or name; raise NotFound."""
    found = session.scalar(select(Watch).where(or_(Watch.id == watch_id, Watch.name == watch_id)).limit(1))
    if found is None:
        raise NotFound(f"There is no watch {watch_id[:64]!r}.", remedy="List them: ciphermark watch list.")
    return found


def list_watches(session: Session) -> Sequence[Watch]:
    """Return all watches by name."""
    return session.scalars(select(Watch).order_by(Watch.name)).all()


def count_watches(session: Session) -> int:
    """Return the number of watches."""
    return session.scalar(select(func.count()).select_from(Watch)) or 0


def has_name(session: Session, name: str) -> bool:
    """Return whether a watch has this name; needs a write transaction, and excludes others with the same name."""
    lock_name(session, f"watch {name}")
    return session.scalar(select(Watch.id).where(Watch.name == name)) is not None


def newest_build_id(session: Session) -> int:
    """Return the id of the newest default build that can be executed; 0 without any."""
    return session.scalar(select(func.max(Build.id)).where(*_EXECUTABLE)) or 0


def has_new_build(session: Session, watch: Watch) -> bool:
    """Return whether an agent of the watch's last run has another default build than at the last look.

    It is later than those of that look, or an earlier one to which the agent returned.
    """
    look, run_id = _last_submission(session, watch.id)
    agents = session.scalars(select(RunAgent.agent_id).where(RunAgent.run_id == run_id)).all()
    query = select(Build).where(*_EXECUTABLE)
    if agents:
        query = query.where(Build.agent_id.in_(agents))
    if session.scalar(query.where(Build.id > watch.seen_build_id).limit(1)) is not None:
        return True
    if look is None or open_look(session, watch.id) is not None:
        return False
    # A daemon reports its build at each start; what was noted as skipped is not noted again.
    since = max(look.began_at, watch.noticed_at or look.began_at)
    reported = session.scalars(query.where(Build.reported_at > since)).all()
    return any(_is_another(session, watch, run_id, build) for build in reported)


def _last_submission(session: Session, watch_id: str) -> tuple[WatchLook | None, str]:
    """Return the last look of a watch, and the first run of the last look that submitted one; empty without any."""
    looks = select(WatchLook).where(WatchLook.watch_id == watch_id).order_by(WatchLook.number.desc()).limit(1)
    submitted = (
        select(WatchRun.run_id)
        .join(WatchLook, WatchLook.id == WatchRun.look_id)
        .where(WatchLook.watch_id == watch_id, WatchRun.place == 0)
        .order_by(WatchLook.number.desc())
        .limit(1)
    )
    return session.scalar(looks), session.scalar(submitted) or ""


def _is_another(session: Session, watch: Watch, run_id: str, build: Build) -> bool:
    """Return whether a run measured other builds than this one on its agent.

    Builds of toolchains that the plan names differ from a default build; of them only the sources count.
    """
    cases = select(Case.build_id).where(Case.run_id == run_id, Case.agent_id == build.agent_id)
    measured = session.scalars(select(Build).where(Build.id.in_(cases))).all()
    if watch.plan.get("toolchains"):
        return any(one.source_sha256 != build.source_sha256 for one in measured)
    return bool(measured) and all(one.id != build.id for one in measured)


def begin_look(session: Session, watch: Watch, due_at: datetime | None, at: datetime) -> bool:
    """Begin the next look of a watch, unless another scheduler did; return whether it began."""
    number, seen = watch.looks + 1, newest_build_id(session)
    counted = update(Watch).where(Watch.id == watch.id, Watch.looks == watch.looks)
    values = {"looks": number, "due_at": due_at, "seen_build_id": seen, "notice": "", "noticed_at": None}
    if not changed(session, counted.values(**values)):
        return False
    session.add(WatchLook(watch_id=watch.id, number=number, began_at=at))
    return True


def note_skipped(session: Session, watch: Watch, due_at: datetime | None, notice: str, at: datetime) -> None:
    """Note why a due look did not begin, and when the next one is due."""
    skipped = update(Watch).where(Watch.id == watch.id, Watch.looks == watch.looks)
    seen = newest_build_id(session)
    changed(session, skipped.values(due_at=due_at, seen_build_id=seen, notice=notice, noticed_at=at))


def note(session: Session, watch_id: str, notice: str, at: datetime) -> None:
    """Note something about a watch."""
    changed(session, update(Watch).where(Watch.id == watch_id).values(notice=notice, noticed_at=at))


def open_look(session: Session, watch_id: str) -> WatchLook | None:
    """Return the look of a watch that is not decided."""
    query = select(WatchLook).where(WatchLook.watch_id == watch_id, WatchLook.state.in_(OPEN_LOOKS))
    return session.scalar(query.limit(1))


def open_looks(session: Session) -> Sequence[WatchLook]:
    """Return all looks that are not decided."""
    return session.scalars(select(WatchLook).where(WatchLook.state.in_(OPEN_LOOKS)).order_by(WatchLook.id)).all()


def runs_of_look(session: Session, look_id: int) -> Sequence[WatchRun]:
    """Return the runs of a look, that of the plan first."""
    return session.scalars(select(WatchRun).where(WatchRun.look_id == look_id).order_by(WatchRun.place)).all()


def add_run(session: Session, look_id: int, place: int, run_id: str, reason: str = "") -> None:
    """Store a run of a look, unless another scheduler did; one with a reason has failed."""
    lock_name(session, f"watch look {look_id}")
    there = select(WatchRun.id).where(WatchRun.look_id == look_id, WatchRun.place == place)
    if session.scalar(there) is None:
        state = "failed" if reason else "open"
        session.add(WatchRun(look_id=look_id, place=place, run_id=run_id, state=state, reason=reason))


def end_run(session: Session, row_id: int, values: Mapping[int, float]) -> None:
    """Store the values of a run."""
    document = {str(case_id): value for case_id, value in values.items()}
    ended = update(WatchRun).where(WatchRun.id == row_id, WatchRun.state == "open")
    changed(session, ended.values(state="ended", values=document))


def fail_run(session: Session, row_id: int, reason: str) -> None:
    """Mark a run that has no values."""
    failed = update(WatchRun).where(WatchRun.id == row_id, WatchRun.state == "open")
    changed(session, failed.values(state="failed", reason=reason))


def move_look(session: Session, look: WatchLook, state: str, **values: Any) -> bool:
    """Change the state of a look, unless another scheduler did; return whether it changed."""
    moved = update(WatchLook).where(WatchLook.id == look.id, WatchLook.state == look.state)
    return bool(changed(session, moved.values(state=state, **values)))


def case_ids(session: Session, watch_id: str, cases: Mapping[str, WatchedCase]) -> dict[str, int]:
    """Return the ids of cases by their keys; new ones are stored. Needs a write transaction."""
    stored = session.execute(select(WatchCase.key, WatchCase.id).where(WatchCase.watch_id == watch_id))
    found = {key: case_id for key, case_id in stored}  # noqa: C416 - rows are no pairs for the type checker
    missing = [
        WatchCase(watch_id=watch_id, key=key, facts=facts.model_dump(mode="json"))
        for key, facts in cases.items()
        if key not in found
    ][:ROWS_PER_TRANSACTION]
    session.add_all(missing)
    session.flush()
    return found | {case.key: case.id for case in missing}


def cases_of(session: Session, watch_id: str) -> Sequence[WatchCase]:
    """Return the cases of a watch."""
    return session.scalars(select(WatchCase).where(WatchCase.watch_id == watch_id).order_by(WatchCase.id)).all()


def add_level(session: Session, ids: Collection[int], number: int, *, lasting: bool) -> None:
    """Note that cases have another level since a look; lasting: the look reported a change."""
    for case in session.scalars(select(WatchCase).where(WatchCase.id.in_(ids))).all():
        case.levels = [*case.levels, number][-MAX_LEVELS:]
        case.lasting = lasting


@dataclass(frozen=True)
class FormerLook:
    """The first run of a look, with its values by the ids of the cases."""

    number: int
    run_id: str
    values: dict[int, float]


def former_looks(session: Session, watch_id: str, measure: str, before: int, limit: int) -> list[FormerLook]:
    """Return the latest looks before a number that have values, oldest first."""
    query = (
        select(WatchLook.number, WatchRun.run_id, WatchRun.values)
        .join(WatchRun, WatchRun.look_id == WatchLook.id)
        .where(WatchLook.watch_id == watch_id, WatchLook.number < before, WatchLook.measure == measure)
        .where(WatchRun.place == 0, WatchRun.state == "ended")
        .order_by(WatchLook.number.desc())
        .limit(limit)
    )
    rows = session.execute(query).all()
    return [FormerLook(number, run_id, numbered(values)) for number, run_id, values in reversed(rows)]


def former_run_ids(session: Session, look: WatchLook, limit: int) -> list[str]:
    """Return the first runs of former looks, oldest first: those since the last change of the cases that changed."""
    changed_cases = session.scalars(
        select(WatchCase).where(WatchCase.id.in_(select(WatchChange.case_id).where(WatchChange.look_id == look.id)))
    )
    since = max((number for case in changed_cases for number in case.levels if number < look.number), default=0)
    query = (
        select(WatchRun.run_id)
        .join(WatchLook, WatchLook.id == WatchRun.look_id)
        .where(WatchLook.watch_id == look.watch_id, WatchLook.number < look.number, WatchLook.number >= since)
        .where(WatchRun.place == 0, WatchRun.state == "ended")
        .order_by(WatchLook.number.desc())
        .limit(limit)
    )
    return list(reversed(session.scalars(query).all()))


def last_changed_look(session: Session, watch_id: str) -> WatchLook | None:
    """Return the latest look that reported a change."""
    query = select(WatchLook).join(WatchChange, WatchChange.look_id == WatchLook.id)
    return session.scalar(query.where(WatchLook.watch_id == watch_id).order_by(WatchLook.number.desc()).limit(1))


def numbered(values: Mapping[str, float] | None) -> dict[int, float]:
    """Return the stored values of a run by the ids of the cases."""
    return {int(case_id): value for case_id, value in (values or {}).items()}


def finished_runs_with_tag(session: Session, tag: str, limit: int) -> Sequence[Run]:
    """Return the latest finished runs with a tag."""
    query = select(Run).join(RunTag, RunTag.run_id == Run.id).where(RunTag.tag == tag, Run.state == "finished")
    return session.scalars(query.where(Run.deleted_at.is_(None)).order_by(Run.submitted_at.desc()).limit(limit)).all()


def finished_runs_named(session: Session, name: str, limit: int) -> Sequence[Run]:
    """Return the latest finished runs of plans with a name."""
    query = select(Run).where(Run.name == name, Run.state == "finished", Run.deleted_at.is_(None))
    return session.scalars(query.order_by(Run.submitted_at.desc()).limit(limit)).all()


def omissions_of(session: Session, run_ids: Collection[str]) -> Sequence[tuple[Omission, str | None]]:
    """Return the omissions of runs, with the name of their agent."""
    query = select(Omission, Agent.name).outerjoin(Agent, Agent.id == Omission.agent_id)
    rows = session.execute(query.where(Omission.run_id.in_(run_ids)).order_by(Omission.id))
    return [(omission, agent) for omission, agent in rows]


def looks_of(session: Session, watch_id: str, limit: int) -> Sequence[WatchLook]:
    """Return the latest looks of a watch, newest first."""
    query = select(WatchLook).where(WatchLook.watch_id == watch_id).order_by(WatchLook.number.desc())
    return session.scalars(query.limit(limit)).all()


def runs_of_looks(session: Session, look_ids: Collection[int]) -> dict[int, list[str]]:
    """Return the ids of the runs of looks."""
    query = select(WatchRun.look_id, WatchRun.run_id).where(WatchRun.look_id.in_(look_ids), WatchRun.run_id != "")
    found: dict[int, list[str]] = {}
    for look_id, run_id in session.execute(query.order_by(WatchRun.place)):
        found.setdefault(look_id, []).append(run_id)
    return found


def changes_by_look(session: Session, look_ids: Collection[int]) -> dict[int, int]:
    """Return the number of changes of looks; those without any are missing."""
    query = select(WatchChange.look_id, func.count()).where(WatchChange.look_id.in_(look_ids))
    return {look_id: count for look_id, count in session.execute(query.group_by(WatchChange.look_id))}  # noqa: C416


def count_changes(session: Session, watch_id: str) -> int:
    """Return the number of changes of a watch."""
    query = select(func.count()).select_from(WatchChange).join(WatchLook, WatchLook.id == WatchChange.look_id)
    return session.scalar(query.where(WatchLook.watch_id == watch_id)) or 0


def changes_of(
    session: Session, watch_id: str, limit: int, look_id: int | None = None
) -> Sequence[tuple[WatchChange, WatchLook, WatchCase]]:
    """Return changes with their looks and cases, newest look first: the latest of a watch, or of one of its looks.

    Those of a watch include each one that lasts, however old: "no regression" on a page is about all of them.
    """
    query = (
        select(WatchChange, WatchLook, WatchCase)
        .join(WatchLook, WatchLook.id == WatchChange.look_id)
        .join(WatchCase, WatchCase.id == WatchChange.case_id)
        .where(WatchLook.watch_id == watch_id)
        .order_by(WatchLook.number.desc(), WatchChange.id)
    )
    if look_id is not None:
        query = query.where(WatchLook.id == look_id).limit(limit)
    else:
        latest = query.with_only_columns(WatchChange.id).limit(limit).subquery()
        lasting = select(func.max(WatchChange.id)).join(WatchCase, WatchCase.id == WatchChange.case_id)
        lasting = lasting.where(WatchCase.watch_id == watch_id, WatchCase.lasting.is_(True))
        query = query.where(
            WatchChange.id.in_(select(latest.c.id)) | WatchChange.id.in_(lasting.group_by(WatchChange.case_id))
        )
    return [(change, look, case) for change, look, case in session.execute(query)]


def last_changes(session: Session, watch_id: str) -> dict[int, tuple[float, float]]:
    """Return the limits of the reported changes that last, by case."""
    query = (
        select(WatchChange.case_id, WatchChange.low, WatchChange.high)
        .join(WatchCase, WatchCase.id == WatchChange.case_id)
        .where(WatchCase.watch_id == watch_id, WatchCase.lasting.is_(True))
        .order_by(WatchChange.id)
    )
    return {case_id: (low, high) for case_id, low, high in session.execute(query)}


def due_delivery(session: Session, at: datetime, latest: datetime) -> WatchDelivery | None:
    """Return the report that has been due longest.

    latest: time after which no report can be due, unless the clock was set back since; such a report is due as well.
    """
    due = or_(WatchDelivery.due_at <= at, WatchDelivery.due_at > latest)
    query = select(WatchDelivery).where(WatchDelivery.state == "waiting", due)
    return session.scalar(query.order_by(WatchDelivery.due_at).limit(1))


def move_delivery(session: Session, delivery: WatchDelivery, state: str, **values: Any) -> bool:
    """Store the result of an attempt, unless another scheduler did."""
    same = (WatchDelivery.state == delivery.state, WatchDelivery.tries == delivery.tries)
    moved = update(WatchDelivery).where(WatchDelivery.id == delivery.id, *same)
    return bool(changed(session, moved.values(state=state, **values)))


def deliveries_of(session: Session, watch_id: str, limit: int) -> Sequence[tuple[WatchDelivery, int]]:
    """Return the latest reports of a watch with the numbers of their looks."""
    query = select(WatchDelivery, WatchLook.number).join(WatchLook, WatchLook.id == WatchDelivery.look_id)
    rows = session.execute(query.where(WatchLook.watch_id == watch_id).order_by(WatchDelivery.id.desc()).limit(limit))
    return [(delivery, number) for delivery, number in rows]


def delete_part(session: Session, watch_id: str, before: int | None = None) -> int:
    """Delete up to `ROWS_PER_TRANSACTION` rows of one table of a watch; return the number of rows deleted.

    before: only looks with a lower number, with what belongs to them; otherwise everything, the watch itself last.
    """
    looks = select(WatchLook.id).where(WatchLook.watch_id == watch_id)
    if before is not None:
        looks = looks.where(WatchLook.number < before)
    steps: list[tuple[InstrumentedAttribute[Any], Any]] = [
        (WatchDelivery.id, WatchDelivery.look_id.in_(looks)),
        (WatchChange.id, WatchChange.look_id.in_(looks)),
        (WatchRun.id, WatchRun.look_id.in_(looks)),
        (WatchLook.id, WatchLook.id.in_(looks)),
    ]
    if before is None:
        steps += [(WatchCase.id, WatchCase.watch_id == watch_id), (Watch.id, Watch.id == watch_id)]
    for key, condition in steps:
        keys = session.scalars(select(key).where(condition).limit(ROWS_PER_TRANSACTION)).all()
        if keys:
            return changed(session, delete(key.class_).where(key.in_(keys)))
    return 0


def set_paused(session: Session, watch_id: str, *, paused: bool, due_at: datetime | None) -> None:
    """Pause or resume a watch."""
    changed(session, update(Watch).where(Watch.id == watch_id).values(paused=paused, due_at=due_at))


def set_measure(session: Session, watch_id: str, measure: str) -> None:
    """Store the measure of a watch that has none yet."""
    changed(session, update(Watch).where(Watch.id == watch_id, Watch.measure.is_(None)).values(measure=measure))
