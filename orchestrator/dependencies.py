"""What endpoints ask for by annotation: the database and the settings of this service."""

from typing import Annotated, cast

from fastapi import Depends, Request

from orchestrator.database.engine import Database
from orchestrator.settings import ServiceSettings


def _database(request: Request) -> Database:
    return cast(Database, request.app.state.database)


def _settings(request: Request) -> ServiceSettings:
    return cast(ServiceSettings, request.app.state.settings)


DatabaseDep = Annotated[Database, Depends(_database)]
SettingsDep = Annotated[ServiceSettings, Depends(_settings)]
