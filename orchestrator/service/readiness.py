"""``/api/v1/health`` (the process responds) and ``/api/v1/readiness`` (all parts of the system work)."""

from collections.abc import Callable
from datetime import timedelta

from fastapi import Request, Response, status
from sqlalchemy.exc import SQLAlchemyError

from orchestrator.compilation.reference.own_runners import OwnRunners
from orchestrator.compilation.reference.third_party import supports
from orchestrator.database.engine import Database
from orchestrator.database.models import now
from orchestrator.database.revision import expected_revision, present_revision
from orchestrator.database.ticks import last_tick, note_tick
from orchestrator.queue.addresses import BrokerAddress
from orchestrator.service.dependencies import DatabaseDep, SettingsDep
from orchestrator.service.schemas import Health, Part, Readiness
from orchestrator.service.security.dependencies import ViewerDep
from orchestrator.service.security.routing import api_router
from orchestrator.service.server.admission import never_refused
from orchestrator.shared.errors import CiphermarkError
from orchestrator.shared.free_space import MAKE_ROOM, shortage
from orchestrator.shared.settings import ServiceSettings

router = api_router(tags=["health"])

REDIS_TIMEOUT_SECONDS = 1.0
MAX_SILENCE = timedelta(seconds=10)
"""Time without a tick, of which there is one every 4 s at least, after which the scheduler counts as not running."""
MIN_DATABASE_MIB = 1
"""Free space below which SQLite counts as not writable."""


@router.get("/health")
@never_refused
async def health(request: Request) -> Health:
    """Return that this process responds, and whether it takes new work. Requires no token."""
    database: Database = request.app.state.database
    settings: ServiceSettings = request.app.state.settings
    found = Health()
    if shortage(settings.data_folder, settings.min_free_mib) is not None:
        found.warnings.append("disk nearly full")
    if database.integrity.damage() is not None:
        found.warnings.append("database damaged")
    return found


@router.get(
    "/readiness",
    responses={503: {"model": Readiness, "description": "At least one part does not work; the response names it."}},
)
def readiness(response: Response, database: DatabaseDep, settings: SettingsDep, _caller: ViewerDep) -> Readiness:
    """Return which parts of the system work: status 200 if all do, else 503."""
    parts = [
        _of_database("database", lambda: _writable(database, settings)),
        _disk(settings),
        _of_database("schema", lambda: _schema(database)),
        _redis(settings),
        _of_database("scheduler", lambda: _scheduler(database)),
        _reference(settings),
    ]
    ready = all(part.ready for part in parts)
    response.status_code = status.HTTP_200_OK if ready else status.HTTP_503_SERVICE_UNAVAILABLE
    return Readiness(ready=ready, parts=parts)


def _of_database(name: str, examine: Callable[[], Part]) -> Part:
    """Return what the database shows of a part, or that it could not be used."""
    try:
        return examine()
    except (SQLAlchemyError, CiphermarkError) as error:
        return Part(name=name, ready=False, detail=str(error).splitlines()[0])


def _writable(database: Database, settings: ServiceSettings) -> Part:
    # A real write: the lock alone is granted on a full disk too.
    with database.write() as session:
        note_tick(session, now(), "readiness")
    # On a full disk, a write succeeds as long as SQLite reuses the pages of its log.
    lack = shortage(settings.data_folder, MIN_DATABASE_MIB) if database.url.startswith("sqlite") else None
    if lack is not None:
        return Part(name="database", ready=False, detail=f"{lack} {MAKE_ROOM}")
    return Part(name="database", ready=True, detail="writable")


def _disk(settings: ServiceSettings) -> Part:
    lack = shortage(settings.data_folder, settings.min_free_mib)
    enough = f"at least {settings.min_free_mib} MiB free"
    return Part(name="disk", ready=lack is None, detail=f"{lack} {MAKE_ROOM}" if lack else enough)


def _schema(database: Database) -> Part:
    present, expected = present_revision(database), expected_revision()
    return Part(name="schema", ready=present == expected, detail=f"revision {present}, expected {expected}")


def _redis(settings: ServiceSettings) -> Part:
    import redis  # noqa: PLC0415 - the service needs it for nothing else than this and Redis users, and it takes 9 MiB

    address = BrokerAddress.parse(settings.redis_url.get_secret_value())
    client = address.client(REDIS_TIMEOUT_SECONDS)
    try:
        client.ping()
    except redis.ResponseError as error:
        return Part(name="redis", ready=False, detail=f"refuses PING: {error}")
    except redis.RedisError as error:
        return Part(name="redis", ready=False, detail=f"{type(error).__name__}: no response to PING")
    finally:
        client.close()
    return Part(name="redis", ready=True, detail="responds to PING")


def _scheduler(database: Database) -> Part:
    with database.read() as session:
        ticked_at = last_tick(session)
    if ticked_at is None:
        return Part(name="scheduler", ready=False, detail="never ticked")
    age = now() - ticked_at
    return Part(name="scheduler", ready=age < MAX_SILENCE, detail=f"last tick {age.total_seconds():.1f} s ago")


def _reference(settings: ServiceSettings) -> Part:
    """Return which outputs the service confirms itself; without own runners it works, and agents confirm more."""
    runners = OwnRunners.find(settings.cache_folder, unchanged=False)
    needed = [one for one in runners.implementations if not supports(one.implementation.algorithm)]
    algorithms = {one.implementation.algorithm for one in needed}
    if algorithms:
        providers = ", ".join(sorted({one.provider for one in needed}))
        detail = f"own runners compute {len(algorithms)} algorithms that Python cannot: {providers}"
    else:
        detail = (
            "no own runners for outputs that Python cannot compute, which are confirmed by agents only; "
            "build them on the machine of the service: ciphermark runners build"
        )
    return Part(name="reference", ready=True, detail=detail)
