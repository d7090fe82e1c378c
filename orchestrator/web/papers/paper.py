"""The list of papers, and one: its claims with verdicts, its figures next to measured ones, and how to repeat it."""

from typing import Annotated

from fastapi import Query, Request, Response
from pydantic import StringConstraints

from orchestrator.papers import service as papers
from orchestrator.papers.endpoints import MAX_RUNS, PaperName
from orchestrator.papers.reporting.columns import side_by_side
from orchestrator.papers.reporting.drawn import shared_scale
from orchestrator.papers.reporting.explanation import noise, warnings
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.runs import service as runs
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.shared.exporters import arrow
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router

RUNS_SHOWN = 20
RunChoice = Annotated[str, StringConstraints(max_length=40)]

router = page_router()


@router.get("/papers")
def paper_list(request: Request) -> Response:
    """Show the published benchmarks that can be repeated."""
    return page(request, "papers/papers.html", {"papers": papers.list_papers()})


@router.get("/papers/{name}")
def paper(
    *,
    request: Request,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    name: PaperName,
    run: Annotated[list[RunChoice] | None, Query(max_length=MAX_RUNS)] = None,
) -> Response:
    """Show a paper, with the verdicts of one to four runs; by default of the newest run of its plan."""
    detail = papers.get_paper(name)
    with database.read() as session:
        listed = runs.list_runs_named(session, papers.run_names(name), RUNS_SHOWN)
    chosen = [one for one in run or () if one] or [one.id for one in listed if one.ok][:1]
    found = papers.get_verdicts_of(database, cache, name, chosen)
    drawings = papers.get_drawings(database, cache, name, found)
    view = {
        "paper": detail,
        "runs": listed,
        "found": found,
        "side_by_side": side_by_side(found) if found else None,
        "drawings": drawings,
        "warnings": warnings(found),
        "noise": noise(found),
    }
    same_scales = {one.name: shared_scale(drawings, one) for one in drawings.drawings if one.kind != "table"}
    return page(request, "papers/paper.html", view, parquet=arrow.available(), same_scales=same_scales)
