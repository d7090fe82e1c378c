"""``/api/v1/agents``, ``/invitations``, ``/heartbeats``, ``/inventories``, ``/health-checks`` below ``/api/v1``."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Query, Request

from orchestrator.agents import enrollment, heartbeats, invitations, service
from orchestrator.agents.health import service as checks
from orchestrator.agents.health.repository import SensorFilter
from orchestrator.agents.schemas import (
    AgentChange,
    AgentDetail,
    AgentSummary,
    HealthCheckCreated,
    HealthCheckRequested,
    HealthCheckSummary,
    InventoryCreated,
    InventoryDetail,
    InvitationCreated,
    InvitationRequest,
)
from orchestrator.agents.selection import AgentSelection
from orchestrator.builds.downloads import DownloadShelfDep
from orchestrator.service.dependencies import CursorQuery, DatabaseDep, LimitQuery, SettingsDep
from orchestrator.service.pagination import Page
from orchestrator.service.security.bodies import REPORT_LIMIT, body_limit
from orchestrator.service.security.dependencies import (
    AdminDep,
    AdminOrAgentDep,
    AgentDep,
    AgentId,
    JoinDep,
    SubmitterDep,
    ViewerDep,
)
from orchestrator.service.security.routing import api_router
from orchestrator.shared.errors import Forbidden
from orchestrator.shared.values.parameters import TypedText
from orchestrator.wire.agents import EnrollmentRequest, EnrollmentResponse, InventoryReport
from orchestrator.wire.base import DEVICE_HEADER
from orchestrator.wire.health import HealthCheckReport, SensorSample
from orchestrator.wire.heartbeats import Heartbeat, HeartbeatResponse

DeviceHeader = Annotated[
    str | None,
    Header(
        alias=DEVICE_HEADER,
        pattern=r"^[0-9a-f]{64}$",
        description="SHA-256 of the join code and the machine id, for a device that may repeat its enrollment.",
    ),
]

router = api_router(tags=["agents"])


@dataclass(frozen=True)
class AgentQuery(AgentSelection):
    """Selection of agents as a query."""

    text: Annotated[
        TypedText,
        Query(alias="q", max_length=80, description="Part of the name, a label, the notes or the device, or the id."),
    ] = ""


@router.post("/agents", status_code=201)
def enroll(
    request: EnrollmentRequest,
    database: DatabaseDep,
    settings: SettingsDep,
    caller: JoinDep,
    device_sha256: DeviceHeader = None,
) -> EnrollmentResponse:
    """Exchange a join token for an agent's identity. Only this response contains its token and password.

    A device that did not receive the response repeats the request with the same device header, until it has sent its
    first heartbeat.
    """
    return enrollment.enroll(database, settings, caller, request, device_sha256)


@router.post("/invitations", status_code=201)
def invite(
    invitation: InvitationRequest,
    request: Request,
    database: DatabaseDep,
    settings: SettingsDep,
    shelf: DownloadShelfDep,
    _caller: AdminDep,
) -> InvitationCreated:
    """Create a join code for one device, and the command to execute there. Only this response contains the code."""
    return invitations.invite(database, settings, shelf, str(request.base_url), invitation)


@router.get("/agents")
def list_agents(
    database: DatabaseDep,
    _caller: ViewerDep,
    selection: Annotated[AgentQuery, Depends()],
    cursor: CursorQuery = None,
    limit: LimitQuery = 100,
) -> Page[AgentSummary]:
    """List the agents, all or those that meet all conditions, in the order of their names."""
    return service.list_agents(database, selection, cursor, limit)


@router.get("/agents/{agent_id}")
def get_agent(agent_id: AgentId, database: DatabaseDep, _caller: ViewerDep) -> AgentDetail:
    """Return an agent with its state, inventory, builds and calibrations."""
    return service.get_agent(database, agent_id)


@router.patch("/agents/{agent_id}")
def change_agent(agent_id: AgentId, body: AgentChange, database: DatabaseDep, caller: AdminDep) -> AgentDetail:
    """Change the name, labels or notes of an agent. 409 for the name of another agent."""
    service.change_agent(database, agent_id, body, caller.name)
    return service.get_agent(database, agent_id)


@router.get("/agents/{agent_id}/inventories")
def list_inventories(
    agent_id: AgentId, database: DatabaseDep, _caller: ViewerDep, cursor: CursorQuery = None, limit: LimitQuery = 20
) -> Page[InventoryDetail]:
    """List the inventories of an agent, newest first."""
    return service.list_inventories(database, agent_id, cursor, limit)


@router.post("/agents/{agent_id}/approve")
def approve(agent_id: AgentId, database: DatabaseDep, _caller: AdminDep) -> AgentDetail:
    """Approve an agent, so that it receives jobs."""
    enrollment.approve(database, agent_id)
    return service.get_agent(database, agent_id)


@router.post("/agents/{agent_id}/revoke")
def revoke(agent_id: AgentId, database: DatabaseDep, caller: AdminOrAgentDep) -> AgentDetail:
    """Revoke an agent: its token immediately, its Redis user with the next tick of the scheduler.

    An agent revokes itself when its device leaves.
    """
    if not caller.may("admin") and caller.agent_id != agent_id:
        raise Forbidden("An agent can revoke only itself.", remedy="Use the token of an admin.")
    enrollment.revoke(database, agent_id)
    return service.get_agent(database, agent_id)


@router.post("/agents/{agent_id}/trust")
def trust(agent_id: AgentId, database: DatabaseDep, _caller: AdminDep) -> AgentDetail:
    """End the quarantine of an agent for false reports, which no health check ends. Its reports stay listed."""
    service.trust(database, agent_id)
    return service.get_agent(database, agent_id)


@router.post("/agents/{agent_id}/health-check")
def request_health_check(
    agent_id: AgentId,
    request: HealthCheckRequested,
    database: DatabaseDep,
    settings: SettingsDep,
    caller: SubmitterDep,
) -> AgentDetail:
    """Request a health check before the agent's next job, or accept its current speed as the new baseline (admin)."""
    if not request.accept:
        checks.request_check(database, agent_id)
    elif caller.may("admin"):
        checks.accept_speed(database, agent_id, settings)
    else:
        raise Forbidden(
            f"Accepting a speed as the baseline requires the role admin, seen: {caller.role}.",
            remedy="Use the token of an admin.",
        )
    return service.get_agent(database, agent_id)


