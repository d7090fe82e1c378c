"""``/api/v1/hygiene-reports`` and what agents and runs show of them."""

from fastapi import APIRouter

from orchestrator.dependencies import DatabaseDep
from orchestrator.pagination import CursorQuery, LimitQuery, Page
from orchestrator.preflight import service
from orchestrator.preflight.schemas import HygieneAnswer, HygieneReceipt
from orchestrator.security.dependencies import AgentDep, AgentId, RunId, ViewerDep
from orchestrator.wire.health import HygieneReport

router = APIRouter(tags=["hygiene"])


@router.post("/hygiene-reports", status_code=201)
def report_hygiene(report: HygieneReport, database: DatabaseDep, caller: AgentDep) -> HygieneReceipt:
    """Store the conditions under which a daemon is about to measure."""
    return service.report(database, caller.own_agent_id, report)


@router.get("/agents/{agent_id}/hygiene")
def get_hygiene(agent_id: AgentId, database: DatabaseDep, _caller: ViewerDep) -> HygieneAnswer:
    """Show the latest conditions on a machine: what was found, what is wanted, and how to mend it."""
    return service.show_latest(database, agent_id)


@router.get("/runs/{run_id}/hygiene")
def list_hygiene(
    run_id: RunId, database: DatabaseDep, _caller: ViewerDep, cursor: CursorQuery = None, limit: LimitQuery = 100
) -> Page[HygieneAnswer]:
    """List the conditions that the agents of a run found before its first job there, newest first."""
    return service.list_of_run(database, run_id, cursor, limit)
