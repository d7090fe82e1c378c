"""Operations on tokens and dashboard sessions."""

from datetime import datetime, timedelta

from orchestrator.database.engine import Database
from orchestrator.pagination import Page, decode_cursor, page_of
from orchestrator.security import repository, sessions, tokens
from orchestrator.security.guard import Caller
from orchestrator.security.schemas import LoginCode, TokenCreated, TokenRequest, TokenSummary
from orchestrator.settings import ServiceSettings


def create_token(database: Database, settings: ServiceSettings, request: TokenRequest) -> TokenCreated:
    """Create a token; the lifetime of a join token is limited by the setting token_seconds."""
    seconds = request.expires_in_seconds
    if request.role == "join":
        seconds = min(seconds or settings.token_seconds, settings.token_seconds)
    expires_in = timedelta(seconds=seconds) if seconds else None
    with database.write() as session:
        token, plain = tokens.create(session, request.role, request.label, expires_in=expires_in)
    shown = TokenSummary.model_validate(token, from_attributes=True)
    return TokenCreated(**shown.model_dump(), token=plain)


def list_tokens(database: Database, cursor: str | None, limit: int) -> Page[TokenSummary]:
    """Return one page of tokens, newest first."""
    key = decode_cursor(cursor, (str, str))
    after = (datetime.fromisoformat(str(key[0])), str(key[1])) if key else None
    with database.read() as session:
        rows = repository.list_tokens(session, after, limit)
    return page_of(
        rows,
        limit,
        key=lambda token: (token.created_at.isoformat(), token.id),
        show=lambda token: TokenSummary.model_validate(token, from_attributes=True),
    )


def revoke_token(database: Database, token_id: str) -> None:
    """Revoke a token and the sessions that it opened; raises NotFound."""
    with database.write() as session:
        tokens.revoke(session, token_id)


def create_login_code(database: Database, caller: Caller) -> LoginCode:
    """Create a one-time code that opens the dashboard with the caller's role."""
    role: tokens.Role = "admin" if caller.may("admin") else "submitter" if caller.may("submitter") else "viewer"
    with database.write() as session:
        code = sessions.create_code(session, role, caller.token_id)
    return LoginCode(code=code, path=f"/login?code={code}")


def login_by_token(database: Database, plain: str) -> str:
    """Open a session with a token and return the value of its cookie."""
    with database.write() as session:
        return sessions.open_by_token(session, plain)


def logout(database: Database, cookie: str) -> None:
    """End the session of a cookie."""
    with database.write() as session:
        sessions.close(session, cookie)
