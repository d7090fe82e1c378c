"""Rows of the audit log."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field
from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import AuditEntry, now
from orchestrator.database.rows import changed, stored
from orchestrator.service.audit.entries import MAX_OBJECT_CHARACTERS, AuditedAction
from orchestrator.service.keyset import Rows, rows_after
from orchestrator.service.security.callers import Caller
from orchestrator.shared.values.parameters import SearchText, TypedText
from orchestrator.wire.base import Time

DONE, REFUSED = "done", "refused"


@dataclass(frozen=True)
class AuditFilter:
    """Selected entries, as the query of the API and of the page has them; a condition that is None selects all."""

    who: Annotated[
        TypedText | None, Field(max_length=80, description="Label, family, role or agent of the caller.")
    ] = None
    action: Annotated[SearchText | None, Field(max_length=80, examples=["revoke-token"])] = None
    outcome: Literal["done", "refused"] | None = None
    since: Annotated[Time | None, Field(description="Only entries from this time on.")] = None


def add(session: Session, entry: AuditedAction, at: datetime) -> int:
    """Store an entry and return the id of its row."""
    caller = entry.caller
    row = AuditEntry(
        at=at,
        action=entry.action,
        object_id=entry.object_id[:MAX_OBJECT_CHARACTERS] if entry.object_id else None,
        outcome=DONE if entry.reason is None else REFUSED,
        reason=entry.reason,
        role=caller and caller.role,
        label=caller.label if caller else "",
        family_id=caller and caller.family_id,
        agent_id=caller and caller.agent_id,
        address=entry.address,
        count=1,
    )
    return stored(session, row).id


def note_program(session: Session, action: str, object_id: str, program: str) -> None:
    """Store what a program that has the files of the service did: the scheduler or the command line."""
    add(session, AuditedAction(action, object_id, caller=Caller("operator", program)), now())


def count_more(session: Session, entry_id: int, refusals: int) -> None:
    """Add refusals to the count of an entry."""
    changed(session, update(AuditEntry).where(AuditEntry.id == entry_id).values(count=AuditEntry.count + refusals))


def list_entries(session: Session, selection: AuditFilter, cursor: str | None, limit: int) -> Rows[AuditEntry]:
    """Return a page of the selected entries, newest first."""
    query = select(AuditEntry)
    if selection.who is not None:
        who = (AuditEntry.label, AuditEntry.family_id, AuditEntry.agent_id, AuditEntry.role)
        query = query.where(or_(*(column == selection.who for column in who)))
    if selection.action is not None:
        query = query.where(AuditEntry.action == selection.action)
    if selection.outcome is not None:
        query = query.where(AuditEntry.outcome == selection.outcome)
    if selection.since is not None:
        query = query.where(AuditEntry.at >= selection.since)
    return rows_after(session, query, (AuditEntry.id.desc(),), cursor, limit)


def outdated_entries(session: Session, outcome: str, before: datetime, kept: int, limit: int) -> Sequence[int]:
    """Return up to `limit` ids of the oldest entries with an outcome: made before a time, or beyond the newest kept."""
    own = AuditEntry.outcome == outcome
    beyond = select(AuditEntry.id).where(own).order_by(AuditEntry.id.desc()).offset(kept).limit(1).scalar_subquery()
    query = select(AuditEntry.id).where(own, or_(AuditEntry.at < before, AuditEntry.id <= beyond))
    return session.scalars(query.order_by(AuditEntry.id).limit(limit)).all()
