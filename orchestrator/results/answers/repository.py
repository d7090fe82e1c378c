"""Queries of what answers are computed from: cases, readings of executions, builds and noise floors."""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import Any

from sqlalchemy import ColumnElement, extract, func, select, true
from sqlalchemy.orm import Session

from orchestrator.database.models import (
    Agent,
    Build,
    Calibration,
    Case,
    CaseStatistics,
    Chunk,
    Execution,
    Footprint,
)
from orchestrator.results.measures import MEASURES
from orchestrator.wire.metrics.phases import metric_of


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


def case_kinds(session: Session, run_id: str) -> list[dict[str, Any]]:
    """Return what a question can select of a run's cases, without `noop`; a process has a row for each operation."""
    columns = (Case.algorithm, Case.operation, Case.key_setup, Case.message_bytes.label("length_bytes"))
    found = select(*columns).where(Case.run_id == run_id, Case.operation != "noop").distinct()
    rows = session.execute(found).mappings()
    return [{**row, "operation": name} for row in rows for name in row["operation"].split("+")]


def noop_cases(session: Session, run_id: str) -> list[tuple[Case, CaseStatistics]]:
    """Return the cases of `noop` of a run that have a time, with their statistics."""
    query = (
        select(Case, CaseStatistics)
        .join(CaseStatistics, CaseStatistics.case_id == Case.id)
        .where(Case.run_id == run_id, Case.operation == "noop", CaseStatistics.median_work_wall_ns > 0)
        .order_by(Case.number)
    )
    return [(row[0], row[1]) for row in session.execute(query)]


def typical_executions(session: Session, case_ids: Sequence[int]) -> Sequence[Execution]:
    """Return the verified execution of each latency case whose call is nearest to the median of the case."""
    distance = func.abs(Execution.call_wall_ns - CaseStatistics.median_call_wall_ns)
    place = func.row_number().over(partition_by=Execution.case_id, order_by=(distance, Execution.repetition))
    nearest = (
        select(Execution.id, place.label("place"))
        .join(CaseStatistics, CaseStatistics.case_id == Execution.case_id)
        .where(Execution.case_id.in_(case_ids), Execution.state == "ok", Execution.purpose == "timing")
        .subquery()
    )
    query = select(Execution).join(nearest, nearest.c.id == Execution.id).where(nearest.c.place == 1)
    return session.scalars(query).all()


OK_TIMES_AT_ONCE = 5000


def ok_values(
    session: Session, run_id: str, names: Sequence[str], *, purpose: str, with_disturbed: bool
) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Yield a run's ok executions of a purpose, with or without disturbed ones, in parts: rows take much memory.

    names: measures, columns of executions, or names in their `readings`. Each row has the case id, the repetition, the
    start in whole seconds since 1970, and the value of each name, None if absent: nanoseconds, cycles, bytes or J/byte;
    for a throughput the nanoseconds of its phases.
    """
    query = (
        select(
            Execution.case_id,
            Execution.repetition,
            # Computed by the database: parsing 100 000 times in Python takes longer than everything else.
            extract("epoch", Execution.started_at),
            *(_value(name) for name in names),
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


def _column(name: str) -> ColumnElement[float]:
    found: ColumnElement[float] | None = getattr(Execution, name, None)
    if found is not None:
        return found
    metric = metric_of(name)
    return _phase_time(name.removesuffix("_wall_ns")) if metric and metric.column else _reading(name)


def _phase_time(phase: str) -> ColumnElement[float]:
    found: ColumnElement[float] = Execution.phase_wall_ns[phase].as_float()
    return found


def _value(name: str) -> ColumnElement[float]:
    """Return the value of a measure, or of a column or reading, of each execution."""
    if name not in MEASURES and (hasattr(Execution, name) or metric_of(name)):
        return _column(name)
    measure = MEASURES[name]
    total: ColumnElement[float] = reduce(add, map(_column, measure.values))
    return func.coalesce(total, _column(measure.otherwise)) if measure.otherwise else total


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


def noise_floors(session: Session, build_ids: Iterable[int], last_id: int | None) -> dict[int, Calibration]:
    """Return the latest noise floor of each build that has one; last_id: up to this calibration, None for all."""
    latest = (
        select(func.max(Calibration.id))
        .where(Calibration.build_id.in_(list(build_ids)), Calibration.kind == "noise-floor", _up_to(last_id))
        .group_by(Calibration.build_id)
    )
    query = select(Calibration).where(Calibration.id.in_(latest))
    return {calibration.build_id: calibration for calibration in session.scalars(query)}


def noise_floors_of_default(session: Session, agent_id: str, last_id: int | None) -> Sequence[Calibration]:
    """Return the noise floors of an agent's default builds, the latest one last; last_id: as above."""
    query = (
        select(Calibration)
        .join(Build, Build.id == Calibration.build_id)
        .where(Build.agent_id == agent_id, Build.is_default, Calibration.kind == "noise-floor", _up_to(last_id))
        .order_by(Calibration.id)
    )
    return session.scalars(query).all()


def _up_to(last_id: int | None) -> ColumnElement[bool]:
    return true() if last_id is None else Calibration.id <= last_id


def footprints(session: Session, build_ids: Iterable[int], target: str) -> Sequence[Footprint]:
    """Return the footprints of these builds on a target; empty: on the processors that they are for."""
    of_target = (Footprint.build_id.in_(list(build_ids)), Footprint.target == target)
    return session.scalars(select(Footprint).where(*of_target)).all()
