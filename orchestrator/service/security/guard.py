"""Authentication and authorization of a request."""

from collections.abc import Collection
from contextlib import suppress
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import APIKeyCookie, HTTPBearer
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.types import Scope

from orchestrator import __version__
from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, APIToken, now
from orchestrator.service.dependencies import DatabaseDep, SettingsDep
from orchestrator.service.security import repository, sessions, tokens
from orchestrator.service.security.binding import is_loopback
from orchestrator.service.security.callers import Caller
from orchestrator.service.security.schemas import Role
from orchestrator.shared.errors import Forbidden, Unauthorized, Unavailable, UpgradeRequired
from orchestrator.shared.settings import ServiceSettings
from orchestrator.wire.base import DEVICE_HEADER, WIRE_VERSION, WIRE_VERSION_HEADER

_DAEMON_ROLES = ("agent", "join")

# Only for the OpenAPI document: `identify` reads the values, so that a missing token is a problem detail.
_bearer_scheme = HTTPBearer(auto_error=False, description="`Authorization: Bearer cm_<role>_…`")
_cookie_scheme = APIKeyCookie(name=sessions.COOKIE, auto_error=False, description="Session of the dashboard.")


_CALLERS = "ciphermark.callers"
"""Key of an ASGI scope: the callers that were found, by requirement."""
_SENDER = "ciphermark.sender"
"""Key of an ASGI scope: the owner of the token or session of a request, whether the request is permitted or not."""

LOCAL_VIEWER = Caller(role="viewer", label="this machine")


def note_sender(request: Request, sender: Caller | None) -> None:
    """Record who sent a request, for the audit log."""
    if sender is not None:
        request.scope[_SENDER] = sender


def sender_of(scope: Scope) -> Caller | None:
    """Return who sent the request of an ASGI scope, also with a token that has ended; None: no known token."""
    found: Caller | None = scope.get(_SENDER)
    return found


class Requires:
    """Dependency that admits callers with one of the roles, or with a role that includes one.

    `routing.BoundedRoute` calls `check` before it reads the body of a request; the dependency then returns the caller
    that was found.
    """

    def __init__(self, roles: tuple[Role, ...]) -> None:
        """Admit these roles."""
        self.roles = roles

    async def __call__(
        self,
        request: Request,
        database: DatabaseDep,
        settings: SettingsDep,
        _bearer: Annotated[object, Depends(_bearer_scheme)] = None,
        _cookie: Annotated[object, Depends(_cookie_scheme)] = None,
    ) -> Caller:
        """Return the sender of a request; raise as `check` does."""
        found: dict[Requires, Caller] = request.scope.get(_CALLERS, {})
        return found[self] if self in found else await run_in_threadpool(self.check, request, database, settings)

    def check(self, request: Request, database: Database, settings: ServiceSettings) -> Caller:
        """Return the sender of a request; raise Unauthorized, Forbidden or UpgradeRequired."""
        caller = identify(request, database)
        # Users of this machine may read without a token: a service on loopback is unreachable for all others.
        if "viewer" in self.roles and is_loopback(settings.host) and (caller is None or not caller.may(*self.roles)):
            return caller or LOCAL_VIEWER
        if caller is None:
            raise Unauthorized(
                "This requires a token or a session.",
                remedy="Log in again, or send 'Authorization: Bearer <token>'; see docs/api.md.",
            )
        if "viewer" in self.roles and caller.run_id is not None and _reads_run(request, caller.run_id):
            return caller
        if not caller.may(*self.roles):
            raise Forbidden(
                f"This requires the role {' or '.join(self.roles)}, seen: {caller.role}.",
                remedy="Request a token from the operator of this service (ciphermark token create).",
            )
        if "viewer" not in self.roles and caller.role in _DAEMON_ROLES:
            _require_wire_version(request)
        return caller

    def note(self, request: Request, caller: Caller) -> None:
        """Keep the sender of a request for this dependency."""
        request.scope.setdefault(_CALLERS, {})[self] = caller


def _reads_run(request: Request, run_id: str) -> bool:
    """Return whether a request reads this run, and nothing else."""
    return request.method == "GET" and request.path_params.get("run_id") == run_id


def requires(*roles: Role) -> Requires:
    """Return a dependency that admits callers with one of the roles, or with a role that includes one."""
    return Requires(roles)


