"""Operations on tokens and dashboard sessions."""

import secrets
from datetime import timedelta

from orchestrator.database.engine import Database
from orchestrator.database.models import APIToken, now
from orchestrator.service.pagination import Page
from orchestrator.service.security import repository, sessions, tokens
from orchestrator.service.security.callers import Caller
from orchestrator.service.security.schemas import (
    LoginCode,
    Role,
    RotationRequest,
    ShareCreated,
    ShareRequest,
    TokenCreated,
    TokenRequest,
    TokenSummary,
)
from orchestrator.shared.errors import Conflict, Forbidden, NotFound, Unauthorized

OWN_TOKEN = "self"  # noqa: S105 - an id
"""Id under which callers name their own token."""
_NEVER_ROTATED = {"join": "a join code, which is used once", "share": "a share link"}
JOIN_SECONDS = 3600
"""Maximum lifetime of a join token."""


def create_token(database: Database, request: TokenRequest) -> TokenCreated:
    """Create a token; the lifetime of a join token is limited to `JOIN_SECONDS`."""
    seconds = request.expires_in_seconds
    if request.role == "join":
        seconds = min(seconds or JOIN_SECONDS, JOIN_SECONDS)
    expires_in = timedelta(seconds=seconds) if seconds else None
    with database.write() as session:
        token, plain = tokens.create(session, request.role, request.label, expires_in=expires_in)
    shown = TokenSummary.from_row(token)
    return TokenCreated(**shown.model_dump(), token=plain)


def list_tokens(database: Database, cursor: str | None, limit: int) -> Page[TokenSummary]:
    """Return one page of tokens, newest first."""
    with database.read() as session:
        rows = repository.list_tokens(session, cursor, limit)
    return rows.page(TokenSummary.from_row)


def rotate_token(database: Database, caller: Caller, token_id: str, request: RotationRequest) -> TokenCreated:
    """Replace a token by a new one with the same rights; the old one ends as requested.

    token_id: or OWN_TOKEN for the caller's. Raises Forbidden for a token of another user, except for admins; NotFound;
    Conflict for a join token and for one that is not valid; InvalidRequest for a longer validity than the old one has.
    """
    if token_id == OWN_TOKEN:
        token_id = caller.token_id or ""
    if not token_id or (caller.token_id != token_id and not caller.may("admin")):
        raise Forbidden(
            "Another user's token can be rotated only by an admin.", remedy="Rotate the token of this request: 'self'."
        )
    seconds, lifetime = request.grace_seconds, request.expires_in_seconds
    with database.write() as session:
        token = repository.get_token(session, token_id)
        if token.role in _NEVER_ROTATED or not tokens.is_valid(token, now()):
            state = _NEVER_ROTATED.get(token.role, "expired or revoked")
            raise Conflict(f"Token {token_id} is {state}.", remedy="Create a new one: ciphermark token create.")
        made, plain = tokens.rotate(
            session,
            token,
            None if seconds is None else timedelta(seconds=seconds),
            None if lifetime is None else timedelta(seconds=lifetime),
        )
        password = None
        if made.agent_id is not None and caller.token_id == token_id:
            # The present one stays valid, for the running worker, until the daemon starts with the new token.
            password = secrets.token_urlsafe(32)
            made.broker_password_hash = tokens.digest(password)
    shown = TokenSummary.from_row(made)
    return TokenCreated(**shown.model_dump(), token=plain, broker_password=password)


def revoke_token(database: Database, token_id: str) -> None:
    """Revoke a token with its family, and the sessions that they opened; raises NotFound."""
    with database.write() as session:
        tokens.revoke(session, token_id)


def create_share(database: Database, caller: Caller, run_id: str, request: ShareRequest) -> ShareCreated:
    """Create a link that shows one run until it expires, or the caller's token or the link is revoked."""
    lifetime = timedelta(seconds=request.expires_in_seconds)
    with database.write() as session:
        made, plain = tokens.create_share(session, run_id, caller.label, caller.family_id, lifetime)
    shown = TokenSummary.from_row(made)
    return ShareCreated(**shown.model_dump(), token=plain, path=f"/shared/{plain}")


def revoke_share(database: Database, caller: Caller, run_id: str, token_id: str) -> None:
    """Revoke a share link of a run; raises NotFound, and Forbidden where another token made it, except for admins."""
    with database.write() as session:
        found = session.get(APIToken, token_id)
        if found is None or found.run_id != run_id:
            raise NotFound(
                f"Run {run_id} has no share link {token_id[:40]!r}.", remedy="List them: ciphermark token list."
            )
        caller.require_own(found.family_id, f"Another token made the share link {token_id}", "Revoke")
        tokens.revoke(session, token_id)


def shared_run(database: Database, plain: str) -> str:
    """Return the run that a share link shows; raises Unauthorized."""
    with database.read() as session:
        found = tokens.find(session, plain)
    if found is None or found.run_id is None:
        raise Unauthorized(
            "This link is not valid: it is mistyped, or it has expired or was revoked.",
            remedy="Request a new one where it came from: ciphermark runs share RUN.",
        )
    return found.run_id


def create_login_code(database: Database, caller: Caller) -> LoginCode:
    """Create a one-time code that opens the dashboard with the caller's role."""
    role: Role = "admin" if caller.may("admin") else "submitter" if caller.may("submitter") else "viewer"
    with database.write() as session:
        code = sessions.create_code(session, role, caller.token_id)
    return LoginCode(code=code, path=f"/login?code={code}")


def login_by_token(database: Database, plain: str) -> tuple[str, Caller | None]:
    """Open a session with a token; return the value of its cookie and who sends it from now on."""
    with database.write() as session:
        cookie = sessions.open_by_token(session, plain)
        return cookie, sessions.find(session, cookie)


def logout(database: Database, cookie: str) -> Caller | None:
    """End the session of a cookie and return its owner; None: it had ended."""
    with database.write() as session:
        owner = sessions.find(session, cookie)
        sessions.close(session, cookie)
        return owner
