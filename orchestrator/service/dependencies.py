"""Dependencies of endpoints: the service's database and settings, and objects kept for the application's lifetime."""

from collections.abc import Callable
from typing import Annotated, TypeVar, cast

from fastapi import Depends, Query, Request

from orchestrator.database.engine import Database
from orchestrator.service.pagination import MAX_LIMIT
from orchestrator.shared.settings import ServiceSettings
from orchestrator.shared.values.parameters import WholeNumber

Kept = TypeVar("Kept")


def _database(request: Request) -> Database:
    return cast(Database, request.app.state.database)


def _settings(request: Request) -> ServiceSettings:
    return cast(ServiceSettings, request.app.state.settings)


DatabaseDep = Annotated[Database, Depends(_database)]
SettingsDep = Annotated[ServiceSettings, Depends(_settings)]

CursorQuery = Annotated[str | None, Query(max_length=400, description="`next_cursor` of the previous page.")]
LimitQuery = Annotated[WholeNumber, Query(ge=1, le=MAX_LIMIT, description="Maximum number of items in the page.")]


def kept_with_application(create: Callable[[Database, ServiceSettings], Kept]) -> Callable[..., Kept]:
    """Return a dependency that creates an object for the first request and returns the same one for later requests."""

    def _kept(request: Request, database: DatabaseDep, settings: SettingsDep) -> Kept:
        objects: dict[object, object] = request.app.state.kept_objects
        if create not in objects:
            # Endpoints run in several threads: the first object stored is the one that all of them use.
            objects.setdefault(create, create(database, settings))
        return cast(Kept, objects[create])

    return _kept
