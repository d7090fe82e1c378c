"""Watch operations: add, list, get, pause, resume, remove."""

from collections.abc import Sequence

import structlog
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Watch, WatchLook, now
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.measures import MEASURES
from orchestrator.runs import submission
from orchestrator.runs.planning.plan import read_plan
from orchestrator.runs.repository import require_run
from orchestrator.service.security.callers import Caller
from orchestrator.service.security.tokens import new_id
from orchestrator.service.trust.repository import distrusted_agents
from orchestrator.shared.errors import Conflict, NotFound
from orchestrator.shared.settings import ServiceSettings
from orchestrator.watches import repository
from orchestrator.watches.cases import change_summaries
from orchestrator.watches.differences import look_differences
from orchestrator.watches.histories import histories
from orchestrator.watches.reports.outlets import check_outlets
from orchestrator.watches.reports.signing import webhook_key
from orchestrator.watches.schemas import (
    CaseHistory,
    ChangeSummary,
    DeliverySummary,
    LookSummary,
    WatchChangeRequest,
    WatchCreated,
    WatchDetail,
    WatchRequest,
    WatchSummary,
    WithdrawnChange,
)
from orchestrator.watches.sentences import METHOD

MAX_WATCHES = 100
SHOWN_LOOKS, SHOWN_CHANGES, SHOWN_DELIVERIES = 90, 200, 50

_log = structlog.get_logger(__name__)


def add_watch(database: Database, settings: ServiceSettings, caller: Caller, request: WatchRequest) -> WatchCreated:
    """Store a watch, whose first look begins with the scheduler's next tick.

    Raises PlanRefused for a plan that no agent can execute, InvalidRequest for a measure that its runs do not have and
    for an outlet that cannot be used, Forbidden for one that the caller may not use, NotFound for a baseline that does
    not exist, and Conflict for a name in use.
    """
    check_outlets(settings, caller, request.outlets)
    found = submission.preview(database, settings, request)
    MEASURES.require_compared(request.measure, found.phases, {one.protocol for one in found.plan.matrix})
    document = read_plan(request.plan, request.plan_text).document
    with database.write() as session:
        _require_room(session, request.name)
        _require_baseline(session, request)
        watch = Watch(
            id=new_id(),
            name=request.name,
            plan=document,
            measure=request.measure,
            every_seconds=request.every_seconds,
            baseline_run_id=request.baseline_run_id,
            baseline_tag=request.baseline_tag,
            outlets=[outlet.model_dump(mode="json") for outlet in request.outlets],
            created_by=caller.name[:80],
            owner_id=caller.family_id,
            due_at=None if request.every_seconds is None else now(),
        )
        session.add(watch)
        session.flush()
        summary = _summary(session, watch)
    _log.info("watch added", watch=request.name, by=caller.name)
    has_webhook = any(outlet.kind == "webhook" for outlet in request.outlets)
    key = webhook_key(settings.data_folder, summary.id) if has_webhook else None
    return WatchCreated(**summary.model_dump(), webhook_key=key)


def list_watches(database: Database) -> list[WatchSummary]:
    """Return all watches by name."""
    with database.read() as session:
        return [_summary(session, watch) for watch in repository.list_watches(session)]


def get_watch(database: Database, cache: ReadingsCache, watch_id: str) -> WatchDetail:
    """Return a watch by its id or name, with its latest looks, changes and reports."""
    with database.read() as session:
        watch = repository.require_watch(session, watch_id)
        changed = repository.last_changed_look(session, watch.id)
    # Outside of the session below, because a cache that is behind writes.
    found = None if changed is None else look_differences(database, cache, watch, changed)
    with database.read() as session:
        looks = repository.looks_of(session, watch.id, SHOWN_LOOKS)
        changes, withdrawn = _changes(session, watch.id)
        return WatchDetail(
            **_summary(session, watch).model_dump(),
            plan=watch.plan,
            method=METHOD,
            latest_looks=_look_summaries(session, looks),
            latest_changes=changes,
            withdrawn_changes=withdrawn,
            differences=found,
            latest_deliveries=[
                DeliverySummary.from_row(delivery, look=number)
                for delivery, number in repository.deliveries_of(session, watch.id, SHOWN_DELIVERIES)
            ],
            histories=_histories(session, watch, changes),
        )


