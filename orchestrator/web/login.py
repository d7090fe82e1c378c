"""Logging in and out of the dashboard: a one-time code or a token becomes a session cookie."""

from urllib.parse import parse_qs

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from orchestrator.database.engine import Database
from orchestrator.dependencies import DatabaseDep
from orchestrator.errors import Forbidden, Unauthorized
from orchestrator.security import sessions
from orchestrator.web.rendering import HEADERS, PageRoute, html

router = APIRouter(include_in_schema=False, route_class=PageRoute)

SEE_OTHER = 303


@router.get("/login")
def show_login(request: Request, database: DatabaseDep, code: str = "") -> Response:
    """Show the form; a one-time code in the address logs in without it."""
    if not code:
        return html(request, "shared/login.html", refusal="")
    try:
        with database.write() as session:
            cookie = sessions.open_by_code(session, code)
    except Unauthorized as error:
        return html(request, "shared/login.html", error.status, refusal=str(error))
    return _logged_in(request, cookie)


@router.post("/login")
async def log_in(request: Request, database: DatabaseDep) -> Response:
    """Open a session with the form's token."""
    form = await request.body()
    return await run_in_threadpool(_opened, request, database, form)


def _opened(request: Request, database: Database, form: bytes) -> Response:
    token = parse_qs(form.decode("ascii", "replace")).get("token", [""])[0].strip()
    try:
        with database.write() as session:
            cookie = sessions.open_by_token(session, token)
    except (Unauthorized, Forbidden) as error:
        return html(request, "shared/login.html", error.status, refusal=str(error))
    return _logged_in(request, cookie)


@router.post("/logout")
def log_out(request: Request, database: DatabaseDep) -> Response:
    """End the session."""
    cookie = request.cookies.get(sessions.COOKIE)
    if cookie:
        with database.write() as session:
            sessions.close(session, cookie)
    response = RedirectResponse("/", SEE_OTHER, headers=HEADERS)
    response.delete_cookie(sessions.COOKIE)
    return response


def _logged_in(request: Request, cookie: str) -> Response:
    response = RedirectResponse("/", SEE_OTHER, headers=HEADERS)
    sessions.set_cookie(response, cookie, secure=request.url.scheme == "https")
    return response
