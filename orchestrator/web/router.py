"""The dashboard, mounted at ``/``: the login, and every module with a router in the folders below."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI

from orchestrator.web import (
    agents,
    charts,
    imports,
    login,
    papers,
    plans,
    reference,
    rendering,
    runs,
    static_files,
    watches,
)
from orchestrator.web.routing import routers_in


@asynccontextmanager
async def _lifespan(_app: FastAPI) -> AsyncIterator[None]:
    """Compile the templates while the service starts, so that the first page does not wait for it."""
    compiling = asyncio.create_task(asyncio.to_thread(rendering.compile_templates))
    yield
    await compiling


router = APIRouter(lifespan=_lifespan)
router.include_router(static_files.router)
router.include_router(login.router)
for _area in (runs, plans, agents, papers, imports, watches, charts, reference):
    for _found in routers_in(_area):
        router.include_router(_found)
