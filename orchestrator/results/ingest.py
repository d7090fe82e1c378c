"""Storing records: validated, compared with expected digests, stored once; statistics of their cases become stale.

Work without the database happens before the write transaction, which handles a whole batch with few statements.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from orchestrator.database import curves, timings
from orchestrator.database.engine import Database
from orchestrator.database.models import Curve, ExpectedDigest, Timings, now
from orchestrator.results import repository, validation
from orchestrator.results.admission.repository import add_reported
from orchestrator.results.admission.service import Admission, admit
from orchestrator.results.digests import repository as digest_repository
from orchestrator.results.digests.verdicts import OUTPUT_DIFFERS, digest_failure
from orchestrator.results.freshness.repository import count_changes
from orchestrator.results.repository import ExecutionKey, KnownExecution
from orchestrator.results.validation import STORED_COLUMNS
from orchestrator.runs.jobs.service import settle
from orchestrator.runs.repository import lock_runs
from orchestrator.service.trust import service as trust
from orchestrator.wire.base import NOOP
from orchestrator.wire.records import Record, RecordBatch, RecordBatchResponse


@dataclass(frozen=True)
class _Prepared:
    """A valid record with its encoded curve and timings."""

    record: Record
    curve: bytes | None
    timings: bytes | None


@dataclass
class _Outcome:
    """Result of a batch: stored, already known and rejected records."""

    stored: list[tuple[_Prepared, KnownExecution]]
    known: int
    refused: dict[str, str]
    admission: Admission


def store(database: Database, agent_id: str, batch: RecordBatch) -> RecordBatchResponse:
    """Store the new records of a batch, settle its jobs and runs, and return the result for each record.

    The first record of (case, repetition, purpose) wins, also within a batch. An invalid record is refused with the
    reason; the others are stored.
    """
    prepared: dict[ExecutionKey, _Prepared] = {}
    refused: dict[str, str] = {}
    repeated = 0
    for record in batch.records:
        one = _prepare(record)
        if isinstance(one, str):
            refused[_name(_key(record))] = one
        elif _key(record) in prepared:
            repeated += 1
        else:
            prepared[_key(record)] = one
    if not prepared:
        return RecordBatchResponse(stored=0, known=repeated, refused=refused)
    with database.write() as session:
        # Before the states are read: another batch may have the same records or complete the same job.
        lock_runs(session, repository.runs_of_cases(session, {key[0] for key in prepared}))
        outcome = _sort_out(session, agent_id, prepared)
        _write(session, agent_id, outcome)
        trust.note(session, agent_id, outcome.admission.findings)
    return RecordBatchResponse(
        stored=len(outcome.stored), known=outcome.known + repeated, refused=refused | outcome.refused
    )


def _key(record: Record) -> ExecutionKey:
    return record.case_id, record.repetition, record.purpose


def _name(key: ExecutionKey) -> str:
    return "/".join(str(part) for part in key)


def _prepare(record: Record) -> _Prepared | str:
    """Return the record prepared for storage, or why it is invalid."""
    reason = validation.refusal(record)
    if reason is not None:
        return reason
    try:
        curve = curves.encode(record.curve) if record.curve else None
        return _Prepared(record, curve, timings.encode(record.timings) if record.timings else None)
    except ValueError as error:
        return f"its curve or its timings cannot be encoded: {error}"


def _sort_out(session: Session, agent_id: str, prepared: Mapping[ExecutionKey, _Prepared]) -> _Outcome:
    found = repository.known_executions(session, prepared)
    reasons = {key: validation.mismatch(one.record, found.get(key), agent_id) for key, one in prepared.items()}
    plausible = {
        key: one.record
        for key, one in prepared.items()
        if key in found and (reasons[key] is None or found[key].agent_id != agent_id)
    }
    admission = admit(session, agent_id, plausible, found)
    outcome = _Outcome(stored=[], known=0, refused={}, admission=admission)
    for key, one in prepared.items():
        execution = found.get(key)
        reason = admission.refused.get(key) or reasons[key]
        if execution is None or reason is not None:
            outcome.refused[_name(key)] = reason or ""
        elif execution.state != "waiting":
            outcome.known += 1
        else:
            outcome.stored.append((one, execution))
    return outcome


def _write(session: Session, agent_id: str, outcome: _Outcome) -> None:
    new, admission = outcome.stored, outcome.admission
    if not new:
        return
    inventories = repository.inventory_ids(session, agent_id)
    expected = digest_repository.expectations(
        session, {(known.algorithm, known.input_sha256) for _, known in new if known.input_sha256}
    )
    rows = [
        _row(one.record, known, inventories, expected) | _decided(admission, _key(one.record)) for one, known in new
    ]
    add_reported(session, admission.reported_ns)
    repository.finish_executions(session, rows)
    curve_rows = [
        {"execution_id": known.id, "samples": len(curve.at_ns), "source": curve.source, "columns": one.curve}
        for one, known in new
        if (curve := one.record.curve) is not None
    ]
    timings_rows = [
        {"execution_id": known.id, "timings": len(series.iterations), "columns": one.timings}
        for one, known in new
        if (series := one.record.timings) is not None
    ]
    repository.insert_rows(session, Curve, curve_rows)
    repository.insert_rows(session, Timings, timings_rows)
    digest_repository.add_pending(session, _pending_pairs(new, expected))
    count_changes(session, Counter(one.record.case_id for one, _ in new), now())
    settle(session, sorted({known.job_id for _, known in new if known.job_id is not None}))


def _row(
    record: Record,
    known: KnownExecution,
    inventories: Mapping[str, int],
    expected: Mapping[tuple[str, str], ExpectedDigest],
) -> dict[str, Any]:
    state, failure = _verified(record, _expectation(known, expected))
    row = {name: getattr(record, name) for name in (*STORED_COLUMNS, "attempt", "session_id", "started_at")}
    row |= {
        "state": state,
        "failure": failure,
        "earlier_attempts": [one.model_dump(mode="json") for one in record.earlier_attempts] or None,
        # The inventory may not have arrived yet; the record is stored without it.
        "inventory_id": inventories.get(record.inventory_sha256),
        "stored_at": now(),
        "disturbed": bool(record.disturbances),
        "readings": {
            **record.readings,
            "absent": record.absent,
            "disturbances": record.disturbances,
            "provenance": record.provenance,
        },
    }
    return {"id": known.id} | row


def _decided(admission: Admission, key: ExecutionKey) -> dict[str, Any]:
    """Return the columns that the admission decides: the start on the service's clock, and an impossible time."""
    columns: dict[str, Any] = {"started_at": admission.started_at[key]} if key in admission.started_at else {}
    failure = admission.failures.get(key)
    return columns | ({"state": "wrong", "failure": failure} if failure else {})


