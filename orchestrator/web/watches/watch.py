"""A watch: its looks, the reported changes with their intervals, and the histories of its cases."""

from fastapi import Request, Response

from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.watches import service as watches
from orchestrator.watches.endpoints import WatchId
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router

router = page_router()


@router.get("/watches/{watch_id}")
def watch(request: Request, database: DatabaseDep, cache: ReadingsCacheDep, watch_id: WatchId) -> Response:
    """Show a watch."""
    return page(request, "watches/watch.html", {"watch": watches.get_watch(database, cache, watch_id)})
