"""Queries over expected digests, pending digests, and the executions that verdicts change."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, delete, exists, insert, or_, select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import Case, Execution, ExpectedDigest, PendingDigest, Proof
from orchestrator.database.rows import keys_table, upsert
from orchestrator.results.digests.verdicts import DIGEST_DIFFERS, DIGEST_DISPUTED, DigestJudgment, Observation


def add_pending(session: Session, pairs: Iterable[tuple[str, str]]) -> None:
    """Add (algorithm, input SHA-256) pairs to judge; a repeated request invalidates a judgment in progress."""
    rows = [{"algorithm": algorithm, "input_sha256": chunk, "requests": 1} for algorithm, chunk in sorted(set(pairs))]
    statement = upsert(session, PendingDigest).on_conflict_do_update(
        index_elements=["algorithm", "input_sha256"], set_={"requests": PendingDigest.requests + 1}
    )
    if rows:
        session.connection().execute(statement, rows)


def remove_pending(session: Session, pending: PendingDigest) -> None:
    """Remove a pending digest unless it was requested again since it was read."""
    session.execute(
        delete(PendingDigest).where(PendingDigest.id == pending.id, PendingDigest.requests == pending.requests)
    )


def expectations(session: Session, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], ExpectedDigest]:
    """Return the expected digests of (algorithm, input SHA-256) pairs that have one."""
    requested = sorted(set(pairs))
    if not requested:
        return {}
    key = keys_table(session, [ExpectedDigest.algorithm, ExpectedDigest.input_sha256], requested).c
    query = select(ExpectedDigest).where(
        ExpectedDigest.algorithm == key.algorithm, ExpectedDigest.input_sha256 == key.input_sha256
    )
    return {(row.algorithm, row.input_sha256): row for row in session.scalars(query)}


def list_pending(session: Session, limit: int) -> Sequence[PendingDigest]:
    """Return the pending digests that have waited longest."""
    return session.scalars(select(PendingDigest).order_by(PendingDigest.id).limit(limit)).all()


def observations(session: Session, algorithm: str, input_sha256: str) -> set[Observation]:
    """Return the distinct ciphertext digests of an input by provider, and whether the implementation is proven."""
    proven = (
        exists()
        .where(
            Proof.build_id == Case.build_id,
            Proof.provider == Case.provider,
            Proof.algorithm == Case.algorithm,
            Proof.variant == Case.variant,
            Proof.passed,
        )
        .correlate(Case)
    )
    query = (
        select(Case.provider, Execution.ciphertext_sha256, proven)
        .join(Execution, Execution.case_id == Case.id)
        .where(
            Case.algorithm == algorithm,
            Case.input_sha256 == input_sha256,
            Execution.ciphertext_sha256.is_not(None),
            # An execution that did not decrypt to its input is wrong on its own and disputes no other.
            or_(Execution.state.in_(["ok", "disputed"]), _marked_by_digest()),
        )
        .distinct()
    )
    return {
        Observation(provider, digest, bool(is_proven))
        for provider, digest, is_proven in session.execute(query)
        if digest is not None
    }


class TimedMessage(NamedTuple):
    """The message of a latency case."""

    fill: str | None
    key_fill: str | None
    message_bytes: int
    associated_data_bytes: int


def timed_message(session: Session, algorithm: str, input_sha256: str) -> TimedMessage | None:
    """Return the message that the latency cases of this input encrypt; None for a chunk."""
    row = session.execute(
        select(Case.fill, Case.key_fill, Case.message_bytes, Case.associated_data_bytes)
        .where(Case.algorithm == algorithm, Case.input_sha256 == input_sha256, Case.protocol == "latency")
        .limit(1)
    ).first()
    return None if row is None else TimedMessage._make(row)


def _marked_by_digest() -> ColumnElement[bool]:
    error: ColumnElement[str] = Execution.failure["error"].as_string()
    return error.in_([DIGEST_DIFFERS, DIGEST_DISPUTED])


def mark(
    session: Session,
    pair: tuple[str, str],
    state: str,
    failure: dict[str, object] | None,
    *,
    equal_to: str | None = None,
    other_than: str | None = None,
) -> list[tuple[int, str]]:
    """Change the state of a pair's executions by their digest; return (case id, run id) of the changed ones.

    Only states that followed from digests change; a failure that the runner reported stays.
    """
    of_pair = select(Case.id).where(Case.algorithm == pair[0], Case.input_sha256 == pair[1])
    statement = update(Execution).where(
        Execution.case_id.in_(of_pair),
        Execution.state != state,
        Execution.ciphertext_sha256.is_not(None),
        or_(Execution.state.in_(["ok", "disputed"]), _marked_by_digest()),
    )
    if equal_to is not None:
        statement = statement.where(Execution.ciphertext_sha256 == equal_to)
    if other_than is not None:
        statement = statement.where(Execution.ciphertext_sha256 != other_than)
    changed = session.execute(
        statement.values(state=state, failure=failure).returning(Execution.case_id, Execution.run_id),
        execution_options={"synchronize_session": False},
    )
    return [(case_id, run_id) for case_id, run_id in changed]


def replace_expectation(session: Session, pair: tuple[str, str], judgment: DigestJudgment) -> None:
    """Store the judgment's expected digest in place of the previous one, if the judgment has one."""
    session.execute(
        delete(ExpectedDigest).where(ExpectedDigest.algorithm == pair[0], ExpectedDigest.input_sha256 == pair[1])
    )
    if judgment.expected_sha256 is not None:
        session.execute(insert(ExpectedDigest).values(
            algorithm=pair[0], input_sha256=pair[1], ciphertext_sha256=judgment.expected_sha256,
            basis=judgment.basis, detail=judgment.detail,
        ))  # fmt: skip