def _require_wire_version(request: Request) -> None:
    """Raise UpgradeRequired for a daemon whose messages have another version than this service's.

    Downloads are open to every version: an old daemon replaces itself with the wheel from there.
    """
    seen = request.headers.get(WIRE_VERSION_HEADER, "1")
    if seen != str(WIRE_VERSION):
        raise UpgradeRequired(
            f"This daemon sends messages of version {seen[:10]}, expected version {WIRE_VERSION}: "
            f"the service is Ciphermark {__version__}.",
            remedy=f"Install {__version__} on the device: execute the line that 'ciphermark agents invite' prints.",
            expected_version=__version__,
        )


def identify(request: Request, database: Database) -> Caller | None:
    """Return the sender of a request, or None if it has neither a token nor a valid session.

    Raises Unauthorized for an invalid token, so that a mistyped token is not treated like a missing one.
    """
    authorization = request.headers.get("authorization")
    if authorization is not None:
        return _by_token(request, authorization, database)
    cookie = request.cookies.get(sessions.COOKIE)
    if cookie is None:
        return None
    # An expired cookie is not an error: the browser sends it with every request.
    with database.read() as session:
        found = sessions.find(session, cookie)
    note_sender(request, found)
    return found


def owner_of(caller: Caller, request: Request) -> str:
    """Return whose limits a request counts for: its token, its session, or its address without either."""
    address = request.client.host if request.client else "local"
    return caller.token_id or caller.cookie_sha256 or f"address {address}"


def permitted(session: Session, callers: Collection[Caller]) -> set[Caller]:
    """Return those callers whose token and session are still valid."""
    at = now()
    token_ids = {caller.token_id for caller in callers if caller.token_id is not None}
    cookies = {caller.cookie_sha256 for caller in callers if caller.cookie_sha256 is not None}
    valid_tokens = {None, *repository.list_valid_tokens(session, token_ids, at)}
    valid_cookies = {None, *repository.list_valid_sessions(session, cookies, at)}
    return {one for one in callers if one.token_id in valid_tokens and one.cookie_sha256 in valid_cookies}


def _by_token(request: Request, authorization: str, database: Database) -> Caller:
    scheme, _, plain = authorization.partition(" ")
    if scheme.lower() != "bearer" or not plain:
        raise Unauthorized(
            "The Authorization header does not have the form 'Bearer <token>'.", remedy="See docs/api.md."
        )
    at, device_sha256 = now(), request.headers.get(DEVICE_HEADER, "")
    with database.read() as session:
        token = tokens.find(session, plain.strip())
        if token is None and device_sha256:
            # The response to an enrollment can be lost: until its first heartbeat, the same device may repeat it.
            token = repository.find_used_join_token(session, tokens.digest(plain.strip()), device_sha256, at)
        agent = session.get(Agent, token.agent_id) if token is not None and token.agent_id else None
    if token is None:
        raise _invalid(request, database, plain.strip())
    sender = _sender(token)
    note_sender(request, sender)
    if agent is not None and agent.revoked_at is not None:
        raise _revoked(agent)
    if not tokens.is_use_noted(token, at):
        # On a full disk, or a damaged database, everything that can be read is still answered.
        with suppress(Unavailable), database.write() as session:
            tokens.note_use(session, token, at)
    return sender


def _sender(token: APIToken) -> Caller:
    return Caller(
        role=token.role,
        label=token.label,
        agent_id=token.agent_id,
        run_id=token.run_id,
        token_id=token.id,
        family_id=token.family_id,
    )


def _revoked(agent: Agent) -> Unauthorized:
    return Unauthorized(f"Agent {agent.name} was revoked.", remedy="Enroll it again with a new join token.")


def _invalid(request: Request, database: Database, plain: str) -> Unauthorized:
    """Return the refusal of a token; its owner learns whether it is unknown, used, expired or revoked."""
    with database.read() as session:
        known = repository.find_token(session, tokens.digest(plain))
        agent = session.get(Agent, known.agent_id) if known is not None and known.agent_id else None
    note_sender(request, None if known is None else _sender(known))
    if agent is not None and agent.revoked_at is not None and not plain.startswith(tokens.JOIN_PREFIX):
        return _revoked(agent)
    if known is None:
        state = "unknown"
    elif known.revoked_at is None:
        state = "expired"
    else:
        state = "revoked" if known.agent_id is None or known.role != "join" else "used already"
    if not plain.startswith(tokens.JOIN_PREFIX):
        since = f" since {known.expires_at:%Y-%m-%d %H:%M} UTC" if known is not None and state == "expired" else ""
        return Unauthorized(f"This token is {state}{since}.", remedy="Create a new one: ciphermark token create.")
    return Unauthorized(f"This join code is {state}.", remedy="Create another one: ciphermark agents invite.")
