"""Rows of a run: copied to another database without what is secret, written as text, and read again."""

import base64
import gzip
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, CompoundSelect, Select, delete, func, insert, select, text, union
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import (
    Agent,
    Base,
    Build,
    Calibration,
    Case,
    CaseStatistics,
    Chunk,
    ConstantTimeCheck,
    Curve,
    Execution,
    Footprint,
    HealthCheck,
    Inventory,
    Job,
    Omission,
    PreflightReport,
    Proof,
    Run,
    RunAgent,
    Timings,
    now,
)
from orchestrator.papers.bundle.description import UNREADABLE
from orchestrator.results.freshness.repository import StaleCase, count_changes, stale_cases
from orchestrator.shared.errors import BundleDamaged

MAX_TABLE_BYTES = 8 * 1024**3
_BATCH = 500
_LINE_BYTES = 64 * 1024**2
_WITHHELD: Mapping[type[Base], Mapping[str, object]] = {
    Agent: {"broker_password_hash": "", "session_id": None, "activity": "", "notice": "", "held_jobs": []},
    Run: {"submitted_by": "", "owner_id": None, "lease_token": None, "lease_renewed_at": None},
}
"""Columns that are secret, or of no use to a reader, and their values in a bundle."""


def copy_run(source: Database, run_id: str, target: Database) -> None:
    """Copy the rows that a run's verdicts and their evidence need into a new database, whose tables it creates."""
    Base.metadata.create_all(target.engine)
    with source.read() as session, target.write() as copy:
        # Agents and inventories refer to each other; checked at the end of the transaction.
        copy.execute(text("PRAGMA defer_foreign_keys = ON"))
        for model, condition in _selected(session, run_id):
            withheld = _WITHHELD.get(model, {})
            rows = session.execute(select(model.__table__).where(condition)).mappings()
            for some in rows.partitions(_BATCH):
                copy.execute(insert(model), [{**row, **withheld} for row in some])


def _selected(session: Session, run_id: str) -> list[tuple[type[Base], ColumnElement[bool]]]:
    def within(column: Any, chosen: Select[Any] | CompoundSelect[Any]) -> ColumnElement[bool]:
        found: ColumnElement[bool] = column.in_(chosen)
        return found

    agents = union(
        select(RunAgent.agent_id).where(RunAgent.run_id == run_id), select(Case.agent_id).where(Case.run_id == run_id)
    )
    builds = select(Build.id).where(within(Build.agent_id, agents))
    executions = select(Execution.id).where(Execution.run_id == run_id)
    chunks = select(Case.chunk_id).where(Case.run_id == run_id, Case.chunk_id.is_not(None))
    return [
        (Agent, within(Agent.id, agents)),
        (Inventory, within(Inventory.agent_id, agents)),
        (Build, within(Build.agent_id, agents)),
        (ConstantTimeCheck, within(ConstantTimeCheck.build_id, builds)),
        (Footprint, within(Footprint.build_id, builds)),
        (Proof, within(Proof.build_id, builds)),
        (Calibration, within(Calibration.agent_id, agents)),
        (HealthCheck, within(HealthCheck.agent_id, agents)),
        (Chunk, within(Chunk.id, chunks)),
        (Run, Run.id == run_id),
        (RunAgent, RunAgent.run_id == run_id),
        (Omission, Omission.run_id == run_id),
        (PreflightReport, PreflightReport.run_id == run_id),
        (Case, Case.run_id == run_id),
        (Job, Job.run_id == run_id),
        (Execution, Execution.run_id == run_id),
        (Curve, within(Curve.execution_id, executions)),
        (Timings, within(Timings.execution_id, executions)),
    ]


def count_every_execution(rows: Database) -> list[StaleCase]:
    """Replace the statistics of all cases by stale ones, and return these cases; the archive has no statistics."""
    with rows.write() as session:
        session.execute(delete(CaseStatistics))
        counted = select(Execution.case_id, func.count()).group_by(Execution.case_id)
        changes: dict[int, int] = {row[0]: row[1] for row in session.execute(counted)}
        count_changes(session, changes, now())
        session.flush()
        return stale_cases(session, len(changes))


