"""``/api/v1/agents``, ``/api/v1/heartbeats``, ``/api/v1/inventories``."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from orchestrator.agents import enrolment, heartbeats, service
from orchestrator.agents.schemas import AgentAnswer, AgentDetail, InventoryAnswer, InventoryReceipt
from orchestrator.dependencies import DatabaseDep, SettingsDep
from orchestrator.pagination import CursorQuery, LimitQuery, Page
from orchestrator.security.guard import Caller, requires
from orchestrator.wire.agents import EnrolAnswer, EnrolRequest, InventoryReport
from orchestrator.wire.heartbeats import Heartbeat, HeartbeatAnswer

router = APIRouter(tags=["agents"])

Viewer = Annotated[Caller, Depends(requires("viewer"))]
Admin = Annotated[Caller, Depends(requires("admin"))]
Self = Annotated[Caller, Depends(requires("agent"))]
AgentIdPath = Annotated[str, Path(max_length=40)]


@router.post("/agents", status_code=201)
def enrol(
    request: EnrolRequest,
    database: DatabaseDep,
    settings: SettingsDep,
    caller: Annotated[Caller, Depends(requires("join"))],
) -> EnrolAnswer:
    """Trade a join token for an agent's identity; the two secrets in the answer are told once."""
    return enrolment.enrol(database, settings, caller, request)


@router.get("/agents")
def list_agents(
    database: DatabaseDep, _caller: Viewer, cursor: CursorQuery = None, limit: LimitQuery = 100
) -> Page[AgentAnswer]:
    """List the registered machines by name."""
    return service.list_agents(database, cursor, limit)


@router.get("/agents/{agent_id}")
def get_agent(agent_id: AgentIdPath, database: DatabaseDep, _caller: Viewer) -> AgentDetail:
    """Show one machine: inventory, builds, proofs, calibrations, whether it is there."""
    return service.show_agent(database, agent_id)


@router.get("/agents/{agent_id}/inventories")
def list_inventories(
    agent_id: AgentIdPath, database: DatabaseDep, _caller: Viewer, cursor: CursorQuery = None, limit: LimitQuery = 20
) -> Page[InventoryAnswer]:
    """List what was detected of a machine, newest first."""
    return service.list_inventories(database, agent_id, cursor, limit)


@router.post("/agents/{agent_id}/approve")
def approve(agent_id: AgentIdPath, database: DatabaseDep, _caller: Admin) -> AgentDetail:
    """Let an agent get jobs."""
    enrolment.approve(database, agent_id)
    return service.show_agent(database, agent_id)


@router.post("/agents/{agent_id}/revoke")
def revoke(agent_id: AgentIdPath, database: DatabaseDep, _caller: Admin) -> AgentDetail:
    """End an agent: its token at once, its Redis user with the scheduler's next tick."""
    enrolment.revoke(database, agent_id)
    return service.show_agent(database, agent_id)


@router.post("/heartbeats")
def heartbeat(message: Heartbeat, database: DatabaseDep, caller: Self) -> HeartbeatAnswer:
    """Hear that a daemon lives and what it holds; tell it what to stop."""
    return heartbeats.take(database, caller.own_agent_id, message)


@router.post("/inventories")
def report_inventory(report: InventoryReport, database: DatabaseDep, caller: Self) -> InventoryReceipt:
    """Store what a daemon detected about its machine."""
    return service.report_inventory(database, caller.own_agent_id, report)
