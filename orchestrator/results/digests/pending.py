"""Inputs whose ciphertexts wait for a judgement: asked while records are stored, answered by the scheduler."""

from collections.abc import Iterable

from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.orm import Session

from orchestrator.database.models import DigestQuestion


def ask(session: Session, pairs: Iterable[tuple[str, str]]) -> None:
    """Ask for (algorithm, chunk SHA-256) pairs; asking again makes an answer under way insufficient."""
    insert = postgresql_insert if session.get_bind().dialect.name == "postgresql" else sqlite_insert
    rows = [{"algorithm": algorithm, "input_sha256": chunk, "asked": 1} for algorithm, chunk in sorted(set(pairs))]
    if rows:
        statement = insert(DigestQuestion).values(rows)
        session.execute(
            statement.on_conflict_do_update(
                index_elements=["algorithm", "input_sha256"], set_={"asked": DigestQuestion.asked + 1}
            )
        )


def settle(session: Session, question: DigestQuestion) -> None:
    """Remove a question, unless it was asked again since it was read."""
    session.execute(
        delete(DigestQuestion).where(DigestQuestion.id == question.id, DigestQuestion.asked == question.asked)
    )
