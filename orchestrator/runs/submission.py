"""From a plan to a run: preview and submission share everything but the writing."""

import hashlib
import json
import secrets
from dataclasses import dataclass
from typing import Any

import structlog
from sqlalchemy.orm import Session

from orchestrator.chunks.service import register
from orchestrator.database.engine import Database
from orchestrator.database.models import IdempotencyKey, Run
from orchestrator.errors import ChunkMissing, Conflict
from orchestrator.events import repository as events
from orchestrator.runs.planning.dispersion import spreads, workload
from orchestrator.runs.planning.estimate import estimate
from orchestrator.runs.planning.expectation import expect
from orchestrator.runs.planning.plan import parse_text, validate
from orchestrator.runs.planning.planner import Expansion, expand
from orchestrator.runs.planning.preview import MAX_SHOWN, Prepared, shown
from orchestrator.runs.planning.repository import agent_offers, chunk_index, measured
from orchestrator.runs.planning.required_builds import ask_for_builds, build_estimates
from orchestrator.runs.repository import find_submission
from orchestrator.runs.schemas import PlanPreview, RunRequest
from orchestrator.runs.state import RunState
from orchestrator.security.tokens import new_id
from orchestrator.settings import ServiceSettings

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Submitted:
    """A run that a submission made, or found by its Idempotency-Key."""

    run_id: str
    created: bool


def preview(database: Database, settings: ServiceSettings, submission: RunRequest) -> PlanPreview:
    """Return what a plan would do; raise PlanRefused where it cannot be executed at all."""
    return shown(_prepare(database, settings, _document(submission)))


def submit(
    database: Database, settings: ServiceSettings, submission: RunRequest, submitted_by: str, key: str | None
) -> Submitted:
    """Store a run, or return the one that was stored under this Idempotency-Key.

    Raises PlanRefused or ChunkMissing before anything is stored; Conflict for a key that was used with another plan.
    """
    document = _document(submission)
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    if key is not None:
        with database.read() as session:
            earlier = _earlier(session, key, digest)
        if earlier is not None:
            return earlier
    prepared = _prepare(database, settings, document)
    _refuse_missing(prepared.expansion)
    with database.write() as session:
        # Two submissions with one key may have come this far together; the second finds the first one's run.
        earlier = _earlier(session, key, digest) if key is not None else None
        if earlier is not None:
            return earlier
        run = _new_run(prepared, submitted_by)
        session.add(run)
        session.flush()
        ask_for_builds(session, run.id, prepared.expansion)
        if key is not None:
            session.add(IdempotencyKey(key=key, body_sha256=digest, run_id=run.id))
        events.note(session, "run-state", run.id, state=RunState.PLANNED, reason="")
    _log.info("run submitted", run_id=run.id, name=run.name, executions=run.executions_total, by=submitted_by)
    return Submitted(run.id, created=True)


def _document(submission: RunRequest) -> dict[str, Any]:
    if submission.plan_text is not None:
        return parse_text(submission.plan_text)
    return dict(submission.plan or {})


def _prepare(database: Database, settings: ServiceSettings, document: dict[str, Any]) -> Prepared:
    plan = validate(document)
    register(database, settings.corpus_folder)
    with database.read() as session:
        offers = agent_offers(session, plan.all_toolchains())
        chunks = chunk_index(session)
    expansion = expand(plan, offers, chunks, settings.max_executions)
    agents = {offer.agent_id: offer for offer in offers}
    by_agent = expansion.by_agent()
    with database.read() as session:
        known = measured(session, sorted(by_agent))
        found = spreads(session, sorted(by_agent))
        builds = build_estimates(session, expansion)
    estimates = estimate(expansion.cases, workload(plan, found), known)
    expectations = {agent_id: expect(plan, found[agent_id], cases) for agent_id, cases in by_agent.items()}
    return Prepared(document, plan, expansion, agents, estimates, expectations, builds)


def _earlier(session: Session, key: str, digest: str) -> Submitted | None:
    found = find_submission(session, key)
    if found is None:
        return None
    if found.body_sha256 != digest:
        raise Conflict(
            f"The Idempotency-Key {key[:80]!r} was used for another plan (run {found.run_id}).",
            remedy="Send a new key with a new plan.",
            field="Idempotency-Key",
            run_id=found.run_id,
        )
    return Submitted(found.run_id, created=False)


def _refuse_missing(expansion: Expansion) -> None:
    if not expansion.missing_chunks:
        return
    first = expansion.missing_chunks[0]
    count = len(expansion.missing_chunks)
    raise ChunkMissing(
        f"The corpus lacks {count} input{'s' if count > 1 else ''} of this plan, first {first.kind} of "
        f"{first.length_bytes} bytes.",
        remedy=f"Build it: {first.remedy}",
        field=first.field,
        missing=[
            {"kind": chunk.kind, "length_bytes": chunk.length_bytes} for chunk in expansion.missing_chunks[:MAX_SHOWN]
        ],
    )


def _new_run(prepared: Prepared, submitted_by: str) -> Run:
    plan = prepared.plan
    return Run(
        id=new_id(),
        name=plan.name,
        plan=prepared.document,
        seed=plan.seed if plan.seed is not None else secrets.randbits(63),
        state=RunState.PLANNED,
        priority=plan.priority,
        executions_total=prepared.expansion.executions_total,
        estimated_seconds=prepared.seconds,
        submitted_by=submitted_by[:80],
    )
