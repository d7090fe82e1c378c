"""The health of an agent, its latest checks and the latest readings of its sensors."""

from collections import Counter

from orchestrator.agents import service as agents
from orchestrator.agents.health import service as health
from orchestrator.agents.schemas import AgentDevice, FalseReportSummary, SensorReadingSummary
from orchestrator.database.engine import Database
from orchestrator.service.trust.kinds import WORDS
from orchestrator.web.agents.views import AgentHealth, FalseReportRow, SensorRow
from orchestrator.web.charts.leading import Top
from orchestrator.web.charts.sensors import display_value, sensor_labels

CHECKS_SHOWN = 10


def agent_health(database: Database, agent: AgentDevice, top: Top) -> AgentHealth:
    """Return the health of an agent with its latest checks and readings; top: sensors of a quantity in the chart."""
    sensors = [_sensor_row(reading) for reading in agents.list_latest_sensor_readings(database, agent.id)]
    places = Counter(row.quantity for row in sensors if row.value is not None)
    return AgentHealth(
        state=agent.health,
        reason=agent.health_reason,
        checked_at=agent.health_checked_at,
        health_check_requested=agent.health_check_requested,
        distrusted_at=agent.distrusted_at,
        false_reports=[_false_report(report) for report in agent.false_reports],
        checks=health.list_checks(database, agent.id, None, CHECKS_SHOWN).items,
        sensors=sensors,
        most_places=max(places.values(), default=0),
        top=top.text,
    )


def _false_report(report: FalseReportSummary) -> FalseReportRow:
    columns = ("kind", "proven", "detail", "times", "first_at", "last_at", "lifted_at")
    return FalseReportRow(words=WORDS[report.kind], **{name: getattr(report, name) for name in columns})


def _sensor_row(reading: SensorReadingSummary) -> SensorRow:
    quantity, place = sensor_labels(reading.sensor)
    value, unit = (None, "") if reading.value is None else display_value(reading.value, reading.unit)
    return SensorRow(
        quantity=quantity, place=place, value=value, unit=unit, reason=reading.reason, read_at=reading.read_at
    )
