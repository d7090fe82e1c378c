"""``/api/v1/papers``: published benchmarks, their plans, and verdicts on their claims."""

from typing import Annotated

from fastapi import Path, Query
from fastapi.responses import FileResponse
from pydantic import StringConstraints
from starlette.background import BackgroundTask

from orchestrator.papers import service
from orchestrator.papers.bundle.making import bundle_file
from orchestrator.papers.names import Scale
from orchestrator.papers.reporting.columns import side_by_side
from orchestrator.papers.reporting.schemas import PaperDrawings, SideBySide
from orchestrator.papers.schemas import PaperDetail, PaperSummary, PaperVerdicts
from orchestrator.results.answers.decision.question import DisturbedQuery
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import RunIdQuery, ViewerDep
from orchestrator.service.security.routing import api_router
from orchestrator.shared.values.parameters import ID_PATTERN
from orchestrator.shared.values.text import worded

router = api_router(tags=["papers"])

_NAME = worded(r"^[a-z0-9-]{1,40}$", "1 to 40 lower-case letters, digits and hyphens")
_FURTHER = worded(r"^[a-z0-9-]{0,60}$", "the name of a plan: lower-case letters, digits and hyphens")
PaperName = Annotated[str, Path(pattern=_NAME, examples=["evalme-2021"])]

MAX_RUNS = 4
"""Runs next to each other; each can have several agents."""
RunIdText = Annotated[str, StringConstraints(pattern=ID_PATTERN)]
RunIdsQuery = Annotated[
    list[RunIdText],
    Query(min_length=1, max_length=MAX_RUNS, alias="run", description="Ids of one to four runs."),
]


@router.get("/papers")
def list_papers(_caller: ViewerDep) -> list[PaperSummary]:
    """List the published benchmarks that can be repeated."""
    return service.list_papers()


@router.get("/papers/{name}")
def get_paper(
    name: PaperName,
    _caller: ViewerDep,
    scale: Annotated[Scale, Query(description="quick decides the coarse claims within minutes.")] = "full",
    plan: Annotated[
        str, Query(pattern=_FURTHER, description="Name of a further plan in place of the paper's own.")
    ] = "",
) -> PaperDetail:
    """Get a paper: its claims, published figures, findings, and its plan at a scale or a further plan."""
    return service.get_paper(name, scale, plan)


@router.get("/papers/{name}/verdicts")
def get_verdicts(
    *,
    name: PaperName,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    _caller: ViewerDep,
    run: RunIdQuery,
    disturbed: DisturbedQuery = "include",
) -> PaperVerdicts:
    """Get the verdict of a run on every claim of a paper, and the published figures next to the measured ones."""
    return service.get_verdicts(database, cache, name, run, with_disturbed=disturbed == "include")


@router.get("/papers/{name}/side-by-side")
def get_side_by_side(
    *,
    name: PaperName,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    _caller: ViewerDep,
    run: RunIdsQuery,
) -> SideBySide:
    """Get the devices of one to four runs next to the published figures: values, intervals, ratios and verdicts."""
    return side_by_side(service.get_verdicts_of(database, cache, name, run))


@router.get("/papers/{name}/drawings")
def get_drawings(
    *,
    name: PaperName,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    _caller: ViewerDep,
    run: Annotated[list[RunIdText] | None, Query(max_length=MAX_RUNS, description="Ids of up to four runs.")] = None,
) -> PaperDrawings:
    """Get the figures and tables of a paper in its own axes, next to what each device of up to four runs measured."""
    found = service.get_verdicts_of(database, cache, name, run or [])
    return service.get_drawings(database, cache, name, found)


@router.get("/papers/{name}/bundle", response_class=FileResponse)
def get_bundle(
    *,
    name: PaperName,
    database: DatabaseDep,
    _caller: ViewerDep,
    run: RunIdQuery,
) -> FileResponse:
    """Download a run with the verdicts of a paper as one archive, which `ciphermark papers verify` checks."""
    file = bundle_file(database, name, run)
    delete = BackgroundTask(file.unlink, missing_ok=True)
    return FileResponse(file, media_type="application/zip", filename=f"{name}-{run}.zip", background=delete)
