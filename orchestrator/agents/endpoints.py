"""``/api/v1/agents``, ``/api/v1/heartbeats``, ``/api/v1/inventories``, ``/api/v1/health-checks``."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import AwareDatetime

from orchestrator.agents import enrollment, heartbeats, service
from orchestrator.agents.health import service as checks
from orchestrator.agents.health.repository import SensorFilter
from orchestrator.agents.schemas import (
    AgentDetail,
    AgentSummary,
    HealthCheckCreated,
    HealthCheckRequested,
    HealthCheckSummary,
    InventoryCreated,
    InventoryDetail,
    SensorReadingSummary,
)
from orchestrator.dependencies import DatabaseDep, SettingsDep
from orchestrator.errors import Forbidden
from orchestrator.pagination import CursorQuery, LimitQuery, Page
from orchestrator.security.dependencies import AdminDep, AgentDep, AgentId, JoinDep, SubmitterDep, ViewerDep
from orchestrator.wire.agents import EnrollmentRequest, EnrollmentResponse, InventoryReport
from orchestrator.wire.health import HealthCheckReport
from orchestrator.wire.heartbeats import Heartbeat, HeartbeatResponse

router = APIRouter(tags=["agents"])


@router.post("/agents", status_code=201)
def enroll(
    request: EnrollmentRequest,
    database: DatabaseDep,
    settings: SettingsDep,
    caller: JoinDep,
) -> EnrollmentResponse:
    """Trade a join token for an agent's identity; the two secrets in the answer are told once."""
    return enrollment.enroll(database, settings, caller, request)


@router.get("/agents")
def list_agents(
    database: DatabaseDep, _caller: ViewerDep, cursor: CursorQuery = None, limit: LimitQuery = 100
) -> Page[AgentSummary]:
    """List the registered machines by name."""
    return service.list_agents(database, cursor, limit)


@router.get("/agents/{agent_id}")
def get_agent(agent_id: AgentId, database: DatabaseDep, _caller: ViewerDep) -> AgentDetail:
    """Show one machine: inventory, builds, proofs, calibrations, whether it is there."""
    return service.get_agent(database, agent_id)


@router.get("/agents/{agent_id}/inventories")
def list_inventories(
    agent_id: AgentId, database: DatabaseDep, _caller: ViewerDep, cursor: CursorQuery = None, limit: LimitQuery = 20
) -> Page[InventoryDetail]:
    """List what was detected of a machine, newest first."""
    return service.list_inventories(database, agent_id, cursor, limit)


@router.post("/agents/{agent_id}/approve")
def approve(agent_id: AgentId, database: DatabaseDep, _caller: AdminDep) -> AgentDetail:
    """Let an agent get jobs."""
    enrollment.approve(database, agent_id)
    return service.get_agent(database, agent_id)


@router.post("/agents/{agent_id}/revoke")
def revoke(agent_id: AgentId, database: DatabaseDep, _caller: AdminDep) -> AgentDetail:
    """End an agent: its token at once, its Redis user with the scheduler's next tick."""
    enrollment.revoke(database, agent_id)
    return service.get_agent(database, agent_id)


@router.post("/agents/{agent_id}/health-check")
def ask_for_health_check(
    agent_id: AgentId,
    request: HealthCheckRequested,
    database: DatabaseDep,
    settings: SettingsDep,
    caller: SubmitterDep,
) -> AgentDetail:
    """Let an agent check its health before its next job; or accept its present speed as the normal one (admins)."""
    if not request.accept:
        checks.ask(database, agent_id)
    elif caller.may("admin"):
        checks.accept(database, agent_id, settings)
    else:
        raise Forbidden("Accepting a speed as the normal one needs an admin's token.", remedy="Ask an admin.")
    return service.get_agent(database, agent_id)


@router.get("/agents/{agent_id}/health-checks")
def list_health_checks(
    agent_id: AgentId, database: DatabaseDep, _caller: ViewerDep, cursor: CursorQuery = None, limit: LimitQuery = 100
) -> Page[HealthCheckSummary]:
    """List the checks of an agent's health, newest first: speed of the control workload, noise floor, judgment."""
    return checks.list_checks(database, agent_id, cursor, limit)


def _sensor_filter(
    sensor: Annotated[str | None, Query(max_length=64, description="Only this one, by its whole name.")] = None,
    since: Annotated[AwareDatetime | None, Query(description="Only readings from this moment on.")] = None,
) -> SensorFilter:
    return SensorFilter(sensor, since)


@router.get("/agents/{agent_id}/sensor-readings")
def list_sensor_readings(
    agent_id: AgentId,
    database: DatabaseDep,
    _caller: ViewerDep,
    wanted: Annotated[SensorFilter, Depends(_sensor_filter)],
    cursor: CursorQuery = None,
    limit: LimitQuery = 500,
) -> Page[SensorReadingSummary]:
    """List what an agent's sensors read, in the order of arrival: temperatures, frequencies, power."""
    return service.list_sensor_readings(database, agent_id, wanted, cursor, limit)


@router.post("/heartbeats")
def heartbeat(message: Heartbeat, database: DatabaseDep, settings: SettingsDep, caller: AgentDep) -> HeartbeatResponse:
    """Hear that a daemon lives, what it holds and what its sensors read; tell it what to do."""
    hours = settings.health_check_hours
    return heartbeats.take(database, caller.own_agent_id, message, health_check_hours=hours)


@router.post("/health-checks")
def report_health_check(
    check: HealthCheckReport, database: DatabaseDep, settings: SettingsDep, caller: AgentDep
) -> HealthCheckCreated:
    """Store and judge what a daemon found when it checked its machine; again is no error."""
    return checks.report(database, caller.own_agent_id, check, settings)


@router.post("/inventories")
def report_inventory(report: InventoryReport, database: DatabaseDep, caller: AgentDep) -> InventoryCreated:
    """Store what a daemon detected about its machine."""
    return service.report_inventory(database, caller.own_agent_id, report)
