"""How healthy an agent is, how it came to that, and what its sensors read, for its page."""

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from orchestrator.agents.health import repository
from orchestrator.agents.health.service import show
from orchestrator.agents.schemas import HealthCheckSummary
from orchestrator.database.models import Agent, SensorReading
from orchestrator.web.charts.health import Point
from orchestrator.web.charts.sensors import Reading, shown, words_of
from orchestrator.web.views import View

CHECKS_DRAWN = 200
CHECKS_SHOWN = 10
READINGS_FROM = timedelta(hours=24)
POINTS_A_SENSOR = 300
"""More would lie on each other."""


class SensorRow(View):
    """The latest reading of one sensor."""

    quantity: str
    place: str
    value: float | None
    unit: str
    reason: str
    """Why there is no value."""
    read_at: datetime


class AgentHealth(View):
    """The health of an agent."""

    state: str
    """unchecked, healthy, degraded, quarantined."""
    reason: str
    checked_at: datetime | None
    health_check_requested: bool
    checks: list[HealthCheckSummary]
    """The latest ones, newest first."""
    sensors: list[SensorRow]
    """Empty where the agent's daemon has sent no reading."""


def health_of(session: Session, agent: Agent) -> AgentHealth:
    """Return the health of an agent with its latest checks and readings."""
    rows = repository.list_checks(session, agent.id, None, CHECKS_SHOWN)
    return AgentHealth(
        state=agent.health,
        reason=agent.health_reason,
        checked_at=agent.health_checked_at,
        health_check_requested=agent.health_check_requested,
        checks=[show(*row) for row in rows[:CHECKS_SHOWN]],
        sensors=[_sensor_row(reading) for reading in repository.latest_readings(session, agent.id)],
    )


def check_points(session: Session, agent_id: str) -> list[Point]:
    """Return the latest checks of an agent for the chart, oldest first."""
    rows = repository.list_checks(session, agent_id, None, CHECKS_DRAWN)
    checks = [show(*row) for row in rows[:CHECKS_DRAWN]]
    return [
        Point(
            at=check.checked_at,
            state=check.state,
            control_wall_ns=check.control.median_work_wall_ns,
            low_wall_ns=check.control.low_work_wall_ns,
            high_wall_ns=check.control.high_work_wall_ns,
            noise_floor=check.noise_floor,
        )
        for check in reversed(checks)
    ]


def sensor_points(session: Session, agent_id: str, at: datetime) -> list[Reading]:
    """Return what the agent's sensors read in the last day, thinned out evenly, for the chart."""
    rows = repository.thinned_readings(session, agent_id, at - READINGS_FROM, POINTS_A_SENSOR)
    return [Reading(row.sensor, row.unit, row.read_at, row.value) for row in rows if row.value is not None]


def _sensor_row(reading: SensorReading) -> SensorRow:
    quantity, place = words_of(reading.sensor)
    value, unit = (None, "") if reading.value is None else shown(reading.value, reading.unit)
    return SensorRow(
        quantity=quantity, place=place, value=value, unit=unit, reason=reading.reason, read_at=reading.read_at
    )
