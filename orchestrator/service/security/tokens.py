"""API tokens: ``cm_<role>_<random>``. The caller receives the text once; the database stores its SHA-256.

The text has 256 random bits, so an unsalted hash is sufficient, and a lookup by hash has no timing that depends on how
much of a token is right.
"""

import hashlib
import secrets
import string
from datetime import datetime, timedelta
from typing import get_args

from sqlalchemy.orm import Session

from orchestrator.database.models import APIToken, now
from orchestrator.service.security import repository
from orchestrator.service.security.schemas import Role
from orchestrator.shared.errors import InvalidRequest

JOIN_PREFIX = "cm_join_"
"""Beginning of every join code."""

AGENT_TOKEN_LIFE = timedelta(days=30)
"""Age at which a live agent replaces its token. A silent one keeps it, because nothing else lets it return."""
_ALPHABET = string.ascii_lowercase + string.digits
_ID_CHARACTERS = 12
_RANDOM_BYTES = 32
_USE_RESOLUTION = timedelta(minutes=1)


def new_id() -> str:
    """Return a random id of 12 characters [a-z0-9] for a run, an agent or a token."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(_ID_CHARACTERS))


def digest(secret: str) -> str:
    """Return the SHA-256 that the database stores for a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def create(
    session: Session,
    role: Role,
    label: str,
    agent_id: str | None = None,
    expires_in: timedelta | None = None,
    *,
    agent_name: str | None = None,
    agent_labels: list[str] | None = None,
    family_id: str | None = None,
) -> tuple[APIToken, str]:
    """Store a new token; return its row and its text, which cannot be recovered later.

    agent_name, agent_labels: what an invitation gives to the agent that a join token enrolls.
    family_id: that of the token that this one follows; None: it begins a family.
    """
    plain = f"cm_{role}_{secrets.token_urlsafe(_RANDOM_BYTES)}"
    at = now()
    token_id = new_id()
    token = APIToken(
        id=token_id,
        family_id=family_id or token_id,
        sha256=digest(plain),
        role=role,
        label=label,
        agent_id=agent_id,
        agent_name=agent_name,
        agent_labels=agent_labels,
        created_at=at,
        expires_at=at + expires_in if expires_in else None,
    )
    session.add(token)
    session.flush()
    return token, plain


def create_share(
    session: Session, run_id: str, label: str, family_id: str | None, expires_in: timedelta
) -> tuple[APIToken, str]:
    """Store a link to one run, in the family of the token that makes it; return its row and its text."""
    made, plain = create(session, "share", label, expires_in=expires_in, family_id=family_id)
    made.run_id = run_id
    return made, plain


def find(session: Session, plain: str) -> APIToken | None:
    """Return the token with this text if it is known, not revoked and not expired."""
    token = repository.find_token(session, digest(plain))
    return token if token is not None and is_valid(token, now()) else None


def is_valid(token: APIToken, at: datetime) -> bool:
    """Return whether a token is neither revoked nor expired at this time."""
    return token.revoked_at is None and (token.expires_at is None or at < token.expires_at)


def is_use_noted(token: APIToken, at: datetime) -> bool:
    """Return whether the stored time of use is less than a minute old, so that a request needs no write."""
    return token.used_at is not None and at - token.used_at < _USE_RESOLUTION


def note_use(session: Session, token: APIToken, at: datetime) -> None:
    """Store the time of a token's use; the first use ends the token that it replaces."""
    repository.set_token_used(session, token.id, at)
    if token.used_at is None and token.replaces_id is not None:
        repository.end_token(session, token.replaces_id, at)


def rotate(
    session: Session, token: APIToken, grace: timedelta | None, expires_in: timedelta | None
) -> tuple[APIToken, str]:
    """Store a new token with the rights of a valid one; return its row and its text.

    grace: how long the old token remains valid; None: until the new one is used for the first time, so that the
    caller keeps its access if the answer is lost. A token of an earlier rotation that was never used ends.
    expires_in: validity of the new token; None: until the end of the old one, which no rotation extends.
    """
    at = now()
    end = token.expires_at
    if end is not None and expires_in is not None and at + expires_in > end:
        raise InvalidRequest(
            f"Token {token.id} is valid until {end:%Y-%m-%d %H:%M} UTC, which no rotation extends.",
            remedy="Leave the validity out, or let an admin create a new token: ciphermark token create.",
            field="expires_in_seconds",
        )
    repository.end_unused_successors(session, token.id, at)
    made, plain = create(session, _role(token.role), token.label, token.agent_id, expires_in, family_id=token.family_id)
    made.expires_at = made.expires_at or end
    made.broker_password_hash = token.broker_password_hash
    if grace is None:
        made.replaces_id = token.id
    elif grace:
        token.expires_at = min(at + grace, token.expires_at or at + grace)
    else:
        token.revoked_at = at
    session.flush()
    return made, plain


def _role(role: str) -> Role:
    known: dict[str, Role] = {name: name for name in get_args(Role)}
    return known[role]


def broker_password_of(session: Session, token_id: str) -> str | None:
    """Return the SHA-256 of the Redis password that came with a token; None if none did."""
    token = session.get(APIToken, token_id)
    return None if token is None else token.broker_password_hash


def is_old(session: Session, token_id: str, at: datetime) -> bool:
    """Return whether a token of an agent is older than `AGENT_TOKEN_LIFE`."""
    token = session.get(APIToken, token_id)
    return token is not None and token.role == "agent" and at - token.created_at > AGENT_TOKEN_LIFE


def is_family_revoked(session: Session, family_id: str) -> bool:
    """Return whether all tokens of a family were revoked, apart from share links; False for an unknown family."""
    family = [token for token in repository.list_family(session, family_id) if token.role != "share"]
    return bool(family) and all(token.revoked_at is not None for token in family)


def revoke(session: Session, token_id: str) -> None:
    """End a token, all others of its family, and every session of the dashboard that one of them opened.

    A thief may have rotated a copy. A share link, which the token of its family made, ends alone. Repeating this is
    not an error; raises NotFound for an unknown id.
    """
    at, named = now(), repository.get_token(session, token_id)
    for token in [named] if named.role == "share" else repository.list_family(session, named.family_id):
        token.revoked_at = token.revoked_at or at