def get_histories(database: Database, watch_id: str) -> list[CaseHistory]:
    """Return the values of a watch's cases over its latest looks; raises NotFound."""
    with database.read() as session:
        watch = repository.require_watch(session, watch_id)
        return _histories(session, watch, _changes(session, watch.id)[0])


def change_watch(
    database: Database, cache: ReadingsCache, caller: Caller, watch_id: str, request: WatchChangeRequest
) -> WatchDetail:
    """Pause or resume a watch. May be repeated; raises NotFound and Forbidden."""
    with database.write() as session:
        watch = _require_own(session, caller, watch_id, "Change")
        if request.paused is not None and request.paused != watch.paused:
            due = None if request.paused or watch.every_seconds is None else now()
            repository.set_paused(session, watch.id, paused=request.paused, due_at=due)
            done = "paused" if request.paused else "resumed"
            _log.info(f"watch {done}", watch=watch.name, by=caller.name)
    return get_watch(database, cache, watch_id)


def remove_watch(database: Database, caller: Caller, watch_id: str) -> None:
    """Delete a watch with its looks and changes; its runs stay. Raises NotFound and Forbidden."""
    with database.write() as session:
        watch = _require_own(session, caller, watch_id, "Remove")
        # Without a due look, the scheduler leaves it while its rows are deleted.
        repository.set_paused(session, watch.id, paused=True, due_at=None)
        found, name = watch.id, watch.name
    while True:
        with database.write() as session:
            if not repository.delete_part(session, found):
                break
    _log.info("watch removed", watch=name, by=caller.name)


def _require_own(session: Session, caller: Caller, watch_id: str, operation: str) -> Watch:
    watch = repository.require_watch(session, watch_id)
    caller.require_own(
        watch.owner_id, f"Watch {watch.name} was added by {watch.created_by or 'an unknown token'}", operation
    )
    return watch


def _require_room(session: Session, name: str) -> None:
    if repository.has_name(session, name):
        raise Conflict(
            f"There is a watch {name!r} already.", remedy="Choose another name, or remove that one.", field="name"
        )
    if repository.count_watches(session) >= MAX_WATCHES:
        raise Conflict(
            f"There are {MAX_WATCHES} watches, and no more are allowed.", remedy="Remove one: ciphermark watch remove."
        )


def _require_baseline(session: Session, request: WatchRequest) -> None:
    if request.baseline_run_id is not None:
        run = require_run(session, request.baseline_run_id)
        if run.state != "finished":
            raise Conflict(
                f"The baseline, run {run.id}, is {run.state}.",
                remedy="Choose a finished run: ciphermark runs list --state finished.",
                field="baseline_run_id",
            )
    tag = request.baseline_tag
    if tag is not None and not repository.finished_runs_with_tag(session, tag, 1):
        raise NotFound(
            f"No finished run has the tag {tag!r}.",
            remedy=f"Tag the runs of the baseline first: ciphermark runs edit RUN --tag {tag}.",
            field="baseline_tag",
        )


def _summary(session: Session, watch: Watch) -> WatchSummary:
    last = _look_summaries(session, repository.looks_of(session, watch.id, 1))
    return WatchSummary.from_row(
        watch,
        plan_name=watch.plan.get("name", ""),
        on_build=watch.every_seconds is None,
        due_at=None if watch.paused else watch.due_at,
        last_look=last[0] if last else None,
        changes=repository.count_changes(session, watch.id),
    )


def _look_summaries(session: Session, looks: Sequence[WatchLook]) -> list[LookSummary]:
    ids = [look.id for look in looks]
    runs, changes = repository.runs_of_looks(session, ids), repository.changes_by_look(session, ids)
    return [
        LookSummary.from_row(
            look,
            state="undecided" if look.state == "decided" and look.detectable is None else look.state,
            run_ids=runs.get(look.id, []),
            suspects=None if look.suspects is None else len(look.suspects),
            changes=changes.get(look.id, 0),
            detectable_change=look.detectable,
        )
        for look in looks
    ]


def _histories(session: Session, watch: Watch, changes: Sequence[ChangeSummary]) -> list[CaseHistory]:
    return histories(session, watch, [(change.case_words, change.look) for change in changes], SHOWN_LOOKS)


def _changes(session: Session, watch_id: str) -> tuple[list[ChangeSummary], list[WithdrawnChange]]:
    return change_summaries(repository.changes_of(session, watch_id, SHOWN_CHANGES), distrusted_agents(session))
