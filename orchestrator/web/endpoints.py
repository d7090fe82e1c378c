"""Everything that the dashboard answers, mounted at ``/``."""

from fastapi import APIRouter

from orchestrator.web import figures, login, pages

router = APIRouter()
for _part in (pages.open_router, login.router, pages.router, figures.router):
    router.include_router(_part)
