"""The page of one execution."""

from fastapi import Request, Response

from orchestrator.agents import service as agents
from orchestrator.results import service as results
from orchestrator.results.cases import service as cases
from orchestrator.runs.repository import require_run
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import RowId
from orchestrator.web.charts.memory import spans
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router

router = page_router()


@router.get("/executions/{execution_id}")
def execution(request: Request, database: DatabaseDep, execution_id: RowId) -> Response:
    """Show one execution with its curve, phases, readings and failure."""
    with database.read() as session:
        detail = results.get_execution(session, execution_id)
        view = {
            "detail": detail,
            "case": cases.get_case(session, detail.case_id),
            "run_name": require_run(session, detail.run_id).name,
            "agent": agents.get_device(session, detail.agent_id),
            "phases": [{"name": span.name, "wall_ns": span.end_ns - span.start_ns} for span in spans(detail)],
            "timings": results.get_timings(session, execution_id) if detail.has_timings else None,
        }
    return page(request, "executions/execution.html", view)
