"""Sessions of the dashboard: a one-time code or a token becomes a cookie that no script and no other site can use."""

import secrets
from datetime import timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session
from starlette.responses import Response

from orchestrator.database.models import APIToken, WebSession, now
from orchestrator.errors import Forbidden, Unauthorized
from orchestrator.security import tokens

COOKIE = "ciphermark_session"
CODE_LIFE = timedelta(minutes=15)
SESSION_LIFE = timedelta(hours=12)
_ROLES = ("viewer", "submitter", "admin")


def create_code(session: Session, role: tokens.Role = "admin", token_id: str | None = None) -> str:
    """Store and return a one-time code for ``/login?code=…``, valid for 15 minutes."""
    code = secrets.token_urlsafe(32)
    row = WebSession(code_sha256=tokens.digest(code), role=role, token_id=token_id, expires_at=now() + CODE_LIFE)
    session.add(row)
    session.flush()
    return code


def open_by_code(session: Session, code: str) -> str:
    """Trade a one-time code for a cookie's value; raise Unauthorized where it is unknown, used or too old."""
    cookie = secrets.token_urlsafe(32)
    at = now()
    opened = session.execute(
        update(WebSession)
        .where(WebSession.code_sha256 == tokens.digest(code), WebSession.expires_at > at)
        .values(code_sha256=None, cookie_sha256=tokens.digest(cookie), expires_at=at + SESSION_LIFE)
        .returning(WebSession.id)
    ).first()
    if opened is None:
        raise Unauthorized(
            "This login code is unknown, used already or older than 15 minutes.",
            remedy="Get a new address: ciphermark token login.",
            field="code",
        )
    return cookie


def open_by_token(session: Session, plain: str) -> str:
    """Trade a token for a cookie's value; raise Unauthorized or Forbidden where it opens no dashboard."""
    token = tokens.find(session, plain)
    if token is None:
        raise Unauthorized("This token is unknown, expired or revoked.", remedy="Use another one.", field="token")
    if token.role not in _ROLES:
        raise Forbidden(f"A token of role {token.role} opens no dashboard.", remedy=f"Use one of {', '.join(_ROLES)}.")
    cookie = secrets.token_urlsafe(32)
    row = WebSession(
        cookie_sha256=tokens.digest(cookie), role=token.role, token_id=token.id, expires_at=now() + SESSION_LIFE
    )
    session.add(row)
    session.flush()
    return cookie


def find(session: Session, cookie: str) -> WebSession | None:
    """Return the session of this cookie if it has not ended, by itself or with the token that opened it."""
    at = now()
    row = session.scalar(
        select(WebSession).where(WebSession.cookie_sha256 == tokens.digest(cookie), WebSession.expires_at > at)
    )
    if row is None or row.token_id is None:
        return row
    token = session.get(APIToken, row.token_id)
    return row if token is not None and tokens.is_valid(token, at) else None


def close(session: Session, cookie: str) -> None:
    """End the session of this cookie."""
    session.execute(
        update(WebSession).where(WebSession.cookie_sha256 == tokens.digest(cookie)).values(expires_at=now())
    )


def set_cookie(response: Response, value: str, secure: bool) -> None:
    """Give the browser the cookie: not for scripts, not for requests that another site starts."""
    response.set_cookie(
        COOKIE, value, max_age=int(SESSION_LIFE.total_seconds()), httponly=True, samesite="strict", secure=secure
    )
