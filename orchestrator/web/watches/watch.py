"""The list of watches, and a watch: its looks, the reported changes with intervals, the histories of its cases."""

from fastapi import Request, Response

from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.watches import service as watches
from orchestrator.watches.endpoints import WatchId
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router

router = page_router()


@router.get("/watches")
def watch_list(request: Request, database: DatabaseDep) -> Response:
    """Show all watches with their last looks."""
    return page(request, "watches/watches.html", {"watches": watches.list_watches(database)})


@router.get("/watches/{watch_id}")
def watch(request: Request, database: DatabaseDep, cache: ReadingsCacheDep, watch_id: WatchId) -> Response:
    """Show a watch."""
    return page(request, "watches/watch.html", {"watch": watches.get_watch(database, cache, watch_id)})
