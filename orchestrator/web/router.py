"""Everything that the dashboard answers, mounted at ``/``."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI

from orchestrator.web import figures, login, pages, rendering


@asynccontextmanager
async def _lifespan(_app: FastAPI) -> AsyncIterator[None]:
    """Compile the templates beside the start, so that neither the start nor the first visitor waits for it."""
    compiling = asyncio.create_task(asyncio.to_thread(rendering.compile_templates))
    yield
    await compiling


router = APIRouter(lifespan=_lifespan)
for _part in (pages.open_router, login.router, pages.router, figures.router):
    router.include_router(_part)
