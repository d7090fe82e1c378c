"""Tokens: ``cm_<role>_<random>``. The text is told once; the database keeps its SHA-256.

The text has 256 random bits, so a plain hash is enough, and looking the hash up takes no time that tells anything
about a token.
"""

import hashlib
import secrets
import string
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import APIToken, now
from orchestrator.errors import NotFound

Role = Literal["viewer", "submitter", "agent", "admin", "join"]

_ALPHABET = string.ascii_lowercase + string.digits
_USE_NOTED_EACH = timedelta(minutes=1)


def new_id() -> str:
    """Return a random id of 12 characters [a-z0-9]: of a run, an agent, a token."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(12))


def digest(secret: str) -> str:
    """Return the SHA-256 under which a secret is kept."""
    return hashlib.sha256(secret.encode()).hexdigest()


def create(
    session: Session, role: Role, label: str, agent_id: str | None = None, expires_in: timedelta | None = None
) -> tuple[APIToken, str]:
    """Store a new token; return its row and its text, which nobody can learn again."""
    plain = f"cm_{role}_{secrets.token_urlsafe(32)}"
    at = now()
    token = APIToken(
        id=new_id(),
        sha256=digest(plain),
        role=role,
        label=label,
        agent_id=agent_id,
        created_at=at,
        expires_at=at + expires_in if expires_in else None,
    )
    session.add(token)
    session.flush()
    return token, plain


def find(session: Session, plain: str) -> APIToken | None:
    """Return the token of this text if it is known, not revoked and not expired."""
    token = session.scalar(select(APIToken).where(APIToken.sha256 == digest(plain)))
    return token if token is not None and is_valid(token, now()) else None


def is_valid(token: APIToken, at: datetime) -> bool:
    """Tell whether a known token counts at this moment."""
    return token.revoked_at is None and (token.expires_at is None or at < token.expires_at)


def is_use_noted(token: APIToken, at: datetime) -> bool:
    """Tell whether the last use in the database is fresh enough: not every request shall be a write."""
    return token.used_at is not None and at - token.used_at < _USE_NOTED_EACH


def note_use(session: Session, token_id: str, at: datetime) -> None:
    """Write when the token was used."""
    session.execute(update(APIToken).where(APIToken.id == token_id).values(used_at=at))


def revoke(session: Session, token_id: str) -> None:
    """End a token, and with it every session of the dashboard that it opened; again is no error.

    Raises NotFound for an id that no token has.
    """
    token = session.get(APIToken, token_id)
    if token is None:
        raise NotFound(f"There is no token {token_id[:40]!r}.", remedy="List them: ciphermark token list.")
    if token.revoked_at is None:
        token.revoked_at = now()


def list_all(session: Session, after: tuple[datetime, str] | None, limit: int) -> list[APIToken]:
    """Return up to limit + 1 tokens, newest first."""
    query = select(APIToken).order_by(APIToken.created_at.desc(), APIToken.id).limit(limit + 1)
    if after:
        created_at, token_id = after
        query = query.where(
            (APIToken.created_at < created_at) | ((APIToken.created_at == created_at) & (APIToken.id > token_id))
        )
    return list(session.scalars(query))
