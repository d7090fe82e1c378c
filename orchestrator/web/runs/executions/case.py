"""The page of one case with its executions."""

from fastapi import Request, Response

from orchestrator.database.engine import Database
from orchestrator.results import service as results
from orchestrator.results.cases import service as cases
from orchestrator.results.schemas import ExecutionSummary
from orchestrator.runs import service as runs
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import RowId
from orchestrator.web.rendering import page
from orchestrator.web.routing import PageNumber, page_router
from orchestrator.web.runs.executions.tables import ROWS_PER_PAGE, case_row, pages_of
from orchestrator.web.runs.executions.views import CasePage, ExecutionRow

router = page_router()


@router.get("/cases/{case_id}")
def case(request: Request, database: DatabaseDep, case_id: RowId, number: PageNumber = 1) -> Response:
    """Show one case with its executions."""
    return page(request, "executions/case.html", case_page(database, case_id, number))


def case_page(database: Database, case_id: int, number: int) -> CasePage:
    """Return one case with one page of its executions; raises NotFound."""
    found = cases.get_case(database, case_id)
    executions, total = results.list_executions_of_case(database, case_id, (number - 1) * ROWS_PER_PAGE, ROWS_PER_PAGE)
    outliers = cases.outlier_ids(database, case_id)
    return CasePage(
        run_id=found.run_id,
        run_name=runs.get_run_name(database, found.run_id),
        case=case_row(database, found),
        executions=[_row(execution, execution.id in outliers) for execution in executions],
        page=number,
        pages=pages_of(total),
        curve_execution_id=cases.typical_curve(database, found),
    )


def _row(execution: ExecutionSummary, outlier: bool) -> ExecutionRow:
    names = [name for name in ExecutionRow.model_fields if name != "outlier"]
    return ExecutionRow(**{name: getattr(execution, name) for name in names}, outlier=outlier)
