"""The page of one execution."""

from fastapi import Request, Response

from orchestrator.agents import service as agents
from orchestrator.database.engine import Database
from orchestrator.results import service as results
from orchestrator.results.cases import service as cases
from orchestrator.results.schemas import ExecutionDetail
from orchestrator.runs import service as runs
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import RowId
from orchestrator.web.charts.memory import spans
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router
from orchestrator.web.runs.executions.tables import case_row
from orchestrator.web.runs.executions.views import ExecutionPage
from orchestrator.web.views import AgentName, Phase

router = page_router()


@router.get("/executions/{execution_id}")
def execution(request: Request, database: DatabaseDep, execution_id: RowId) -> Response:
    """Show one execution with its curve, phases, readings and failure."""
    return page(request, "executions/execution.html", execution_page(database, execution_id))


def execution_page(database: Database, execution_id: int) -> ExecutionPage:
    """Return everything that is stored about one execution; raises NotFound."""
    detail = results.get_execution(database, execution_id)
    agent = agents.get_device(database, detail.agent_id)
    return ExecutionPage(
        detail=detail,
        case=case_row(database, cases.get_case(database, detail.case_id)),
        run_name=runs.get_run_name(database, detail.run_id),
        agent=AgentName(id=agent.id, name=agent.name, live=agent.liveness == "live"),
        position=detail.position,
        phases=_phases(detail),
        timings=results.get_timings(database, execution_id) if detail.has_timings else None,
    )


def _phases(detail: ExecutionDetail) -> list[Phase]:
    work_ns = detail.work_wall_ns or 1
    return [
        Phase(name=span.name, wall_ns=span.end_ns - span.start_ns, share=(span.end_ns - span.start_ns) / work_ns)
        for span in spans(detail)
    ]
