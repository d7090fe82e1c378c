"""Roles include one another as documented, and only the bearer form of a token is accepted."""

import pytest
from fastapi import Request

from orchestrator.database.engine import Database
from orchestrator.service.security import tokens
from orchestrator.service.security.callers import Caller
from orchestrator.service.security.guard import identify, requires
from orchestrator.shared.errors import Forbidden, Unauthorized
from orchestrator.shared.settings import ServiceSettings

LAN = ServiceSettings(host="0.0.0.0", insecure_lan=True)


def request(**headers: str) -> Request:
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": pairs})


def bearer(database: Database, role: tokens.Role) -> Request:
    with database.write() as session:
        _, plain = tokens.create(session, role, "test")
    return request(authorization=f"Bearer {plain}")


class TestCaller:
    def test_caller_without_agent_cannot_act_as_one(self) -> None:
        assert Caller(role="agent", label="", agent_id="pi").own_agent_id == "pi"
        with pytest.raises(Forbidden, match="an agent's own token"):
            _ = Caller(role="admin", label="").own_agent_id


class TestRequires:
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
