"""Statements of the deletion of runs, and of the return of free pages to the file system."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from sqlalchemy import ColumnElement, Delete, delete, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from orchestrator.database.engine import Database
from orchestrator.database.models import (
    AwaitedBuild,
    AwaitedChunk,
    Case,
    CaseStatistics,
    Curve,
    Event,
    Execution,
    GrantedClaim,
    IdempotencyKey,
    Job,
    Omission,
    Outbox,
    PreflightReport,
    Run,
    RunAgent,
    RunTag,
    Timings,
    now,
)
from orchestrator.database.rows import changed
from orchestrator.runs.state import ENDED_RUNS

ROWS_PER_TRANSACTION = 1000


def mark_deleted(session: Session, run_id: str, at: datetime, executions_ended: int) -> bool:
    """Mark an ended run as deleted; return False where it has not ended or is marked already."""
    ended = update(Run).where(Run.id == run_id, Run.state.in_(ENDED_RUNS), Run.deleted_at.is_(None))
    return bool(changed(session, ended.values(deleted_at=at, executions_ended=executions_ended)))


def next_deleted(session: Session) -> str | None:
    """Return the run that has been marked as deleted longest and is not erased."""
    marked = select(Run.id).where(Run.deleted_at.is_not(None), Run.erased_at.is_(None))
    return session.scalar(marked.order_by(Run.deleted_at).limit(1))


def delete_part(session: Session, run_id: str) -> int:
    """Delete up to `ROWS_PER_TRANSACTION` executions or other rows of a run; return the number of rows deleted.

    Rows that refer to others are deleted first. The run itself stays without its plan.
    """
    executions = _some(session, Execution.id, Execution.run_id == run_id)
    if executions:
        for table in (Curve, Timings):
            changed(session, delete(table).where(table.execution_id.in_(executions)))
        return changed(session, delete(Execution).where(Execution.id.in_(executions)))
    cases = select(Case.id).where(Case.run_id == run_id)
    jobs = select(Job.id).where(Job.run_id == run_id)
    steps: list[tuple[InstrumentedAttribute[Any], ColumnElement[bool]]] = [
        (CaseStatistics.case_id, CaseStatistics.case_id.in_(cases)),
        (Case.id, Case.run_id == run_id),
        (Outbox.id, Outbox.job_id.in_(jobs)),
        (GrantedClaim.id, GrantedClaim.job_id.in_(jobs)),
        (Job.id, Job.run_id == run_id),
        (Omission.id, Omission.run_id == run_id),
        (Event.id, Event.run_id == run_id),
        (PreflightReport.id, PreflightReport.run_id == run_id),
    ]
    for key, condition in steps:
        keys = _some(session, key, condition)
        if keys:
            return changed(session, _delete_from(key).where(key.in_(keys)))
    for of_run in (RunAgent.run_id, RunTag.run_id, AwaitedBuild.run_id, AwaitedChunk.run_id, IdempotencyKey.run_id):
        changed(session, _delete_from(of_run).where(of_run == run_id))
    marked = update(Run).where(Run.id == run_id, Run.deleted_at.is_not(None))
    return changed(session, marked.values(erased_at=now(), plan={}))


def free_pages(session: Session) -> int:
    """Return the number of unused pages that SQLite can give back; 0 for other databases and older files.

    Files that an earlier version created have no page map (``auto_vacuum``): they reuse the pages and never shrink.
    """
    if session.get_bind().dialect.name != "sqlite":
        return 0
    if session.connection().exec_driver_sql("PRAGMA auto_vacuum").scalar() != _INCREMENTAL:
        return 0
    return int(session.connection().exec_driver_sql("PRAGMA freelist_count").scalar() or 0)


def release_pages(database: Database, pages: int) -> None:
    """Return unused pages of SQLite's file to the file system, in a transaction of their own."""
    connection = database.engine.raw_connection()
    try:
        # SQLite frees one page with each step of the statement; `execute` makes one step, `executescript` all.
        cast(sqlite3.Connection, connection.driver_connection).executescript(f"PRAGMA incremental_vacuum({pages:d})")
    finally:
        connection.close()


_INCREMENTAL = 2


def _some(session: Session, key: InstrumentedAttribute[Any], condition: ColumnElement[bool]) -> Sequence[Any]:
    return session.scalars(select(key).where(condition).limit(ROWS_PER_TRANSACTION)).all()


def _delete_from(key: InstrumentedAttribute[Any]) -> Delete:
    return delete(key.class_)
