"""The list of watches."""

from fastapi import Request, Response

from orchestrator.service.dependencies import DatabaseDep
from orchestrator.watches import service as watches
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router

router = page_router()


@router.get("/watches")
def watch_list(request: Request, database: DatabaseDep) -> Response:
    """Show all watches with their last looks."""
    return page(request, "watches/watches.html", {"watches": watches.list_watches(database)})