def conditions(rows: Database, run_id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the plan with its seed, and the devices and builds, as documents for readers."""
    with rows.read() as session:
        run = session.get_one(Run, run_id)
        plan = {"seed": run.seed, "plan": run.plan}
        inventories = [
            {"agent": one.agent_id, "architecture": one.architecture, "emulated": one.emulated, "facts": one.facts}
            for one in session.scalars(select(Inventory))
        ]
        builds = [
            {
                "agent": one.agent_id,
                "build_key": one.build_key,
                "source_sha256": one.source_sha256,
                "toolchain": one.toolchain,
                "compiler_version": one.compiler_version,
                "compile_commands": one.compile_commands,
            }
            for one in session.scalars(select(Build))
        ]
    return plan, {"inventories": inventories, "builds": builds}


def write_tables(database: Path, folder: Path) -> None:
    """Write each table of a SQLite file that has rows as compressed lines of JSON: the columns, then the rows."""
    with closing(sqlite3.connect(database)) as connection:
        for table in _tables(connection):
            rows = connection.execute(f'SELECT * FROM "{table}" ORDER BY rowid')  # noqa: S608 - of our schema
            first = rows.fetchone()
            if first is None:
                continue
            with gzip.GzipFile(folder / f"{table}.jsonl.gz", "wb", mtime=0) as file:
                file.write(_line([column[0] for column in rows.description]))
                file.write(_line(first))
                file.writelines(_line(row) for row in rows)


def read_tables(folder: Path, database: Path) -> None:
    """Insert tables that write_tables wrote into an empty SQLite file of their schema; raises BundleDamaged."""
    with closing(sqlite3.connect(database)) as connection, connection:
        known = _tables(connection)
        for path in sorted(folder.iterdir()):
            table = path.name.removesuffix(".jsonl.gz")
            if table not in known:
                raise BundleDamaged(f"The bundle has a table {table!r}, which its schema has not.")
            try:
                _insert(connection, table, _lines(path))
            except (sqlite3.Error, *UNREADABLE) as error:
                raise BundleDamaged(f"Table {table} cannot be read: {error}.") from error
        if broken := connection.execute("PRAGMA foreign_key_check").fetchone():
            raise BundleDamaged(f"A row of table {broken[0]} refers to a row of {broken[2]} that the bundle has not.")


def _insert(connection: sqlite3.Connection, table: str, lines: Iterator[Any]) -> None:
    expected = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
    columns: list[str] = next(lines, [])
    if sorted(columns) != sorted(expected):
        raise ValueError(f"its columns are {columns}, expected {expected}")
    names, places = ", ".join(f'"{name}"' for name in columns), ", ".join("?" * len(columns))
    statement = f'INSERT INTO "{table}" ({names}) VALUES ({places})'  # noqa: S608 - as above
    connection.executemany(statement, (_values(row) for row in lines))


def _tables(connection: sqlite3.Connection) -> set[str]:
    own = {table.name for table in Base.metadata.tables.values()}
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {name for (name,) in found if name in own}


def _line(row: Sequence[Any]) -> bytes:
    encoded = [{"base64": base64.b64encode(cell).decode()} if isinstance(cell, bytes) else cell for cell in row]
    return (json.dumps(encoded, ensure_ascii=False) + "\n").encode()


def _lines(path: Path) -> Iterator[Any]:
    """Yield the rows of a file; raises ValueError for a line, or a file, that is too large when decompressed."""
    left = MAX_TABLE_BYTES
    with gzip.open(path, "rb") as file:
        while line := file.readline(min(_LINE_BYTES, left + 1)):
            left -= len(line)
            if left < 0:
                raise ValueError(f"it has more than {MAX_TABLE_BYTES} bytes")
            yield json.loads(line)


def _values(row: Sequence[Any]) -> list[Any]:
    return [base64.b64decode(cell["base64"]) if isinstance(cell, dict) else cell for cell in row]
