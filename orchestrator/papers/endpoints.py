"""``/api/v1/papers``: published benchmarks, their plans, and verdicts on their claims."""

from typing import Annotated, Literal

from fastapi import Path, Query
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from orchestrator.dependencies import DatabaseDep
from orchestrator.papers import service
from orchestrator.papers.bundle.making import bundle_file
from orchestrator.papers.paper import Scale
from orchestrator.papers.schemas import PaperDetail, PaperSummary, PaperVerdicts
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.security.dependencies import RunIdQuery, ViewerDep
from orchestrator.security.routing import api_router

router = api_router(tags=["papers"])

PaperName = Annotated[str, Path(pattern=r"^[a-z0-9-]{1,40}$", examples=["evalme-2021"])]


@router.get("/papers")
def list_papers(_caller: ViewerDep) -> list[PaperSummary]:
    """List the published benchmarks that can be repeated."""
    return service.list_papers()


@router.get("/papers/{name}")
def get_paper(
    name: PaperName,
    _caller: ViewerDep,
    scale: Annotated[Scale, Query(description="quick decides the coarse claims within minutes.")] = "full",
) -> PaperDetail:
    """Get a paper: its claims, published figures, findings, and its plan at a scale."""
    return service.get_paper(name, scale)


@router.get("/papers/{name}/verdicts")
def get_verdicts(
    *,
    name: PaperName,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    _caller: ViewerDep,
    run: RunIdQuery,
    disturbed: Annotated[
        Literal["include", "exclude"], Query(description="Whether disturbed executions count.")
    ] = "include",
) -> PaperVerdicts:
    """Get the verdict of a run on every claim of a paper, and the published figures next to the measured ones."""
    return service.get_verdicts(database, cache, name, run, with_disturbed=disturbed == "include")


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
