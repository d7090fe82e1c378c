"""Expected ciphertexts over the database: learn them, mark earlier executions again, tell who listens.

The scheduler calls ``resolve_pending`` at each tick. Encrypting a chunk with the third party happens between a read
and a write transaction, never inside one.
"""

import time
from collections import Counter

from sqlalchemy.orm import Session

from corpus.catalogue import chunk_store
from corpus.store import ChunkStore, file_blocks
from orchestrator.database.engine import Database
from orchestrator.database.models import Event, PendingDigest
from orchestrator.errors import ChunkDamaged, NotFound
from orchestrator.results.digests import repository, third_party
from orchestrator.results.digests.verdicts import DIGEST_DISPUTED, DigestJudgment, digest_failure, judge
from orchestrator.results.summaries import resummarise
from orchestrator.settings import ServiceSettings

BUDGET_SECONDS = 2.0
"""3DES of a large chunk takes long: 8 MiB about 0.3 s on the machine this was tried on (x86-64, November 2026)."""


def resolve_pending(database: Database, settings: ServiceSettings, limit: int = 20) -> int:
    """Judge up to `limit` inputs whose ciphertexts wait for it; return how many were judged.

    Ends earlier when it has taken BUDGET_SECONDS: the tick that calls it has jobs to send, too.
    """
    with database.read() as session:
        waiting = repository.open_questions(session, limit)
    store = chunk_store(settings.corpus_folder)
    end, judged = time.monotonic() + BUDGET_SECONDS, 0
    for question in waiting:
        if time.monotonic() > end:
            break
        _resolve(database, store, question)
        judged += 1
    return judged


def _resolve(database: Database, store: ChunkStore, question: PendingDigest) -> None:
    pair = (question.algorithm, question.input_sha256)
    with database.read() as session:
        known = repository.expectations(session, [pair]).get(pair)
        observed = repository.observations(session, *pair)
        message = repository.timed_message(session, *pair)
    # A third party's word does not change: what it said of this input once is not computed again.
    if known is not None and known.basis == "third-party":
        reference: str | None = known.ciphertext_sha256
    else:
        reference = _of_message(pair[0], message) if message else _of_chunk(store, *pair)
    judgment = judge(observed, reference)
    with database.write() as session:
        _apply(session, pair, judgment)
        repository.settle(session, question)


def _of_message(algorithm: str, message: repository.TimedMessage) -> str | None:
    """Return the third party's digest of a timed message; None where it cannot make that message or lacks the cipher.

    Its AEAD streams without associated data, and the random fill is the runners' own sequence.
    """
    pieces = third_party.filled(message.fill or "", message.message_bytes)
    if pieces is None or message.associated_data_bytes > 0:
        return None
    secrets = third_party.ZEROS if message.key_fill == "zero" else third_party.DEFAULT
    return third_party.ciphertext_sha256(algorithm, pieces, secrets)


def _of_chunk(store: ChunkStore, algorithm: str, input_sha256: str) -> str | None:
    """Return the third party's digest; None where it lacks the algorithm, or the chunk is not whole here."""
    if not third_party.knows(algorithm):
        return None
    try:
        with store.open_verified(input_sha256) as file:
            return third_party.ciphertext_sha256(algorithm, file_blocks(file))
    except (ChunkDamaged, NotFound):
        return None


def _apply(session: Session, pair: tuple[str, str], judgment: DigestJudgment) -> None:
    repository.replace_expectation(session, pair, judgment)
    changed = _mark(session, pair, judgment)
    resummarise(session, {case_id for case_id, _, _ in changed})
    _tell(session, pair, judgment, changed)


def _mark(session: Session, pair: tuple[str, str], judgment: DigestJudgment) -> list[tuple[int, str, str]]:
    """Return (case id, run id, new state) of the executions that are judged otherwise than before."""
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


def _tell(
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
