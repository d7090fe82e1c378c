"""Queries over health checks and sensor readings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Annotated

from pydantic import Field
from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from orchestrator.agents.health.judgment import BASELINE_CHECKS
from orchestrator.database.models import HealthCheck, SensorReading
from orchestrator.service.keyset import Rows, rows_after
from orchestrator.shared.values.parameters import SearchText
from orchestrator.wire.base import Time
from orchestrator.wire.health import SensorSample as Reading

_LATEST_READINGS = 500
"""Readings in which the newest of each sensor is searched; a machine has a few dozen sensors at most."""


def find_latest_check(session: Session, agent_id: str) -> HealthCheck | None:
    """Return the newest health check of an agent."""
    query = select(HealthCheck).where(HealthCheck.agent_id == agent_id).order_by(HealthCheck.id.desc()).limit(1)
    return session.scalar(query)


def count_quarantined(session: Session, agent_id: str, most: int) -> int:
    """Return how many of the latest checks in a row quarantine an agent, at most `most`."""
    latest = select(HealthCheck.state).where(HealthCheck.agent_id == agent_id).order_by(HealthCheck.id.desc())
    states = session.scalars(latest.limit(most))
    return len(list(takewhile(lambda state: state == "quarantined", states)))


def find_check(session: Session, agent_id: str, build_id: int, checked_at: datetime) -> HealthCheck | None:
    """Return the health check of this time, which a daemon reports a second time if it received no response."""
    return session.scalar(
        select(HealthCheck).where(
            HealthCheck.agent_id == agent_id, HealthCheck.build_id == build_id, HealthCheck.checked_at == checked_at
        )
    )


def list_steady_times_ns(session: Session, agent_id: str, baseline: str) -> list[float]:
    """Return the control times of the first steady checks of a baseline since it was last accepted, nanoseconds."""
    checks = select(HealthCheck.id).where(
        HealthCheck.agent_id == agent_id, HealthCheck.facts["baseline"].as_string() == baseline
    )
    accepted = session.scalar(
        checks.where(HealthCheck.facts["accepted"].as_boolean()).order_by(HealthCheck.id.desc()).limit(1)
    )
    steady = select(HealthCheck.control_wall_ns).where(
        HealthCheck.id.in_(checks), HealthCheck.id >= (accepted or 0), HealthCheck.facts["steady"].as_boolean()
    )
    return list(session.scalars(steady.order_by(HealthCheck.id).limit(BASELINE_CHECKS)))


def list_checks(session: Session, agent_id: str, cursor: str | None, limit: int) -> Rows[HealthCheck]:
    """Return a page of an agent's health checks, newest first."""
    query = select(HealthCheck).where(HealthCheck.agent_id == agent_id)
    return rows_after(session, query, (HealthCheck.id.desc(),), cursor, limit)


def add_readings(session: Session, agent_id: str, readings: Iterable[Reading]) -> None:
    """Store sensor readings of an agent in one statement.

    A daemon that received no response sends its readings again: those that are stored already stay unchanged.
    """
    rows = [{"agent_id": agent_id, **reading.model_dump()} for reading in readings]
    if not rows:
        return
    since = min(row["read_at"] for row in rows)
    known = select(SensorReading.sensor, SensorReading.read_at).where(
        SensorReading.agent_id == agent_id, SensorReading.read_at >= since
    )
    stored = {(sensor, read_at) for sensor, read_at in session.execute(known)}
    new = [row for row in rows if (row["sensor"], row["read_at"]) not in stored]
    if new:
        session.execute(insert(SensorReading), new)


@dataclass(frozen=True)
class SensorFilter:
    """Selection of sensor readings, as the query of the API has it; None selects all."""

    sensor: Annotated[
        SearchText | None, Field(max_length=64, description="Only readings of the sensor with this name.")
    ] = None
    since: Annotated[Time | None, Field(description="Only readings from this time on.")] = None


def list_readings(
    session: Session, agent_id: str, selection: SensorFilter, cursor: str | None, limit: int
) -> Rows[SensorReading]:
    """Return a page of an agent's sensor readings in the order of arrival."""
    query = select(SensorReading).where(SensorReading.agent_id == agent_id)
    if selection.sensor is not None:
        query = query.where(SensorReading.sensor == selection.sensor)
    if selection.since is not None:
        query = query.where(SensorReading.read_at >= selection.since)
    return rows_after(session, query, (SensorReading.id,), cursor, limit)


def list_latest_readings(session: Session, agent_id: str) -> list[SensorReading]:
    """Return the newest reading of each sensor with a recent reading, in the order of the sensors' names."""
    newest = select(SensorReading).where(SensorReading.agent_id == agent_id).order_by(SensorReading.id.desc())
    found: dict[str, SensorReading] = {}
    for reading in session.scalars(newest.limit(_LATEST_READINGS)):
        found.setdefault(reading.sensor, reading)
    return [found[sensor] for sensor in sorted(found)]


def list_thinned_readings(session: Session, agent_id: str, since: datetime, most: int) -> Sequence[SensorReading]:
    """Return the readings since a moment in their order, of each sensor evenly not more than about `most`."""
    selected = (SensorReading.agent_id == agent_id, SensorReading.read_at >= since, SensorReading.value.is_not(None))
    place = func.row_number().over(partition_by=SensorReading.sensor, order_by=SensorReading.id)
    count = func.count().over(partition_by=SensorReading.sensor)
    numbered = select(SensorReading.id, place.label("place"), count.label("count")).where(*selected).subquery()
    chosen = select(numbered.c.id).where(numbered.c.place % (numbered.c.count // most + 1) == 0)
    return session.scalars(
        select(SensorReading).where(SensorReading.id.in_(chosen)).order_by(SensorReading.sensor, SensorReading.id)
    ).all()
