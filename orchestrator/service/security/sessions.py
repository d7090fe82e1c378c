"""Sessions of the dashboard: a one-time code or a token is exchanged for a cookie.

No script can read the cookie, and the browser does not send it with requests that another site starts.
"""

import secrets
from datetime import timedelta

from sqlalchemy.orm import Session
from starlette.responses import Response

from orchestrator.database.models import APIToken, WebSession, now
from orchestrator.database.rows import stored
from orchestrator.service.security import repository, tokens
from orchestrator.service.security.callers import Caller
from orchestrator.service.security.schemas import Role
from orchestrator.shared.errors import Forbidden, Unauthorized

COOKIE = "ciphermark_session"
CODE_LIFE = timedelta(minutes=15)
SESSION_LIFE = timedelta(hours=12)
_ROLES = ("viewer", "submitter", "admin")
_RANDOM_BYTES = 32


def create_code(session: Session, role: Role = "admin", token_id: str | None = None) -> str:
    """Store and return a one-time code for ``/login?code=…``, valid for 15 minutes."""
    code = secrets.token_urlsafe(_RANDOM_BYTES)
    row = WebSession(code_sha256=tokens.digest(code), role=role, token_id=token_id, expires_at=now() + CODE_LIFE)
    stored(session, row)
    return code


def open_by_code(session: Session, code: str) -> str:
    """Exchange a one-time code for a cookie's value; raise Unauthorized if it is unknown, used or expired."""
    cookie = secrets.token_urlsafe(_RANDOM_BYTES)
    at = now()
    if not repository.exchange_code(
        session, tokens.digest(code), tokens.digest(cookie), at=at, expires_at=at + SESSION_LIFE
    ):
        raise Unauthorized(
            "This login code is unknown, already used or older than 15 minutes.",
            remedy="Create a new one: ciphermark token login.",
            field="code",
        )
    return cookie


def open_by_token(session: Session, plain: str) -> str:
    """Exchange a token for a cookie's value; raise Unauthorized or Forbidden if it cannot open the dashboard."""
    token = tokens.find(session, plain)
    if token is None:
        raise Unauthorized(
            "This token is unknown, expired or revoked.",
            remedy="Create a new one: ciphermark token create.",
            field="token",
        )
    if token.role not in _ROLES:
        raise Forbidden(
            f"A token with the role {token.role} cannot open the dashboard.",
            remedy=f"Use a token with one of the roles {', '.join(_ROLES)}.",
        )
    cookie = secrets.token_urlsafe(_RANDOM_BYTES)
    row = WebSession(
        cookie_sha256=tokens.digest(cookie), role=token.role, token_id=token.id, expires_at=now() + SESSION_LIFE
    )
    stored(session, row)
    return cookie


def find(session: Session, cookie: str) -> Caller | None:
    """Return who sends this cookie, unless its session, or the token that opened it, has ended."""
    at = now()
    row = repository.find_session(session, tokens.digest(cookie), at)
    if row is None:
        return None
    token = None if row.token_id is None else session.get(APIToken, row.token_id)
    if row.token_id is not None and (token is None or not tokens.is_valid(token, at)):
        return None
    return Caller(
        role=row.role,
        label="dashboard",
        token_id=row.token_id,
        family_id=token.family_id if token else None,
        cookie_sha256=row.cookie_sha256,
    )


def close(session: Session, cookie: str) -> None:
    """End the session of this cookie."""
    repository.expire_session(session, tokens.digest(cookie), now())


def set_cookie(response: Response, value: str, secure: bool) -> None:
    """Set the session's cookie on a response; secure: the browser sends it over HTTPS only."""
    response.set_cookie(
        COOKIE, value, max_age=int(SESSION_LIFE.total_seconds()), httponly=True, samesite="strict", secure=secure
    )
