"""``/api/v1/runs/{run_id}/cases`` and ``/api/v1/cases``."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends

from orchestrator.results.cases import service
from orchestrator.results.cases.repository import CaseFilter
from orchestrator.results.cases.schemas import CaseDetail, CaseSummary
from orchestrator.service.dependencies import CursorQuery, DatabaseDep, LimitQuery
from orchestrator.service.pagination import Page
from orchestrator.service.security.dependencies import RowId, RunId, ViewerDep
from orchestrator.service.security.routing import api_router

router = api_router(tags=["results"])


@dataclass(frozen=True)
class CaseQuery(CaseFilter):
    """Filter of the cases of the run of an address."""

    run_id: RunId


@router.get("/runs/{run_id}/cases")
def list_cases(
    cases: Annotated[CaseQuery, Depends()],
    database: DatabaseDep,
    _caller: ViewerDep,
    cursor: CursorQuery = None,
    limit: LimitQuery = 100,
) -> Page[CaseSummary]:
    """List the cases of a run with their statistics; units are in the names."""
    return service.list_cases(database, cases, cursor, limit)


@router.get("/cases/{case_id}")
def get_case(case_id: RowId, database: DatabaseDep, _caller: ViewerDep) -> CaseDetail:
    """Show a case with its statistics and its build."""
    service.catch_up_case(database, case_id)
    with database.read() as session:
        return service.get_case(session, case_id)
