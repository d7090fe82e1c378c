"""Entries of programs that have the files of the service: scheduler and command line."""

from sqlalchemy.orm import Session

from orchestrator.database.models import now
from orchestrator.service.audit import repository
from orchestrator.service.audit.entries import AuditedAction


def note_program(session: Session, action: str, object_id: str, program: str) -> None:
    """Store what a program did."""
    repository.add(session, AuditedAction(action, object_id, role="operator", label=program), now())
