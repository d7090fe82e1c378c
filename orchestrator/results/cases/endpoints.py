"""``/api/v1/runs/{run_id}/cases`` and ``/api/v1/cases``."""

from typing import Annotated

from fastapi import Depends, Query

from orchestrator.results.cases import service
from orchestrator.results.cases.repository import CaseFilter
from orchestrator.results.cases.schemas import CaseDetail, CaseSummary, Protocol
from orchestrator.service.dependencies import CursorQuery, DatabaseDep, LimitQuery
from orchestrator.service.pagination import Page
from orchestrator.service.security.dependencies import RowId, RunId, ViewerDep
from orchestrator.service.security.routing import api_router
from orchestrator.shared.values.parameters import SearchText, WholeNumber
from orchestrator.wire.messages import MAX_SHARES, MIN_SHARES

router = api_router(tags=["results"])

Choice = Annotated[SearchText | None, Query(max_length=80)]


def case_filter(
    *,
    run_id: RunId,
    protocol: Protocol | None = None,
    agent_id: Choice = None,
    provider: Choice = None,
    algorithm: Choice = None,
    variant: Choice = None,
    toolchain: Annotated[SearchText | None, Query(max_length=200, description="Its label: `gcc 12 -O3`.")] = None,
    operation: Choice = None,
    kind: Choice = None,
    length_bytes: Annotated[WholeNumber | None, Query(ge=0, lt=2**63)] = None,
    shares: Annotated[WholeNumber | None, Query(ge=MIN_SHARES, le=MAX_SHARES)] = None,
    masking: Choice = None,
    generator: Choice = None,
) -> CaseFilter:
    """Return the filter of a request."""
    return CaseFilter(
        run_id, protocol, agent_id, provider, algorithm, variant, toolchain, operation, kind, length_bytes, shares,
        masking, generator,
    )  # fmt: skip


@router.get("/runs/{run_id}/cases")
def list_cases(
    cases: Annotated[CaseFilter, Depends(case_filter)],
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
    return service.get_case(database, case_id)
