"""The list of papers."""

from fastapi import Request, Response

from orchestrator.papers import service as papers
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router

router = page_router()


@router.get("/papers")
def paper_list(request: Request) -> Response:
    """Show the published benchmarks that can be repeated."""
    return page(request, "papers/papers.html", {"papers": papers.list_papers()})
