"""Logging in and out of the dashboard: a one-time code or a token becomes a session cookie."""

from collections.abc import Mapping
from urllib.parse import parse_qs

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from orchestrator.database.engine import Database
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.problems import note_refusal
from orchestrator.service.security import service, sessions
from orchestrator.service.security.guard import note_sender
from orchestrator.shared.errors import Forbidden, Unauthorized
from orchestrator.web.rendering import HEADERS, PageRoute, html

router = APIRouter(include_in_schema=False, route_class=PageRoute)

SEE_OTHER = 303
_OTHER_SITES = ("cross-site", "same-site")
"""Values of Sec-Fetch-Site for an address that a page of another origin opened: it could replace a session."""


@router.get("/login")
def show_login(request: Request, database: DatabaseDep, code: str = "") -> Response:
    """Show the form; a one-time code in the address logs in without it, unless a page of another site opened it."""
    if not code or request.headers.get("sec-fetch-site") in _OTHER_SITES:
        return html(request, "shared/login.html", refusal="", code=code)
    return _opened(request, database, {"code": code})


@router.post("/login")
async def log_in(request: Request, database: DatabaseDep) -> Response:
    """Open a session with the form's token or code."""
    form = parse_qs((await request.body()).decode("ascii", "replace"))
    return await run_in_threadpool(_opened, request, database, {name: value[0] for name, value in form.items()})


def _opened(request: Request, database: Database, form: Mapping[str, str]) -> Response:
    try:
        with database.write() as session:
            code = form.get("code")
            cookie = (
                sessions.open_by_code(session, code)
                if code
                else sessions.open_by_token(session, form.get("token", "").strip())
            )
            note_sender(request, sessions.find(session, cookie))
    except (Unauthorized, Forbidden) as error:
        note_refusal(request.scope, error.detail)
        return html(request, "shared/login.html", error.status, refusal=str(error), code="")
    response = RedirectResponse("/", SEE_OTHER, headers=HEADERS)
    sessions.set_cookie(response, cookie, secure=request.url.scheme == "https")
    return response


@router.post("/logout")
def log_out(request: Request, database: DatabaseDep) -> Response:
    """End the session."""
    cookie = request.cookies.get(sessions.COOKIE)
    if cookie:
        note_sender(request, service.logout(database, cookie))
    response = RedirectResponse("/", SEE_OTHER, headers=HEADERS)
    response.delete_cookie(sessions.COOKIE)
    return response
