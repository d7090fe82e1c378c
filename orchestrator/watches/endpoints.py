"""``/api/v1/watches`` and ``/api/v1/regressions``."""

from typing import Annotated

from fastapi import Path, Query, Response, status

from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.results.measures import RankingMeasure
from orchestrator.runs.slots import PlanningSlotsDep
from orchestrator.service.dependencies import DatabaseDep, SettingsDep
from orchestrator.service.security.bodies import PLAN_LIMIT, body_limit
from orchestrator.service.security.dependencies import RunIdQuery, SubmitterDep, ViewerDep
from orchestrator.service.security.routing import api_router
from orchestrator.shared.values.parameters import ID_PATTERN
from orchestrator.shared.values.text import LABEL_PATTERN, SLUG_PATTERN
from orchestrator.statistics.comparisons.between_runs import CONFIRMATIONS
from orchestrator.watches import regressions, service
from orchestrator.watches.schemas import (
    Regressions,
    WatchChangeRequest,
    WatchCreated,
    WatchDetail,
    WatchRequest,
    WatchSummary,
)

router = api_router(tags=["watches"])

WatchId = Annotated[str, Path(pattern=SLUG_PATTERN, max_length=64, description="Id or name.", examples=["nightly"])]
Baseline = Annotated[
    str,
    Query(
        pattern=LABEL_PATTERN,
        description="A finished run, or a tag of finished runs.",
        examples=["main"],
    ),
]
Confirmations = Annotated[
    list[Annotated[str, Query(pattern=ID_PATTERN)]],
    Query(max_length=CONFIRMATIONS, alias="confirmation", description="Finished runs of the confirmation plan."),
]


@router.post("/watches", status_code=status.HTTP_201_CREATED)
@body_limit(PLAN_LIMIT)
def add_watch(
    *,
    body: WatchRequest,
    response: Response,
    database: DatabaseDep,
    settings: SettingsDep,
    slots: PlanningSlotsDep,
    caller: SubmitterDep,
) -> WatchCreated:
    """Add a watch: a plan that is executed again and again, with a report of what changes. Email requires an admin."""
    with slots.taken():
        created = service.add_watch(database, settings, caller, body)
    response.headers["Location"] = f"/api/v1/watches/{created.id}"
    return created


@router.get("/watches")
def list_watches(database: DatabaseDep, _caller: ViewerDep) -> list[WatchSummary]:
    """List all watches by name."""
    return service.list_watches(database)


@router.get("/watches/{watch_id}")
def get_watch(watch_id: WatchId, database: DatabaseDep, cache: ReadingsCacheDep, _caller: ViewerDep) -> WatchDetail:
    """Get a watch with its latest looks, changes and reports, and what else changed with the latest changes."""
    return service.get_watch(database, cache, watch_id)


@router.patch("/watches/{watch_id}")
def change_watch(
    watch_id: WatchId,
    body: WatchChangeRequest,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    caller: SubmitterDep,
) -> WatchDetail:
    """Pause or resume a watch. A submitter changes its own watches, an admin any."""
    return service.change_watch(database, cache, caller, watch_id, body)


@router.delete("/watches/{watch_id}", status_code=status.HTTP_204_NO_CONTENT)
def remove_watch(watch_id: WatchId, database: DatabaseDep, caller: SubmitterDep) -> None:
    """Remove a watch with its looks and changes; its runs stay. A submitter removes its own watches, an admin any."""
    service.remove_watch(database, caller, watch_id)


@router.get("/regressions")
def get_regressions(
    *,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    _caller: ViewerDep,
    run: RunIdQuery,
    baseline: Baseline,
    confirmation: Confirmations = [],  # noqa: B006 - FastAPI copies it
    measure: Annotated[RankingMeasure | None, Query(description="Default: the first that the run has.")] = None,
    may_be_empty: Annotated[
        bool, Query(description="Return `undecided` in place of 404 for a tag that no other finished run has.")
    ] = False,
) -> Regressions:
    """Compare a run with a baseline, by the variation between runs; suspected cases need confirmations first."""
    return regressions.find_regressions(
        database,
        cache,
        run_id=run,
        baseline=baseline,
        confirmations=confirmation,
        measure=measure,
        may_be_empty=may_be_empty,
    )
