"""The page of one case with its executions."""

from fastapi import Request, Response

from orchestrator.results import service as results
from orchestrator.results.cases import service as cases
from orchestrator.runs.repository import require_run
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import RowId
from orchestrator.web.rendering import page
from orchestrator.web.routing import PageNumber, page_router, pages_of

ROWS_PER_PAGE = 50

router = page_router()


@router.get("/cases/{case_id}")
def case(request: Request, database: DatabaseDep, case_id: RowId, number: PageNumber = 1) -> Response:
    """Show one case with its executions."""
    offset = (number - 1) * ROWS_PER_PAGE
    cases.catch_up_case(database, case_id)
    with database.read() as session:
        found = cases.get_case(session, case_id)
        executions, total = results.list_executions_of_case(session, case_id, offset, ROWS_PER_PAGE)
        typical = cases.typical_calls(session, [case_id]).get(case_id) if found.protocol == "latency" else None
        view = {
            "run_name": require_run(session, found.run_id).name,
            "case": found,
            "typical": typical,
            "executions": executions,
            "outliers": cases.outlier_ids(session, case_id),
            "page": number,
            "pages": pages_of(total, ROWS_PER_PAGE),
            "curve_execution_id": cases.typical_curve(session, found, typical),
        }
    return page(request, "executions/case.html", view)
