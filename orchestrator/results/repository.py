"""Queries over executions, their cases, curves, timings and statistics."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, bindparam, case, extract, func, insert, select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import (
    Agent,
    Build,
    Calibration,
    Case,
    CaseStatistics,
    Chunk,
    Curve,
    Execution,
    Footprint,
    Inventory,
    Timings,
)
from orchestrator.database.rows import keys_table
from orchestrator.errors import Unavailable
from orchestrator.results.measures import Purpose
from orchestrator.results.schemas import RankingMeasure

SHOWN_FIRST = ("wrong", "disputed", "failed", "skipped", "ok", "waiting")
"""Order of states in a list: states that need attention first."""

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


def add_curves(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert the curves of executions."""
    if rows:
        session.execute(insert(Curve), list(rows))


def add_timings(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert the timings of executions."""
    if rows:
        session.execute(insert(Timings), list(rows))


# --- Lists and details ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExecutionFilter:
    """Selection of executions of a run."""

    run_id: str
    case_id: int | None = None  # None: every case


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
    session: Session, selection: ExecutionFilter, state: str, after_id: int, limit: int
) -> list[ExecutionRow]:
    """Return up to `limit` executions in one state, by id, after that id."""
    query = (
        _executions()
        .where(Execution.run_id == selection.run_id, Execution.state == state, Execution.id > after_id)
        .order_by(Execution.id)
        .limit(limit)
    )
    if selection.case_id is not None:
        query = query.where(Execution.case_id == selection.case_id)
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


# --- Answers ----------------------------------------------------------------------------------------------------


def cases_of_run(session: Session, run_id: str) -> Sequence[tuple[Case, CaseStatistics | None, str | None]]:
    """Return every case of a run that encrypts, with its statistics and the title of its input."""
    query = (
        select(Case, CaseStatistics, Chunk.title)
        .outerjoin(CaseStatistics, CaseStatistics.case_id == Case.id)
        .outerjoin(Chunk, Chunk.id == Case.chunk_id)
        .where(Case.run_id == run_id, Case.operation != "noop")
        .order_by(Case.number)
    )
    return [(row[0], row[1], row[2]) for row in session.execute(query)]


def algorithms_of_run(session: Session, run_id: str) -> list[str]:
    """Return the algorithms of a run's cases, sorted, without `noop`."""
    found = select(Case.algorithm).where(Case.run_id == run_id, Case.operation != "noop")
    return list(session.scalars(found.distinct().order_by(Case.algorithm)))


def noop_cases(session: Session, run_id: str) -> list[tuple[Case, CaseStatistics]]:
    """Return the cases of `noop` of a run that have a time, with their statistics."""
    query = (
        select(Case, CaseStatistics)
        .join(CaseStatistics, CaseStatistics.case_id == Case.id)
        .where(Case.run_id == run_id, Case.operation == "noop", CaseStatistics.median_work_wall_ns > 0)
        .order_by(Case.number)
    )
    return [(row[0], row[1]) for row in session.execute(query)]


class TypicalRow(NamedTuple):
    """The verified execution of a case whose call is nearest to the median of the case."""

    case_id: int
    execution_id: int
    readings: dict[str, Any] | None


def typical_executions(session: Session, case_ids: Sequence[int]) -> list[TypicalRow]:
    """Return the typical execution of each latency case that has a verified one."""
    distance = func.abs(Execution.call_wall_ns - CaseStatistics.median_call_wall_ns)
    place = func.row_number().over(partition_by=Execution.case_id, order_by=(distance, Execution.repetition))
    nearest = (
        select(Execution.id, place.label("place"))
        .join(CaseStatistics, CaseStatistics.case_id == Execution.case_id)
        .where(Execution.case_id.in_(case_ids), Execution.state == "ok", Execution.purpose == "timing")
        .subquery()
    )
    rows = session.execute(
        select(Execution.case_id, Execution.id, Execution.readings)
        .join(nearest, nearest.c.id == Execution.id)
        .where(nearest.c.place == 1)
    )
    return [TypicalRow._make(row) for row in rows]


OK_TIMES_AT_ONCE = 5000


def ok_measures(
    session: Session, run_id: str, measures: Sequence[RankingMeasure], *, purpose: Purpose, with_disturbed: bool
) -> Iterator[Sequence[tuple[float | None, ...]]]:
    """Yield a run's ok executions of a purpose, with or without disturbed ones, in parts: rows take much memory.

    Each row has the case id, the repetition, the start in whole seconds since 1970, and the reading of each measure:
    nanoseconds, cycles, bytes or J/byte; for a throughput the nanoseconds of its phases.
    """
    query = (
        select(
            Execution.case_id,
            Execution.repetition,
            # Computed by the database: parsing 100 000 times in Python takes longer than everything else.
            extract("epoch", Execution.started_at),
            *(_MEASURES[measure] for measure in measures),
        )
        .join(Case, Case.id == Execution.case_id)
        .where(Execution.run_id == run_id, Execution.state == "ok", Execution.purpose == purpose)
    )
    if not with_disturbed:
        query = query.where(Execution.disturbed.is_(False))
    for part in session.execute(query, execution_options={"yield_per": OK_TIMES_AT_ONCE}).partitions():
        yield [tuple(row) for row in part]


def _reading(name: str) -> ColumnElement[float]:
    found: ColumnElement[float] = Execution.readings[name].as_float()
    return found


_MEASURES: dict[RankingMeasure, Any] = {
    "encrypt": Execution.encrypt_wall_ns,
    "decrypt": Execution.decrypt_wall_ns,
    "both": Execution.encrypt_wall_ns + Execution.decrypt_wall_ns,
    "pass": Execution.work_wall_ns,
    "key-setup": Execution.key_setup_wall_ns,
    "pass-cpu": Execution.work_cpu_ns,
    "encrypt-cpu": _reading("encrypt_user_ns") + _reading("encrypt_system_ns"),
    "decrypt-cpu": _reading("decrypt_user_ns") + _reading("decrypt_system_ns"),
    "encrypt-cycles": _reading("encrypt_cycles"),
    "decrypt-cycles": _reading("decrypt_cycles"),
    "call": Execution.call_wall_ns,
    "call-cpu": Execution.call_cpu_ns,
    "call-cycles": _reading("call_cycles"),
    "cold-call": case(
        (Case.operation == "key-setup", _reading("cold_key_setup_wall_ns")), else_=_reading("cold_call_wall_ns")
    ),
    "peak-memory": Execution.peak_rss_bytes,
    "energy": _reading("energy_per_byte_joules"),
}
"""Column of each measure with a reading in every execution."""


def ok_readings(
    session: Session, run_id: str, name: str, with_disturbed: bool
) -> Iterator[tuple[int, int, float | None]]:
    """Yield case, repetition and a reading of the ok timing executions of a run.

    name: a column, or a name in `readings`.
    """
    column = getattr(Execution, name, None)
    value = Execution.readings[name].as_float() if column is None else column
    query = select(Execution.case_id, Execution.repetition, value).where(
        Execution.run_id == run_id, Execution.state == "ok", Execution.purpose == "timing"
    )
    if not with_disturbed:
        query = query.where(Execution.disturbed.is_(False))
    for row in session.execute(query, execution_options={"yield_per": OK_TIMES_AT_ONCE}):
        yield row[0], row[1], None if row[2] is None else float(row[2])


def stamp(session: Session, run_id: str) -> tuple[int, ...]:
    """Return counts that change whenever the statistics of the run include further executions or verdicts."""
    row = session.execute(
        select(
            *(func.coalesce(func.sum(column), 0) for column in (
                CaseStatistics.included, CaseStatistics.ok, CaseStatistics.wrong, CaseStatistics.disputed,
                CaseStatistics.failed, CaseStatistics.skipped,
            )),
        )
        .join(Case, Case.id == CaseStatistics.case_id)
        .where(Case.run_id == run_id)
    ).one()  # fmt: skip
    return tuple(int(value) for value in row)


def agent_names(session: Session, agent_ids: Iterable[str]) -> dict[str, str]:
    """Return the names of agents by id."""
    query = select(Agent.id, Agent.name).where(Agent.id.in_(list(agent_ids)))
    return {row[0]: row[1] for row in session.execute(query)}


def builds(session: Session, build_ids: Iterable[int]) -> dict[int, Build]:
    """Return builds by id."""
    return {build.id: build for build in session.scalars(select(Build).where(Build.id.in_(list(build_ids))))}


def noise_floors(session: Session, build_ids: Iterable[int]) -> dict[int, Calibration]:
    """Return the latest noise floor of each build that has one."""
    latest = (
        select(func.max(Calibration.id))
        .where(Calibration.build_id.in_(list(build_ids)), Calibration.kind == "noise-floor")
        .group_by(Calibration.build_id)
    )
    query = select(Calibration).where(Calibration.id.in_(latest))
    return {calibration.build_id: calibration for calibration in session.scalars(query)}


def noise_floors_of_default(session: Session, agent_id: str) -> Sequence[Calibration]:
    """Return the noise floors of an agent's default builds, the latest one last."""
    query = (
        select(Calibration)
        .join(Build, Build.id == Calibration.build_id)
        .where(Build.agent_id == agent_id, Build.is_default, Calibration.kind == "noise-floor")
        .order_by(Calibration.id)
    )
    return session.scalars(query).all()


def footprints(session: Session, build_ids: Iterable[int]) -> Sequence[Footprint]:
    """Return the footprints of these builds."""
    return session.scalars(select(Footprint).where(Footprint.build_id.in_(list(build_ids)))).all()
