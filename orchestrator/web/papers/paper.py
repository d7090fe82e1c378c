"""One paper: its claims with the verdicts of a run, its figures next to the measured ones, and how to repeat it."""

from typing import Annotated

from fastapi import Query, Request, Response

from orchestrator.dependencies import DatabaseDep
from orchestrator.papers import service as papers
from orchestrator.papers.endpoints import PaperName
from orchestrator.papers.schemas import PaperVerdicts
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.runs import service as runs
from orchestrator.runs.schemas import RunSummary
from orchestrator.web.papers.reports import pdf
from orchestrator.web.papers.views import PaperPage, PaperRun
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router

RUNS_SHOWN = 20

router = page_router()


@router.get("/papers/{name}")
def paper(
    *,
    request: Request,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    name: PaperName,
    run: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    """Show a paper, with the verdicts of a run; by default of the newest run of its plan."""
    detail = papers.get_paper(name)
    found = runs.list_runs_named(database, papers.run_names(name), RUNS_SHOWN)
    run_id = run or next((one.id for one in found if one.ok), "")
    verdicts: PaperVerdicts | None = papers.get_verdicts(database, cache, name, run_id) if run_id else None
    view = PaperPage(paper=detail, runs=[_paper_run(one) for one in found], pdf=pdf.available(), found=verdicts)
    return page(request, "papers/paper.html", view)


def _paper_run(run: RunSummary) -> PaperRun:
    return PaperRun(
        id=run.id,
        name=run.name,
        state=run.state,
        submitted_at=run.submitted_at,
        agents=[agent.name for agent in run.agents],
    )
