"""``/api/v1/runs/{run_id}/traffic``: the cost of a mixture of messages."""

from orchestrator.dependencies import DatabaseDep
from orchestrator.results.endpoints import ConstraintsDep, ReadingsCacheDep
from orchestrator.results.traffic import service
from orchestrator.results.traffic.schemas import TrafficAnswer, TrafficRequest
from orchestrator.security.dependencies import RunId, ViewerDep
from orchestrator.security.routing import api_router

router = api_router(tags=["results"])


@router.post("/runs/{run_id}/traffic")
def compute_traffic(
    *,
    run_id: RunId,
    body: TrafficRequest,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    constraints: ConstraintsDep,
    _caller: ViewerDep,
) -> TrafficAnswer:
    """Compute the cost of a traffic per candidate from measured lengths, and the nearest changes; nothing is stored.

    The time between two measured lengths is interpolated, with its error in the interval; outside them nothing is
    extrapolated.
    """
    return service.get_traffic(database, cache, run_id, body, constraints)
