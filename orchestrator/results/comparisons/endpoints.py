"""``/api/v1/comparisons``: two or more runs, or parts of runs, case by case."""

from typing import Annotated

from fastapi import Query

from orchestrator.results.comparisons import imported
from orchestrator.results.comparisons.choices import service as choices
from orchestrator.results.comparisons.choices.schemas import RunSides
from orchestrator.results.comparisons.schemas import MAX_SIDES, MIN_SIDES, RunComparison
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.results.measures import RankingMeasure
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import ViewerDep
from orchestrator.service.security.routing import api_router
from orchestrator.shared.values.parameters import SearchText, WholeNumber

router = api_router(tags=["results"])

Side = Annotated[SearchText, Query(max_length=300)]
SidesQuery = Annotated[
    list[Side],
    Query(
        min_length=MIN_SIDES,
        max_length=MAX_SIDES,
        alias="run",
        description="A run, or a part of it: `RUN,agent=NAME,toolchain=gcc -O3`. Others are compared with the first. "
        "Also a series of an import, `import:ID/SERIES`, which has no verdict.",
    ),
]


@router.get("/comparisons")
def get_comparison(
    *,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    _caller: ViewerDep,
    run: SidesQuery,
    measure: Annotated[RankingMeasure | None, Query(description="Default: the first that all runs have.")] = None,
    rows: Annotated[WholeNumber, Query(ge=1, le=5000, description="Maximum of cases for each side.")] = 500,
) -> RunComparison:
    """Compare the cases that runs have in common: ratios with intervals and ties, and what changed between the runs."""
    imported.catch_up_sides(database, run)
    with database.read() as session:
        return imported.compare(session, cache, run, measure, rows)


@router.get("/comparisons/sides")
def get_sides(
    database: DatabaseDep,
    _caller: ViewerDep,
    run: Annotated[SearchText, Query(max_length=300, description="A run, or a part of it: `RUN,agent=NAME`.")],
) -> RunSides:
    """List the parts of a run that can be compared, with the number of their cases, and suggested comparisons."""
    return choices.get_sides(database, run)
