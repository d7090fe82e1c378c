"""Changes that the statistics of cases do not include yet, the executions of these cases, and the new statistics."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import CursorResult, Select, bindparam, case, func, select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import Case, CaseStatistics, Execution
from orchestrator.database.rows import upsert
from orchestrator.results.case_statistics import FinishedRow
from orchestrator.results.schemas import StatisticsLag


@dataclass(frozen=True, slots=True)
class StaleCase:
    """A case whose statistics do not include all changes of its executions."""

    case_id: int
    run_id: str
    changes: int
    executions: int
    """Number of ended executions, which is the cost of its statistics."""


def count_changes(session: Session, changes: Mapping[int, int], at: datetime) -> None:
    """Add changes by case id to the statistics of these cases, which become stale; needs a write transaction."""
    if not changes:
        return
    # In the order of their ids, so that two transactions on PostgreSQL lock the rows in the same order.
    rows = [{"case_id": case_id, "changes": count, "stale_since": at} for case_id, count in sorted(changes.items())]
    insert = upsert(session, CaseStatistics)
    statement = insert.on_conflict_do_update(
        index_elements=["case_id"],
        set_={
            "changes": CaseStatistics.changes + insert.excluded.changes,
            "stale_since": func.coalesce(CaseStatistics.stale_since, insert.excluded.stale_since),
        },
    )
    session.connection().execute(statement, rows)


def lag(session: Session, run_id: str) -> tuple[StatisticsLag, int]:
    """Return how far the statistics of a run are behind its executions, and the cost of including the changes.

    The cost is the number of ended executions of the stale cases.
    """
    query = (
        select(
            func.coalesce(func.sum(CaseStatistics.changes - CaseStatistics.included), 0),
            func.min(CaseStatistics.stale_since),
            func.coalesce(func.sum(_executions()), 0),
        )
        .join(Case, Case.id == CaseStatistics.case_id)
        .where(Case.run_id == run_id, CaseStatistics.stale_since.is_not(None))
    )
    changes, since, executions = session.execute(query).one()
    return StatisticsLag(changes=int(changes), since=since), int(executions)


def stale_cases(session: Session, limit: int) -> list[StaleCase]:
    """Return the stale cases of all runs that have been stale longest."""
    return _stale(session, _stale_cases().order_by(CaseStatistics.stale_since).limit(limit))


def stale_cases_of_run(session: Session, run_id: str, agent_id: str | None = None) -> list[StaleCase]:
    """Return the stale cases of a run, or of one agent in it."""
    query = _stale_cases().where(Case.run_id == run_id)
    return _stale(session, query if agent_id is None else query.where(Case.agent_id == agent_id))


def stale_cases_among(session: Session, case_ids: Iterable[int]) -> list[StaleCase]:
    """Return those of these cases that are stale."""
    return _stale(session, _stale_cases().where(CaseStatistics.case_id.in_(list(case_ids))))


def finished_rows(session: Session, case_ids: Iterable[int]) -> list[FinishedRow]:
    """Return every finished execution of these cases, the input of their statistics."""
    first_call, first_key_setup, per_instruction, per_execution, per_byte = (
        Execution.readings[name].as_float()
        for name in (
            "cold_call_wall_ns", "cold_key_setup_wall_ns", "cycles_per_instruction", "energy_per_execution_joules",
            "energy_per_byte_joules",
        )
    )  # fmt: skip
    query = (
        select(
            Execution.case_id, Case.message_bytes, Case.message_operations, Case.protocol, Execution.purpose,
            Execution.state, Execution.disturbed, Execution.phase_wall_ns, Execution.work_wall_ns,
            Execution.work_cpu_ns, Execution.call_wall_ns, Execution.call_cpu_ns, Execution.peak_rss_bytes,
            # JSON is extracted only where it can have a value, because it takes longer than the rest of a row.
            case((Case.operation == "key-setup", first_key_setup), (Case.protocol == "latency", first_call)),
            case((Execution.purpose == "timing", per_instruction)),
            case((Execution.purpose == "energy", per_execution)),
            case((Execution.purpose == "energy", per_byte)),
        )
        .join(Case, Case.id == Execution.case_id)
        .where(Execution.case_id.in_(list(case_ids)), Execution.state != "waiting")
    )  # fmt: skip
    return [FinishedRow._make(row) for row in session.execute(query)]


def store_statistics(
    session: Session, figures: Mapping[int, Mapping[str, Any]], included: Mapping[int, int], read_at: datetime
) -> int:
    """Store the figures of cases unless stored ones include as many changes; return the number of cases stored.

    included: number of changes that the figures include, by case id. read_at: time before the executions were read.
    """
    if not figures:
        return 0
    names = list(next(iter(figures.values())))
    statement = (
        update(CaseStatistics)
        .where(CaseStatistics.case_id == bindparam("of_case"), CaseStatistics.included < bindparam("seen"))
        .values(
            included=bindparam("seen"),
            stale_since=case((CaseStatistics.changes > bindparam("seen"), bindparam("read_at")), else_=None),
            **{name: bindparam(f"new_{name}") for name in names},
        )
    )
    stored = 0
    for case_id in sorted(figures):
        values = {f"new_{name}": value for name, value in figures[case_id].items()}
        row = {"of_case": case_id, "seen": included[case_id], "read_at": read_at} | values
        stored += cast(CursorResult[Any], session.connection().execute(statement, row)).rowcount
    return stored


def _executions() -> Any:
    return CaseStatistics.ended + CaseStatistics.changes - CaseStatistics.included


_StaleQuery = Select[int, str, int, int]


def _stale_cases() -> _StaleQuery:
    return (
        select(CaseStatistics.case_id, Case.run_id, CaseStatistics.changes, _executions())
        .join(Case, Case.id == CaseStatistics.case_id)
        .where(CaseStatistics.stale_since.is_not(None))
    )


def _stale(session: Session, query: _StaleQuery) -> list[StaleCase]:
    return [StaleCase(*row) for row in session.execute(query)]
