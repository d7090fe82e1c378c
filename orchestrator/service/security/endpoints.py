"""/api/v1/tokens, /api/v1/sessions, /api/v1/login-codes."""

from fastapi import Request, Response, status

from orchestrator.service.dependencies import CursorQuery, DatabaseDep, LimitQuery
from orchestrator.service.pagination import Page
from orchestrator.service.security import service, sessions
from orchestrator.service.security.dependencies import AdminDep, SubmitterDep, TokenId, ViewerOrAgentDep
from orchestrator.service.security.guard import note_sender
from orchestrator.service.security.routing import api_router
from orchestrator.service.security.schemas import (
    LoginCode,
    LoginRequest,
    RotationRequest,
    TokenCreated,
    TokenRequest,
    TokenSummary,
)

router = api_router(tags=["tokens"])


@router.post("/tokens", status_code=status.HTTP_201_CREATED)
def create_token(body: TokenRequest, database: DatabaseDep, caller: AdminDep) -> TokenCreated:
    """Create a token. Only this response contains its text."""
    caller.require_token("create tokens", "ciphermark token create")
    return service.create_token(database, body)


@router.get("/tokens")
def list_tokens(
    database: DatabaseDep, _caller: AdminDep, cursor: CursorQuery = None, limit: LimitQuery = 100
) -> Page[TokenSummary]:
    """List all tokens without their texts, newest first."""
    return service.list_tokens(database, cursor, limit)


@router.post("/tokens/{token_id}/rotate", status_code=status.HTTP_201_CREATED)
def rotate_token(
    token_id: TokenId, body: RotationRequest, database: DatabaseDep, caller: ViewerOrAgentDep
) -> TokenCreated:
    """Replace a token by a new one with the same rights. Only this response contains its text.

    `self` is the token of the request, which every role may rotate; others require the role admin.
    """
    caller.require_token("rotate tokens", "ciphermark token rotate")
    return service.rotate_token(database, caller, token_id, body)


@router.delete("/tokens/{token_id}", status_code=status.HTTP_204_NO_CONTENT)
def revoke_token(token_id: TokenId, database: DatabaseDep, _caller: AdminDep) -> None:
    """Revoke a token with all that rotations made of it, and end every session that one of them opened."""
    service.revoke_token(database, token_id)


@router.post("/login-codes", status_code=status.HTTP_201_CREATED)
def create_login_code(database: DatabaseDep, caller: SubmitterDep) -> LoginCode:
    """Create a one-time path that opens the dashboard with the caller's role."""
    caller.require_token("create login codes", "ciphermark token login")
    return service.create_login_code(database, caller)


@router.post("/sessions", status_code=status.HTTP_204_NO_CONTENT)
def login(body: LoginRequest, request: Request, response: Response, database: DatabaseDep) -> None:
    """Exchange a token for the dashboard's session cookie."""
    cookie, sender = service.login_by_token(database, body.token)
    note_sender(request, sender)
    sessions.set_cookie(response, cookie, secure=request.url.scheme == "https")


@router.delete("/sessions", status_code=status.HTTP_204_NO_CONTENT)
def logout(request: Request, response: Response, database: DatabaseDep) -> None:
    """End the session of this request's cookie."""
    cookie = request.cookies.get(sessions.COOKIE)
    if cookie:
        note_sender(request, service.logout(database, cookie))
    response.delete_cookie(sessions.COOKIE)
