"""Records become executions: checked, compared with what is expected, stored once, summed up.

Everything that needs no database happens before the write transaction; that one is short and handles a whole batch
with a handful of statements.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, insert, update
from sqlalchemy.orm import Session

from orchestrator.database import curves, timings
from orchestrator.database.engine import Database
from orchestrator.database.models import Curve, Execution, ExpectedDigest, Timings, now
from orchestrator.results import repository, validation
from orchestrator.results.digests import repository as digest_repository
from orchestrator.results.digests.verdicts import OUTPUT_DIFFERS, digest_failure
from orchestrator.results.repository import ExecutionKey, KnownExecution
from orchestrator.results.summaries import resummarise
from orchestrator.results.validation import STORED_COLUMNS
from orchestrator.runs import completion
from orchestrator.wire.base import NOOP
from orchestrator.wire.records import Record, RecordBatch, RecordBatchResponse


@dataclass(frozen=True)
class _Prepared:
    """A record that is right in itself, with its curve and timings as they will be stored."""

    record: Record
    curve: bytes | None
    timings: bytes | None


@dataclass
class _Outcome:
    """What became of the records of a batch."""

    stored: list[tuple[_Prepared, KnownExecution]]
    known: int
    refused: dict[str, str]


def store(database: Database, agent_id: str, batch: RecordBatch) -> RecordBatchResponse:
    """Store what is new in the batch, settle its jobs and runs; say of every record what became of it.

    The first record of (case, repetition, purpose) wins, also within a batch. A record that cannot be right is
    refused with the reason, and the rest is stored.
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
        outcome = _sort_out(session, agent_id, prepared)
        _write(session, agent_id, outcome.stored)
    return RecordBatchResponse(
        stored=len(outcome.stored), known=outcome.known + repeated, refused=refused | outcome.refused
    )


def _key(record: Record) -> ExecutionKey:
    return record.case_id, record.repetition, record.purpose


def _name(key: ExecutionKey) -> str:
    return "/".join(str(part) for part in key)


def _prepare(record: Record) -> _Prepared | str:
    """Return the record as it will be stored, or why it cannot be right."""
    reason = validation.refusal(record)
    if reason is not None:
        return reason
    try:
        curve = curves.encode(record.curve) if record.curve else None
        return _Prepared(record, curve, timings.encode(record.timings) if record.timings else None)
    except ValueError as error:
        return f"its curve or its timings cannot be stored: {error}"


def _sort_out(session: Session, agent_id: str, prepared: Mapping[ExecutionKey, _Prepared]) -> _Outcome:
    found = repository.known_executions(session, prepared)
    outcome = _Outcome(stored=[], known=0, refused={})
    for key, one in prepared.items():
        execution = found.get(key)
        reason = validation.mismatch(one.record, execution, agent_id)
        if execution is None or reason is not None:
            outcome.refused[_name(key)] = reason or ""
        elif execution.state != "waiting":
            outcome.known += 1
        else:
            outcome.stored.append((one, execution))
    return outcome


_UPDATE = (
    update(Execution)
    .where(Execution.id == bindparam("execution_id"), Execution.state == "waiting")
    .values({name: bindparam(f"new_{name}") for name in (
        *STORED_COLUMNS, "state", "attempt", "session_id", "inventory_id", "started_at", "stored_at",
        "disturbed", "readings", "failure",
    )})
)  # fmt: skip


def _write(session: Session, agent_id: str, new: Sequence[tuple[_Prepared, KnownExecution]]) -> None:
    if not new:
        return
    inventories = repository.inventory_ids(session, agent_id)
    expected = digest_repository.expectations(
        session, {(known.algorithm, known.input_sha256) for _, known in new if known.input_sha256}
    )
    rows = [_row(one.record, known, inventories, expected) for one, known in new]
    session.connection().execute(_UPDATE, rows)
    samples = [_curve_row(one, known) for one, known in new if one.curve is not None]
    if samples:
        session.execute(insert(Curve), samples)
    timed = [_timings_row(one, known) for one, known in new if one.timings is not None]
    if timed:
        session.execute(insert(Timings), timed)
    digest_repository.ask(session, _to_be_judged(new, expected))
    resummarise(session, {one.record.case_id for one, _ in new})
    completion.settle(session, sorted({known.job_id for _, known in new if known.job_id is not None}))


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
        # A record of facts that never arrived is still worth more than no record.
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
    return {"execution_id": known.id} | {f"new_{name}": value for name, value in row.items()}


@dataclass(frozen=True)
class _Expectation:
    """The ciphertext that an input must give, and on what that rests."""

    ciphertext_sha256: str
    basis: str


def _expectation(known: KnownExecution, expected: Mapping[tuple[str, str], ExpectedDigest]) -> _Expectation | None:
    if known.algorithm == NOOP and known.input_sha256:
        return _Expectation(known.input_sha256, "noop hands its input on as it is")
    found = expected.get((known.algorithm, known.input_sha256 or ""))
    return _Expectation(found.ciphertext_sha256, found.detail) if found else None


def _verified(record: Record, expected: _Expectation | None) -> tuple[str, dict[str, Any] | None]:
    """Return state and failure of an execution, its ciphertext compared with the expected one."""
    if record.failure is not None:
        return record.state, record.failure.model_dump()
    if record.state == "wrong":
        return "wrong", {"error": OUTPUT_DIFFERS, "detail": "Decrypting the ciphertext did not give the input back."}
    seen = record.ciphertext_sha256  # None where a timed call does not encrypt.
    if expected is not None and seen is not None and seen != expected.ciphertext_sha256:
        return "wrong", digest_failure(seen, expected.ciphertext_sha256, expected.basis)
    return record.state, None


def _curve_row(one: _Prepared, known: KnownExecution) -> dict[str, Any]:
    curve = one.record.curve
    return {
        "execution_id": known.id,
        "samples": len(curve.at_ns) if curve else 0,
        "source": curve.source if curve else "",
        "columns": one.curve,
    }


def _timings_row(one: _Prepared, known: KnownExecution) -> dict[str, Any]:
    found = one.record.timings
    return {
        "execution_id": known.id,
        "timings": len(found.iterations) if found else 0,
        "columns": one.timings,
    }


def _to_be_judged(
    new: Sequence[tuple[_Prepared, KnownExecution]], expected: Mapping[tuple[str, str], ExpectedDigest]
) -> set[tuple[str, str]]:
    """Return the inputs of which nothing sure is expected yet, or where somebody contradicts an agreement."""
    asked = set()
    for one, known in new:
        digest, pair = one.record.ciphertext_sha256, (known.algorithm, known.input_sha256 or "")
        if digest is None or known.input_sha256 is None or known.algorithm == NOOP:
            continue
        expectation = expected.get(pair)
        if expectation is None or (expectation.basis == "agreement" and digest != expectation.ciphertext_sha256):
            asked.add(pair)
    return asked
