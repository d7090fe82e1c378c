"""Judgment of pending digests: store expected digests, update executions, write events.

The scheduler calls ``resolve_pending`` at each tick. The reference implementation encrypts chunks between a read and a
write transaction, never inside one.
"""

import time
from collections import Counter

from sqlalchemy.orm import Session

from corpus.catalogue import chunk_store
from corpus.store import ChunkStore, file_blocks
from orchestrator.database.engine import Database
from orchestrator.database.models import Event, PendingDigest, now
from orchestrator.errors import ChunkDamaged, NotFound
from orchestrator.results.digests import repository, third_party
from orchestrator.results.digests.verdicts import DIGEST_DISPUTED, DigestJudgment, digest_failure, judge
from orchestrator.results.freshness import service as freshness
from orchestrator.results.freshness.repository import count_changes, stale_cases_among
from orchestrator.settings import ServiceSettings

BUDGET_SECONDS = 2.0
"""Seconds per call. 3DES of 8 MiB takes about 0.3 s (x86-64, November 2026)."""


def resolve_pending(database: Database, settings: ServiceSettings, limit: int = 20) -> int:
    """Judge up to `limit` pending digests and return the number judged.

    Stops after BUDGET_SECONDS, because the calling tick also sends jobs.
    """
    with database.read() as session:
        waiting = repository.list_pending(session, limit)
    store = chunk_store(settings.corpus_folder)
    end, judged = time.monotonic() + BUDGET_SECONDS, 0
    for pending in waiting:
        if time.monotonic() > end:
            break
        _resolve(database, store, pending)
        judged += 1
    return judged


def _resolve(database: Database, store: ChunkStore, pending: PendingDigest) -> None:
    pair = (pending.algorithm, pending.input_sha256)
    with database.read() as session:
        known = repository.expectations(session, [pair]).get(pair)
        observed = repository.observations(session, *pair)
        message = repository.timed_message(session, *pair)
    # The reference digest of an input never changes, so it is computed once.
    if known is not None and known.basis == "third-party":
        reference: str | None = known.ciphertext_sha256
    else:
        reference = _digest_of_message(pair[0], message) if message else _digest_of_chunk(store, *pair)
    judgment = judge(observed, reference)
    with database.write() as session:
        changed = _apply(session, pair, judgment)
        repository.remove_pending(session, pending)
    if changed:
        # Immediately and regardless of the cost: a wrong execution must not count in a median.
        with database.read() as session:
            stale = stale_cases_among(session, changed)
        freshness.include(database, stale)


def _digest_of_message(algorithm: str, message: repository.TimedMessage) -> str | None:
    """Return the reference digest of a timed message; None if the reference has none.

    The reference streams AEADs without associated data only; the random fill is the runners' own sequence.
    """
    pieces = third_party.filled(message.fill or "", message.message_bytes)
    if pieces is None or message.associated_data_bytes > 0:
        return None
    secrets = third_party.ZEROS if message.key_fill == "zero" else third_party.DEFAULT
    return third_party.ciphertext_sha256(algorithm, pieces, secrets)


def _digest_of_chunk(store: ChunkStore, algorithm: str, input_sha256: str) -> str | None:
    """Return the reference digest of a chunk; None if the reference lacks the algorithm or the chunk is damaged."""
    if not third_party.supports(algorithm):
        return None
    try:
        with store.open_verified(input_sha256) as file:
            return third_party.ciphertext_sha256(algorithm, file_blocks(file))
    except (ChunkDamaged, NotFound):
        return None


def _apply(session: Session, pair: tuple[str, str], judgment: DigestJudgment) -> set[int]:
    """Store a judgment, and change the executions that it concerns; return the ids of their cases."""
    repository.replace_expectation(session, pair, judgment)
    changed = _mark(session, pair, judgment)
    cases = Counter(case_id for case_id, _, _ in changed)
    count_changes(session, cases, now())
    _note_verdicts(session, pair, judgment, changed)
    return set(cases)


def _mark(session: Session, pair: tuple[str, str], judgment: DigestJudgment) -> list[tuple[int, str, str]]:
    """Update the states of a pair's executions; return (case id, run id, new state) of the changed ones."""
    if judgment.expected_sha256 is not None:
        expected = judgment.expected_sha256
        failure = digest_failure(None, expected, judgment.detail)
        wrong = repository.mark(session, pair, "wrong", failure, other_than=expected)
        right = repository.mark(session, pair, "ok", None, equal_to=expected)
        return [(*one, "wrong") for one in wrong] + [(*one, "ok") for one in right]
    if judgment.disputed:
        failure = {"error": DIGEST_DISPUTED, "detail": f"{judgment.detail[:1].upper()}{judgment.detail[1:]}."}
        return [(*one, "disputed") for one in repository.mark(session, pair, "disputed", failure)]
    return []


def _note_verdicts(
    session: Session, pair: tuple[str, str], judgment: DigestJudgment, changed: list[tuple[int, str, str]]
) -> None:
    counts = Counter((run_id, state) for _, run_id, state in changed)
    session.add_all(
        Event(
            run_id=run_id,
            kind="verdict",
            data={
                "algorithm": pair[0],
                "input_sha256": pair[1],
                "state": state,
                "executions": executions,
                "detail": judgment.detail,
            },
        )
        for (run_id, state), executions in sorted(counts.items())
    )
