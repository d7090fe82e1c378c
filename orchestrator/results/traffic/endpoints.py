"""``/api/v1/runs/{run_id}/traffic``: the cost of a mixture of messages."""

from orchestrator.results.endpoints import ConstraintsDep, ReadingsCacheDep
from orchestrator.results.freshness.service import snapshot_of
from orchestrator.results.traffic import service
from orchestrator.results.traffic.schemas import Histogram, HistogramRequest, TrafficAnswer, TrafficRequest
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.bodies import BodyLimit, body_limit
from orchestrator.service.security.dependencies import RunId, ViewerDep
from orchestrator.service.security.routing import api_router
from orchestrator.shared.units import MIB

MAX_FILE_BYTES = 8 * MIB
"""Size of a file of message lengths on the page: 400 000 packets as Wireshark lists them."""
_HISTOGRAM_LIMIT = BodyLimit(2 * MAX_FILE_BYTES, 10)
"""Limit of the file as a JSON string, with the escapes of its quotes and line ends."""

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
    with snapshot_of(database, run_id) as seen:
        compute = service.read_traffic(seen, cache, body, constraints)
    return compute()


@router.post("/histograms")
@body_limit(_HISTOGRAM_LIMIT)
def read_histogram(body: HistogramRequest, _caller: ViewerDep) -> Histogram:
    """Read the message lengths in a CSV file; nothing is stored. 422 names the line that is wrong."""
    return service.read_histogram(body.content)
