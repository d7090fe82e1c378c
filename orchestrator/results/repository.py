"""Queries of executions with their curves and timings: storing them, lists and details."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Select, and_, bindparam, func, insert, select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import (
    Agent,
    Build,
    Case,
    Curve,
    Execution,
    ExpectedDigest,
    Footprint,
    Inventory,
    Timings,
)
from orchestrator.database.rows import keys_table
from orchestrator.results.schemas import StoredCaseFields
from orchestrator.shared.errors import Unavailable
from orchestrator.wire.builds import build_words

SHOWN_FIRST = ("wrong", "disputed", "failed", "skipped", "ok", "waiting")
"""Order of states in a list: states that need attention first."""

FOOTPRINT_OF_CASE = and_(
    Footprint.build_id == Case.build_id,
    Footprint.provider == Case.provider,
    Footprint.algorithm == Case.algorithm,
    Footprint.variant == Case.variant,
    Footprint.target == "",
)
"""Joins the sizes of the implementation of a case, on the processor that its build is for."""
DIGEST_OF_CASE = and_(ExpectedDigest.algorithm == Case.algorithm, ExpectedDigest.input_sha256 == Case.input_sha256)
"""Joins the expected digest of the input of a case."""

ExecutionKey = tuple[int, int, str]
"""Case id, repetition, purpose."""


@dataclass(frozen=True)
class KnownExecution:
    """An execution that the planner laid out, with the properties of its case that ingest needs."""

    id: int
    job_id: int | None
    run_id: str
    state: str
    agent_id: str
    algorithm: str
    input_sha256: str | None
    message_bytes: int
    protocol: str
    operation: str
    timings: int | None


def known_executions(session: Session, keys: Iterable[ExecutionKey]) -> dict[ExecutionKey, KnownExecution]:
    """Return the executions of these keys (1 to 1000)."""
    key = keys_table(session, [Execution.case_id, Execution.repetition, Execution.purpose], list(keys)).c
    query = (
        select(
            Execution.case_id, Execution.repetition, Execution.purpose,
            Execution.id, Execution.job_id, Execution.run_id, Execution.state,
            Case.agent_id, Case.algorithm, Case.input_sha256, Case.message_bytes,
            Case.protocol, Case.operation, Case.timings,
        )
        .join(Case, Case.id == Execution.case_id)
        .where(
            Execution.case_id == key.case_id, Execution.repetition == key.repetition, Execution.purpose == key.purpose
        )
    )  # fmt: skip
    return {(row[0], row[1], row[2]): KnownExecution(*list(row)[3:]) for row in session.execute(query)}


def runs_of_cases(session: Session, case_ids: Collection[int]) -> list[str]:
    """Return the ids of the runs that these cases belong to."""
    return list(session.scalars(select(Case.run_id).where(Case.id.in_(case_ids)).distinct()))


def inventory_ids(session: Session, agent_id: str) -> dict[str, int]:
    """Return the ids of an agent's inventories by their SHA-256."""
    rows = session.execute(select(Inventory.sha256, Inventory.id).where(Inventory.agent_id == agent_id))
    return {row[0]: row[1] for row in rows}


def finish_executions(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    """Update waiting executions; each row has the execution's ``id`` and the new values of its columns.

    Raises Unavailable where one of them does not wait any more, so that nothing of the transaction is stored.
    """
    columns = [name for name in rows[0] if name != "id"]
    statement = (
        update(Execution)
        .where(Execution.id == bindparam("execution_id"), Execution.state == "waiting")
        .values({name: bindparam(f"new_{name}") for name in columns})
    )
    values = [{"execution_id": row["id"]} | {f"new_{name}": row[name] for name in columns} for row in rows]
    finished = session.connection().execute(statement, values).rowcount
    if finished != len(rows):
        raise Unavailable(
            f"{len(rows) - finished} of {len(rows)} executions got a record during this request; nothing was stored.",
            remedy="Send the records again.",
        )


def insert_rows(session: Session, table: type[Curve | Timings], rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert the curves or timings of executions."""
    if rows:
        session.execute(insert(table), list(rows))


def case_fields(
    case: Case, agent_name: str, toolchain: dict[str, Any], cross_built: dict[str, Any] | None
) -> dict[str, Any]:
    """Return the fields of schemas.StoredCaseFields; toolchain, cross_built: of the build of the case."""
    joined = {
        "agent_name": agent_name,
        "toolchain_words": build_words(toolchain, cross_built),
        "copy_number": case.copy,
    }
    return {name: getattr(case, name) for name in StoredCaseFields.model_fields if name not in joined} | joined


class ExecutionRow(NamedTuple):
    """An execution with its case, its agent's name and its build's toolchain and origin."""

    execution: Execution
    case: Case
    agent_name: str
    toolchain: dict[str, Any]
    cross_built: dict[str, Any] | None


def _executions() -> Select[Execution, Case, str, dict[str, Any], dict[str, Any] | None]:
    return (
        select(Execution, Case, Agent.name, Build.toolchain, Build.cross_built)
        .join(Case, Case.id == Execution.case_id)
        .join(Agent, Agent.id == Case.agent_id)
        .join(Build, Build.id == Case.build_id)
    )


def executions_in_state(
    session: Session, run_id: str, state: str, after_id: int, limit: int, *, case_id: int | None = None
) -> list[ExecutionRow]:
    """Return up to `limit` executions of a run, or of one of its cases, in one state, by id, after that id."""
    query = (
        _executions()
        .where(Execution.run_id == run_id, Execution.state == state, Execution.id > after_id)
        .order_by(Execution.id)
        .limit(limit)
    )
    if case_id is not None:
        query = query.where(Execution.case_id == case_id)
    return [ExecutionRow._make(row) for row in session.execute(query)]


def executions_of_case(session: Session, case_id: int, offset: int, limit: int) -> tuple[list[ExecutionRow], int]:
    """Return a slice of a case's executions by repetition, and their total number."""
    total = session.scalar(select(func.count()).select_from(Execution).where(Execution.case_id == case_id)) or 0
    query = _executions().where(Execution.case_id == case_id).order_by(Execution.repetition, Execution.purpose)
    return [ExecutionRow._make(row) for row in session.execute(query.offset(offset).limit(limit))], total


def find_execution(session: Session, execution_id: int) -> ExecutionRow | None:
    """Return one execution, or None."""
    row = session.execute(_executions().where(Execution.id == execution_id)).first()
    return None if row is None else ExecutionRow._make(row)


def has_curve(session: Session, execution_id: int) -> bool:
    """Return whether the execution has a curve."""
    return session.scalar(select(Curve.samples).where(Curve.execution_id == execution_id)) is not None


def has_timings(session: Session, execution_id: int) -> bool:
    """Return whether the execution has timings."""
    return session.scalar(select(Timings.timings).where(Timings.execution_id == execution_id)) is not None
