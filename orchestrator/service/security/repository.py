"""Queries over tokens, sessions of the dashboard and the agents that tokens belong to."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, APIToken, WebSession
from orchestrator.database.rows import changed
from orchestrator.service.keyset import Rows, rows_after
from orchestrator.shared.errors import NotFound


def find_token(session: Session, sha256: str) -> APIToken | None:
    """Return the token with this digest, whether it is valid or not."""
    return session.scalar(select(APIToken).where(APIToken.sha256 == sha256))


def find_used_join_token(session: Session, sha256: str, device_sha256: str, at: datetime) -> APIToken | None:
    """Return the join token that this device used, unless it has expired or its agent has sent a heartbeat."""
    return session.scalar(
        select(APIToken)
        .join(Agent, Agent.id == APIToken.agent_id)
        .where(
            APIToken.sha256 == sha256,
            APIToken.role == "join",
            APIToken.device_sha256 == device_sha256,
            or_(APIToken.expires_at.is_(None), APIToken.expires_at > at),
            Agent.last_heartbeat_at.is_(None),
            Agent.revoked_at.is_(None),
        )
    )


def get_token(session: Session, token_id: str) -> APIToken:
    """Return the token with this id, whether it is valid or not; raise NotFound if there is none."""
    token = session.get(APIToken, token_id)
    if token is None:
        raise NotFound(f"There is no token {token_id[:40]!r}.", remedy="List them: ciphermark token list.")
    return token


def list_tokens(session: Session, cursor: str | None, limit: int) -> Rows[APIToken]:
    """Return a page of tokens, newest first."""
    return rows_after(session, select(APIToken), (APIToken.created_at.desc(), APIToken.id), cursor, limit)


def set_token_used(session: Session, token_id: str, at: datetime) -> None:
    """Store when a token was last used."""
    changed(session, update(APIToken).where(APIToken.id == token_id).values(used_at=at))


def end_token(session: Session, token_id: str, at: datetime) -> None:
    """Revoke a token that is not revoked yet."""
    changed(
        session, update(APIToken).where(APIToken.id == token_id, APIToken.revoked_at.is_(None)).values(revoked_at=at)
    )


def list_family(session: Session, family_id: str) -> Sequence[APIToken]:
    """Return every token of a family, whether it is valid or not."""
    return session.scalars(select(APIToken).where(APIToken.family_id == family_id)).all()


def end_unused_successors(session: Session, token_id: str, at: datetime) -> None:
    """Revoke the tokens that would replace this one and were never used."""
    changed(
        session,
        update(APIToken)
        .where(APIToken.replaces_id == token_id, APIToken.used_at.is_(None), APIToken.revoked_at.is_(None))
        .values(revoked_at=at),
    )


def list_valid_tokens(session: Session, token_ids: Collection[str], at: datetime) -> Sequence[str]:
    """Return those ids whose token is neither revoked nor expired at this time, and whose agent is not revoked."""
    return session.scalars(
        select(APIToken.id)
        .outerjoin(Agent, Agent.id == APIToken.agent_id)
        .where(
            APIToken.id.in_(token_ids),
            APIToken.revoked_at.is_(None),
            or_(APIToken.expires_at.is_(None), APIToken.expires_at > at),
            Agent.revoked_at.is_(None),
        )
    ).all()


def list_valid_sessions(session: Session, cookies_sha256: Collection[str], at: datetime) -> Sequence[str | None]:
    """Return those digests of cookies whose session has not expired at this time."""
    return session.scalars(
        select(WebSession.cookie_sha256).where(WebSession.cookie_sha256.in_(cookies_sha256), WebSession.expires_at > at)
    ).all()


def find_session(session: Session, cookie_sha256: str, at: datetime) -> WebSession | None:
    """Return the session that this cookie opened, unless it has expired at this time."""
    return session.scalar(
        select(WebSession).where(WebSession.cookie_sha256 == cookie_sha256, WebSession.expires_at > at)
    )


def exchange_code(
    session: Session, code_sha256: str, cookie_sha256: str, *, at: datetime, expires_at: datetime
) -> bool:
    """Replace an unexpired one-time code by a cookie; return False if the code is unknown, used or expired."""
    exchanged = changed(
        session,
        update(WebSession)
        .where(WebSession.code_sha256 == code_sha256, WebSession.expires_at > at)
        .values(code_sha256=None, cookie_sha256=cookie_sha256, expires_at=expires_at),
    )
    return exchanged == 1


def expire_session(session: Session, cookie_sha256: str, at: datetime) -> None:
    """End the session that this cookie opened."""
    changed(session, update(WebSession).where(WebSession.cookie_sha256 == cookie_sha256).values(expires_at=at))


def list_expired_sessions(session: Session, at: datetime, limit: int) -> Sequence[int]:
    """Return the ids of sessions and codes that have expired at this time."""
    return session.scalars(select(WebSession.id).where(WebSession.expires_at <= at).limit(limit)).all()
