"""Clients of a service with each kind of credentials: tokens, sessions, and those that have ended."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from http.client import HTTPConnection
from itertools import count
from typing import Any

from orchestrator.agents import enrollment
from orchestrator.database.models import APIToken
from orchestrator.service.security import sessions, tokens
from orchestrator.wire.base import WIRE_VERSION, WIRE_VERSION_HEADER
from tests.support.live_service import Served
from tests.support.offers import add_agent

NUMBERS = count(1)


@dataclass(frozen=True)
class Actor:
    """A client with its credentials."""

    name: str
    role: str = ""
    """Role that its credentials give it; empty: none, or they have ended."""
    headers: Mapping[str, str] = field(default_factory=dict)
    token_id: str = ""
    family_id: str | None = None
    agent_id: str = ""
    is_session: bool = False


@dataclass(frozen=True)
class World:
    """A service on a network, where no user may read without a token."""

    served: Served
    connection: HTTPConnection
    stranger_id: str
    """An agent that is no actor's."""

    def token(self, role: tokens.Role, **given: Any) -> tuple[APIToken, dict[str, str]]:
        """Return a new token with its headers; all have the same label, which proves nothing."""
        with self.served.database.write() as session:
            made, plain = tokens.create(session, role, "laptop", **given)
        return made, _bearer(plain)

    def share(self, run_id: str, family_id: str | None) -> tuple[APIToken, str]:
        """Return a new link to a run with its text."""
        with self.served.database.write() as session:
            return tokens.create_share(session, run_id, "laptop", family_id, timedelta(days=1))

    def login_code(self) -> str:
        """Return a new login code."""
        with self.served.database.write() as session:
            return sessions.create_code(session)

    def add(self, *rows: Any) -> Any:
        """Store rows and return the id of the last one."""
        with self.served.database.write() as session:
            for row in rows:
                session.add(row)
                session.flush()
            return rows[-1].id


def _bearer(plain: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {plain}", WIRE_VERSION_HEADER: str(WIRE_VERSION)}


def _of_role(role: tokens.Role) -> Callable[[World, str], Actor]:
    def _actor(world: World, name: str) -> Actor:
        made, headers = world.token(role)
        return Actor(name, role, headers, made.id, made.family_id)

    return _actor


def _share_link(world: World, name: str) -> Actor:
    made, plain = world.share("another00001", None)
    return Actor(name, "share", _bearer(plain), made.id, made.family_id)


def new_agent(world: World, name: str) -> Actor:
    """Return a newly enrolled agent."""
    with world.served.database.write() as session:
        agent_id = add_agent(session, f"agent-{next(NUMBERS)}", runners={})
    made, headers = world.token("agent", agent_id=agent_id)
    return Actor(name, "agent", headers, made.id, made.family_id, agent_id)


def _revoked_agent(world: World, name: str) -> Actor:
    agent = new_agent(world, name)
    enrollment.revoke(world.served.database, agent.agent_id)
    return Actor(name, headers=agent.headers)


def _session_of(role: tokens.Role) -> Callable[[World, str], Actor]:
    def _actor(world: World, name: str) -> Actor:
        made, headers = world.token(role)
        with world.served.database.write() as session:
            cookie = sessions.open_by_token(session, headers["Authorization"].removeprefix("Bearer "))
        cookies = {"Cookie": f"{sessions.COOKIE}={cookie}"}
        return Actor(name, role, cookies, made.id, made.family_id, is_session=True)

    return _actor


def _session_of_a_revoked_token(world: World, name: str) -> Actor:
    actor = _session_of("admin")(world, name)
    with world.served.database.write() as session:
        tokens.revoke(session, actor.token_id)
    return Actor(name, headers=actor.headers)


def _rotated(world: World, name: str) -> Actor:
    first, _ = world.token("submitter")
    with world.served.database.write() as session:
        made, plain = tokens.rotate(session, session.get_one(APIToken, first.id), None, None)
    return Actor(name, "submitter", _bearer(plain), made.id, first.family_id)


def _replaced(world: World, name: str) -> Actor:
    first, headers = world.token("admin")
    with world.served.database.write() as session:
        tokens.rotate(session, session.get_one(APIToken, first.id), timedelta(), None)
    return Actor(name, headers=headers)


def _revoked(world: World, name: str) -> Actor:
    made, headers = world.token("admin")
    with world.served.database.write() as session:
        tokens.revoke(session, made.id)
    return Actor(name, headers=headers)


ACTORS: dict[str, Callable[[World, str], Actor]] = {
    "no token": lambda _, name: Actor(name),
    "unknown token": lambda _, name: Actor(name, headers=_bearer("cm_admin_guess")),
    "viewer": _of_role("viewer"),
    "submitter": _of_role("submitter"),
    "submitter with a rotated token": _rotated,
    "session of a submitter": _session_of("submitter"),
    "agent": new_agent,
    "join code": _of_role("join"),
    "share link of another run": _share_link,
    "admin": _of_role("admin"),
    "session of an admin": _session_of("admin"),
    "admin with a replaced token": _replaced,
    "admin with a revoked token": _revoked,
    "admin with an expired token": lambda world, name: Actor(
        name, headers=world.token("admin", expires_in=timedelta(seconds=-1))[1]
    ),
    "session of a revoked admin": _session_of_a_revoked_token,
    "revoked agent": _revoked_agent,
}