@router.get("/agents/{agent_id}/health-checks")
def list_health_checks(
    agent_id: AgentId, database: DatabaseDep, _caller: ViewerDep, cursor: CursorQuery = None, limit: LimitQuery = 100
) -> Page[HealthCheckSummary]:
    """List the health checks of an agent, newest first: speed of the control workload, noise floor, judgment."""
    with database.read() as session:
        return checks.list_checks(session, agent_id, cursor, limit)


@router.get("/agents/{agent_id}/sensor-readings")
def list_sensor_readings(
    agent_id: AgentId,
    database: DatabaseDep,
    _caller: ViewerDep,
    selection: Annotated[SensorFilter, Depends()],
    cursor: CursorQuery = None,
    limit: LimitQuery = 500,
) -> Page[SensorSample]:
    """List the sensor readings of an agent in the order of arrival: temperatures, frequencies, power."""
    return service.list_sensor_readings(database, agent_id, selection, cursor, limit)


@router.post("/heartbeats")
@body_limit(REPORT_LIMIT)
def heartbeat(message: Heartbeat, database: DatabaseDep, caller: AgentDep) -> HeartbeatResponse:
    """Store the state that a daemon reports, and return its orders: what to stop, build, check or send."""
    return heartbeats.receive(database, caller.own_agent_id, message, token_id=caller.token_id)


@router.post("/health-checks")
def report_health_check(
    check: HealthCheckReport, database: DatabaseDep, settings: SettingsDep, caller: AgentDep
) -> HealthCheckCreated:
    """Store and judge the health check of a daemon; repeating the request is not an error."""
    return checks.report_check(database, caller.own_agent_id, check, settings)


@router.post("/inventories")
@body_limit(REPORT_LIMIT)
def report_inventory(report: InventoryReport, database: DatabaseDep, caller: AgentDep) -> InventoryCreated:
    """Store the facts that a daemon detected about its machine."""
    return service.report_inventory(database, caller.own_agent_id, report)
