"""Submission and preview of plans."""

import secrets
from dataclasses import dataclass

import structlog
from sqlalchemy.orm import Session

from orchestrator.builds.requests import request_builds
from orchestrator.database.engine import Database
from orchestrator.database.models import IdempotencyKey, Run
from orchestrator.database.rows import lock_name, stored
from orchestrator.runs.chunks.estimates import estimate_making
from orchestrator.runs.chunks.requests import request_chunks
from orchestrator.runs.parts import repository as parts
from orchestrator.runs.planning.editing.lines import with_lines
from orchestrator.runs.planning.estimation.builds import estimate_builds
from orchestrator.runs.planning.expansion import Expansion
from orchestrator.runs.planning.plan import PlanDocument, measurement_sha256, read_plan
from orchestrator.runs.planning.preparation import PreparedPlan, prepare
from orchestrator.runs.planning.preview import MAX_LISTED, preview_of
from orchestrator.runs.repository import find_submission, list_others
from orchestrator.runs.schemas import GivenPlan, PlanPreview, RunRequest
from orchestrator.runs.state import RunState
from orchestrator.service.events import repository as events
from orchestrator.service.security.callers import Caller
from orchestrator.service.security.tokens import new_id
from orchestrator.shared.errors import ChunkMissing, Conflict
from orchestrator.shared.files.identity import json_sha256
from orchestrator.shared.free_space import require_room
from orchestrator.shared.settings import ServiceSettings

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Submitted:
    """A run that a submission created, or found by its Idempotency-Key."""

    run_id: str
    created: bool


def preview(database: Database, settings: ServiceSettings, submission: GivenPlan) -> PlanPreview:
    """Return the preview of a plan; raise PlanRefused where nothing of it can be executed."""
    with with_lines(submission.plan_text):
        prepared = prepare(database, settings, read_plan(submission.plan, submission.plan_text).plan)
    with database.read() as session:
        making = estimate_making(session, settings.corpus_folder, prepared.expansion.missing_inputs())
        return preview_of(prepared, estimate_builds(session, prepared.expansion), making)


def submit(
    database: Database, settings: ServiceSettings, submission: RunRequest, caller: Caller, key: str | None
) -> Submitted:
    """Store a run, or return the run that was stored with this Idempotency-Key.

    Raises PlanRefused, or ChunkMissing if chunks that the corpus lacks cannot be made, before anything is stored, and
    Conflict for a key that was used with another plan.
    """
    with with_lines(submission.plan_text):
        read = read_plan(submission.plan, submission.plan_text)
    # Registering is part of what was submitted: without it, a key does not return a run that is not registered.
    body_sha256 = json_sha256({"registered": read.document}) if submission.registered else read.sha256
    if key is not None:
        with database.read() as session:
            earlier = _earlier(session, key, body_sha256)
        if earlier is not None:
            return earlier
    require_room(settings.data_folder, settings.min_free_mib)
    with with_lines(submission.plan_text):
        prepared = prepare(database, settings, read.plan)
        _check_chunks(database, settings, prepared.expansion)
    with database.write() as session:
        if key is not None:
            lock_name(session, f"idempotency key {key}")
        # Two submissions with one key may run at the same time; the second one returns the run of the first.
        earlier = _earlier(session, key, body_sha256) if key is not None else None
        if earlier is not None:
            return earlier
        run = _new_run(read, prepared, caller)
        if submission.registered:
            _register(session, run, read.plan.repetitions)
        stored(session, run)
        parts.store_agents(session, run.id, prepared.sizes(), prepared.expansion.omissions)
        request_builds(session, run.id, prepared.expansion.build_ids())
        request_chunks(session, run.id, prepared.expansion.missing_inputs())
        if key is not None:
            session.add(IdempotencyKey(key=key, body_sha256=body_sha256, run_id=run.id))
        events.note(session, "run-state", run.id, state=RunState.PLANNED, reason="")
    _log.info("run submitted", run_id=run.id, name=run.name, executions=run.executions_total, by=caller.name)
    return Submitted(run.id, created=True)


def _earlier(session: Session, key: str, digest: str) -> Submitted | None:
    found = find_submission(session, key)
    if found is None:
        return None
    if found.body_sha256 != digest:
        raise Conflict(
            f"The Idempotency-Key {key[:80]!r} was used for another plan (run {found.run_id}).",
            remedy="Send a new key with each plan.",
            field="Idempotency-Key",
            run_id=found.run_id,
        )
    return Submitted(found.run_id, created=False)


def _register(session: Session, run: Run, repetitions: int) -> None:
    """Register a run; raise Conflict where what it measures was registered with other repetitions."""
    for other in list_others(session, run):
        if other.registered_repetitions not in (None, repetitions):
            raise Conflict(
                f"The same measurement was registered on {other.submitted_at:%Y-%m-%d %H:%M} UTC as run {other.id} "
                f"with {other.registered_repetitions} repetitions; this plan has {repetitions}.",
                remedy=f"Submit it with {other.registered_repetitions} repetitions, or without registering it: its "
                "answer then names the registered run.",
                field="repetitions",
                run_id=other.id,
            )
    run.registered_repetitions = repetitions


def _check_chunks(database: Database, settings: ServiceSettings, expansion: Expansion) -> None:
    """Raise ChunkMissing with one remedy if the service cannot make the chunks that the corpus lacks."""
    with database.read() as session:
        making = estimate_making(session, settings.corpus_folder, expansion.missing_inputs())
    if making is None or making.obstacle is None:
        return
    noun, pronoun = ("chunk", "it") if making.chunks == 1 else ("chunks", "them")
    raise ChunkMissing(
        f"The corpus lacks {making.chunks} {noun} of this plan, and the service cannot make {pronoun}. "
        f"{making.obstacle}",
        remedy=making.remedy,
        field=expansion.missing_chunks[0].field,
        missing=[
            {"kind": chunk.kind, "length_bytes": chunk.length_bytes} for chunk in expansion.missing_chunks[:MAX_LISTED]
        ],
    )


def _new_run(read: PlanDocument, prepared: PreparedPlan, caller: Caller) -> Run:
    plan = read.plan
    return Run(
        id=new_id(),
        name=plan.name,
        plan=read.document,
        measurement_sha256=measurement_sha256(read.document),
        seed=plan.seed if plan.seed is not None else secrets.randbits(63),
        state=RunState.PLANNED,
        priority=plan.priority,
        start=plan.start,
        executions_total=prepared.expansion.executions_total,
        estimated_seconds=prepared.estimated_seconds,
        submitted_by=caller.name[:80],
        owner_id=caller.family_id,
    )
