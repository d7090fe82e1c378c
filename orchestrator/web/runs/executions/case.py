"""The page of one case with its executions."""

from fastapi import Request, Response

from orchestrator.results import service as results
from orchestrator.results.cases import service as cases
from orchestrator.runs import service as runs
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import RowId
from orchestrator.web.rendering import page
from orchestrator.web.routing import PageNumber, page_router, pages_of

ROWS_PER_PAGE = 50

router = page_router()


@router.get("/cases/{case_id}")
def case(request: Request, database: DatabaseDep, case_id: RowId, number: PageNumber = 1) -> Response:
    """Show one case with its executions."""
    found = cases.get_case(database, case_id)
    executions, total = results.list_executions_of_case(database, case_id, (number - 1) * ROWS_PER_PAGE, ROWS_PER_PAGE)
    view = {
        "run_name": runs.get_run_name(database, found.run_id),
        "case": found,
        "typical": cases.typical_calls(database, [case_id]).get(case_id) if found.protocol == "latency" else None,
        "executions": executions,
        "outliers": cases.outlier_ids(database, case_id),
        "page": number,
        "pages": pages_of(total, ROWS_PER_PAGE),
        "curve_execution_id": cases.typical_curve(database, found),
    }
    return page(request, "executions/case.html", view)
