"""Roles include one another as documented, and only the bearer form of a token is accepted."""

from datetime import timedelta
from typing import get_args

import pytest
from fastapi import Request

from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, now
from orchestrator.service.security import repository, sessions, tokens
from orchestrator.service.security.callers import Caller
from orchestrator.service.security.guard import LOCAL_VIEWER, identify, requires
from orchestrator.shared.errors import Forbidden, Unauthorized
from orchestrator.shared.settings import ServiceSettings

INCLUDED = {
    "admin": {"admin", "submitter", "viewer", "join"},
    "submitter": {"submitter", "viewer"},
    "viewer": {"viewer"},
    "agent": {"agent"},
    "join": {"join"},
    "share": set(),
}
LAN = ServiceSettings(host="0.0.0.0", insecure_lan=True)


def request(**headers: str) -> Request:
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": pairs})


def bearer(database: Database, role: tokens.Role) -> Request:
    with database.write() as session:
        _, plain = tokens.create(session, role, "test")
    return request(authorization=f"Bearer {plain}")


class TestCaller:
    @pytest.mark.parametrize("role", get_args(tokens.Role))
    def test_role_includes_exactly_the_documented_roles(self, role: str) -> None:
        caller = Caller(role=role, label="")

        assert {other for other in get_args(tokens.Role) if caller.may(other)} == INCLUDED[role]

    def test_unknown_role_may_nothing(self) -> None:
        assert not Caller(role="root", label="").may(*get_args(tokens.Role))

    def test_caller_without_agent_cannot_act_as_one(self) -> None:
        assert Caller(role="agent", label="", agent_id="pi").own_agent_id == "pi"
        with pytest.raises(Forbidden, match="an agent's own token"):
            _ = Caller(role="admin", label="").own_agent_id


class TestRequires:
    def test_local_user_may_read_without_a_token(self, database: Database) -> None:
        assert requires("viewer").check(request(), database, ServiceSettings()) is LOCAL_VIEWER

    @pytest.mark.parametrize("role", ["submitter", "admin", "agent", "join"])
    def test_other_roles_require_a_token_on_loopback(self, database: Database, role: tokens.Role) -> None:
        with pytest.raises(Unauthorized, match="requires a token"):
            requires(role).check(request(), database, ServiceSettings())

    def test_reading_over_the_network_requires_a_token(self, database: Database) -> None:
        with pytest.raises(Unauthorized):
            requires("viewer").check(request(), database, LAN)

    def test_wrong_role_is_named_with_the_required_one(self, database: Database) -> None:
        with pytest.raises(Forbidden, match="role submitter or agent, seen: viewer"):
            requires("submitter", "agent").check(bearer(database, "viewer"), database, LAN)


class TestIdentify:
    @pytest.mark.parametrize("header", ["Basic YTpi", "Bearer", "Bearer ", "cm_admin_x"])
    def test_other_forms_of_the_header_are_refused(self, database: Database, header: str) -> None:
        with pytest.raises(Unauthorized, match="Bearer <token>"):
            identify(request(authorization=header), database)

    def test_mistyped_token_is_refused_on_loopback_too(self, database: Database) -> None:
        with pytest.raises(Unauthorized, match="This token is unknown"):
            identify(request(authorization="Bearer cm_admin_x"), database)

    def test_token_of_a_revoked_agent_is_refused(self, database: Database) -> None:
        with database.write() as session:
            session.add(Agent(id="a", name="pi", broker_password_hash="0" * 64, revoked_at=now()))
            session.flush()
            _, plain = tokens.create(session, "agent", "pi", agent_id="a")

        with pytest.raises(Unauthorized, match="Agent pi was revoked"):
            identify(request(authorization=f"Bearer {plain}"), database)

    def test_use_of_a_token_is_stored(self, database: Database) -> None:
        caller = identify(bearer(database, "viewer"), database)
        assert caller is not None
        with database.read() as session:
            token = repository.get_token(session, caller.token_id or "")

        assert token.used_at is not None
        assert now() - token.used_at < timedelta(minutes=1)

    def test_session_cookie_identifies_the_caller_and_an_old_one_does_not(self, database: Database) -> None:
        with database.write() as session:
            cookie = sessions.open_by_code(session, sessions.create_code(session, "submitter"))

        caller = identify(request(cookie=f"{sessions.COOKIE}={cookie}"), database)
        assert caller is not None
        assert (caller.role, caller.label) == ("submitter", "dashboard")
        assert identify(request(cookie=f"{sessions.COOKIE}=old"), database) is None
