"""``/api/v1/preflight-reports``, and the reports of an agent and of a run."""

from orchestrator.runs.preflight import service
from orchestrator.runs.preflight.schemas import PreflightReportCreated, PreflightReportDetail
from orchestrator.runs.repository import require_run
from orchestrator.service.dependencies import CursorQuery, DatabaseDep, LimitQuery
from orchestrator.service.pagination import Page
from orchestrator.service.security.bodies import REPORT_LIMIT, body_limit
from orchestrator.service.security.dependencies import AgentDep, AgentId, RunId, ViewerDep
from orchestrator.service.security.routing import api_router
from orchestrator.wire.health import PreflightReportMessage

router = api_router(tags=["preflight"])


@router.post("/preflight-reports", status_code=201)
@body_limit(REPORT_LIMIT)
def report_preflight(report: PreflightReportMessage, database: DatabaseDep, caller: AgentDep) -> PreflightReportCreated:
    """Store the results of a daemon's preflight checks."""
    return service.store_report(database, caller.own_agent_id, report)


@router.get("/agents/{agent_id}/preflight")
def get_preflight_report(agent_id: AgentId, database: DatabaseDep, _caller: ViewerDep) -> PreflightReportDetail:
    """Return the newest preflight report of an agent: each check with its result, expectation and remedy."""
    return service.get_latest_report(database, agent_id)


@router.get("/runs/{run_id}/preflight")
def list_preflight_reports(
    run_id: RunId, database: DatabaseDep, _caller: ViewerDep, cursor: CursorQuery = None, limit: LimitQuery = 100
) -> Page[PreflightReportDetail]:
    """List the preflight reports that the agents of a run made before its first job, newest first."""
    with database.read() as session:
        require_run(session, run_id)
        return service.list_run_reports(session, run_id, cursor, limit)