def _expectation(known: KnownExecution, expected: Mapping[tuple[str, str], ExpectedDigest]) -> tuple[str, str] | None:
    """Return the expected ciphertext digest of an input, and its basis."""
    if known.algorithm == NOOP and known.input_sha256:
        return known.input_sha256, "noop copies its input"
    found = expected.get((known.algorithm, known.input_sha256 or ""))
    return (found.output_sha256, found.detail or found.vouched_by) if found else None


def _verified(record: Record, expected: tuple[str, str] | None) -> tuple[str, dict[str, Any] | None]:
    """Return the state and failure of an execution after comparing its ciphertext with the expected one."""
    if record.failure is not None:
        return record.state, record.failure.model_dump()
    if record.state == "wrong":
        return "wrong", {"error": OUTPUT_DIFFERS, "detail": "Decrypting the ciphertext did not give the input back."}
    seen = record.output_sha256  # None if a timed call does not encrypt.
    if expected is not None and seen is not None and seen != expected[0]:
        return "wrong", digest_failure(seen, *expected)
    return record.state, None


def _pending_pairs(
    new: Sequence[tuple[_Prepared, KnownExecution]], expected: Mapping[tuple[str, str], ExpectedDigest]
) -> set[tuple[str, str]]:
    """Return (algorithm, input) pairs without an expectation, or whose ciphertext contradicts it."""
    pairs = set()
    for one, known in new:
        digest, pair = one.record.output_sha256, (known.algorithm, known.input_sha256 or "")
        if digest is None or known.input_sha256 is None or known.algorithm == NOOP:
            continue
        expectation = expected.get(pair)
        if expectation is None or digest != expectation.output_sha256:
            pairs.add(pair)
    return pairs
