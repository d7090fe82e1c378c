"""Judgment of pending digests: store expected digests, update executions, write events, note false reports.

The scheduler calls ``resolve_pending`` at each tick. Python's ``cryptography`` encrypts chunks between a read and a
write transaction, never inside one; the service's runners compute in the background (computing.py).
"""

import time
from collections import Counter
from collections.abc import Sequence

from sqlalchemy.orm import Session

from corpus.catalogue import chunk_store
from corpus.store import ChunkStore, file_blocks
from orchestrator.compilation.reference import third_party
from orchestrator.compilation.reference.proven_cryptography import NAME, is_proven
from orchestrator.database.engine import Database
from orchestrator.database.models import Case, Event, PendingDigest, ServiceDigest, now
from orchestrator.results.digests import repository
from orchestrator.results.digests.verdicts import DigestJudgment, Observation, judge
from orchestrator.results.freshness import service as freshness
from orchestrator.results.freshness.repository import count_changes, stale_cases_among
from orchestrator.service.trust import service as trust
from orchestrator.service.trust.kinds import Finding
from orchestrator.shared.errors import ChunkDamaged, NotFound
from orchestrator.shared.settings import ServiceSettings
from orchestrator.wire.messages import Call, encryption_of

BUDGET_SECONDS = 2.0
"""Seconds per call. 3DES of 8 MiB takes about 0.3 s (x86-64, November 2026)."""

PREBUILT_CONTRADICTIONS = 3
"""Contradicted inputs from which programs of unknown origin are no excuse."""

_Pair = tuple[str, str]
"""Algorithm and SHA-256 of the input."""


def resolve_pending(database: Database, settings: ServiceSettings, limit: int = 20, runners_key: str = "") -> int:
    """Judge up to `limit` pending digests and return the number judged.

    runners_key: key of the service's own runners, empty without any. A dispute that they have not decided yet is
    judged after them. Stops after BUDGET_SECONDS, because the calling tick also sends jobs.
    """
    with database.read() as session:
        waiting = repository.list_pending(session, limit)
    store = chunk_store(settings.corpus_folder)
    end, judged = time.monotonic() + BUDGET_SECONDS, 0
    for pending in waiting:
        if time.monotonic() > end:
            break
        _resolve(database, store, pending, runners_key)
        judged += 1
    return judged


def _resolve(database: Database, store: ChunkStore, pending: PendingDigest, runners_key: str) -> None:
    pair = (pending.algorithm, pending.input_sha256)
    with database.read() as session:
        stored = repository.service_digest(session, pair)
        observed = repository.observations(session, *pair)
        message = repository.timed_case(session, *pair)
    if stored is None:
        stored = _compute(database, store, pair, message)
    judgment = judge(observed, stored.output_sha256, stored.computed_by)
    # Until the service's runners have tried, a dispute could mark results that they confirm a moment later. They
    # request the judgment again when they have ended.
    undecided = bool(judgment.disputed_agents) and stored.output_sha256 is None
    postponed = undecided and runners_key not in ("", stored.runners_key)
    with database.write() as session:
        changed = set[int]() if postponed else _apply(session, pair, judgment)
        if not postponed:
            _accuse(session, pair, judgment, observed)
        repository.remove_pending(session, pending)
    if changed:
        # Immediately and regardless of the cost: a wrong execution must not count in a median.
        with database.read() as session:
            stale = stale_cases_among(session, changed)
        freshness.include(database, stale)


def _compute(database: Database, store: ChunkStore, pair: _Pair, message: Case | None) -> ServiceDigest:
    """Compute a pair's digest with ``cryptography`` and store it, or why it has none; it is computed once."""
    digest = _digest_of_message(pair[0], message) if message else _digest_of_chunk(store, *pair)
    if digest is not None:
        values = {"output_sha256": digest, "computed_by": NAME}
    else:
        values = {"reason": f"{NAME} lacks this algorithm or input, and the service's runners have not computed it"}
    with database.write() as session:
        repository.store_service_digest(session, pair, **values)
    return ServiceDigest(algorithm=pair[0], input_sha256=pair[1], **values)


def _digest_of_message(algorithm: str, message: Case) -> str | None:
    """Return the reference digest of a timed message; None if the reference has none.

    The reference streams single messages, AEADs without associated data only; the random fill is the runners' own.
    """
    pieces = third_party.filled(message.fill or "", message.message_bytes)
    is_encrypted = encryption_of(message.operation) == Call("encrypt") and is_proven(algorithm)
    if pieces is None or message.associated_data_bytes > 0 or not is_encrypted:
        return None
    secrets = third_party.ZEROS if message.key_fill == "zero" else third_party.DEFAULT
    return third_party.output_sha256(algorithm, pieces, secrets)


def _digest_of_chunk(store: ChunkStore, algorithm: str, input_sha256: str) -> str | None:
    """Return the reference digest of a chunk; None if the reference lacks the algorithm or the chunk is damaged."""
    if not is_proven(algorithm):
        return None
    try:
        with store.open_verified(input_sha256) as file:
            return third_party.output_sha256(algorithm, file_blocks(file))
    except (ChunkDamaged, NotFound):
        return None


def _apply(session: Session, pair: _Pair, judgment: DigestJudgment) -> set[int]:
    """Store a judgment, and change the executions that it concerns; return the ids of their cases."""
    repository.replace_expectation(session, pair, judgment)
    changed = repository.mark(session, pair, judgment)
    cases = Counter(case_id for case_id, _, _ in changed)
    count_changes(session, cases, now())
    _note_verdicts(session, pair, judgment, changed)
    return set(cases)


def _accuse(session: Session, pair: _Pair, judgment: DigestJudgment, observed: Sequence[Observation]) -> None:
    """Note agents whose output contradicts the service's computation although the known answers of that build passed.

    Programs that the agent calls prebuilt are of unknown origin: their results are wrong, and accuse it from the third
    input on.
    """
    expected = judgment.expected_sha256
    if judgment.basis != "service" or expected is None:
        return
    contradicting = [
        one
        for one in observed
        if one.proven
        and one.output_sha256 != expected
        and not (one.prebuilt and repository.contradicted_inputs(session, one.agent_id) < PREBUILT_CONTRADICTIONS)
    ]
    lifted = repository.trusted_since(session, {one.agent_id for one in contradicting})
    for one in contradicting:
        before = lifted.get(one.agent_id)
        if one.trusted and (before is None or (one.latest_at is not None and one.latest_at > before)):
            trust.note(session, one.agent_id, [_contradiction(pair, one, judgment)])


def _contradiction(pair: _Pair, one: Observation, judgment: DigestJudgment) -> Finding:
    return Finding(
        "digest-contradicted",
        f"the ciphertext of {pair[0]} by {one.provider} has the SHA-256 {one.output_sha256}, expected "
        f"{judgment.expected_sha256}, {judgment.detail}; the agent had reported that the known answers passed.",
        {
            "algorithm": pair[0], "provider": one.provider, "input_sha256": pair[1],
            "seen": one.output_sha256, "expected": judgment.expected_sha256,
        },
    )  # fmt: skip


def _note_verdicts(
    session: Session, pair: _Pair, judgment: DigestJudgment, changed: list[tuple[int, str, str]]
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
