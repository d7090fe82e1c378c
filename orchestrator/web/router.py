"""The dashboard, mounted at ``/``: the login, and every module with a router in the folders below."""

from fastapi import APIRouter

from orchestrator.web import (
    agents,
    audit,
    charts,
    imports,
    licenses,
    login,
    papers,
    plans,
    runs,
    saving,
    static_files,
    watches,
)
from orchestrator.web.routing import routers_in

router = APIRouter()
router.include_router(static_files.router)
router.include_router(login.router)
for _area in (runs, plans, agents, audit, papers, imports, watches, charts, licenses, saving):
    for _found in routers_in(_area):
        router.include_router(_found)
