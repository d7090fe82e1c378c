"""A one-time code or a token opens a dashboard session, which ends by itself, by logout or with its token."""

from datetime import timedelta

import pytest
from starlette.responses import Response

from orchestrator.database.engine import Database
from orchestrator.database.models import WebSession, now
from orchestrator.scheduler.prune import prune_sessions
from orchestrator.service.security import sessions, tokens
from orchestrator.shared.errors import Forbidden, Unauthorized


def expire(database: Database) -> None:
    with database.write() as session:
        for row in session.query(WebSession):
            row.expires_at = now() - timedelta(seconds=1)


class TestOpenByCode:
    def test_expired_code_is_refused(self, database: Database) -> None:
        with database.write() as session:
            code = sessions.create_code(session)
        expire(database)

        with database.write() as session, pytest.raises(Unauthorized, match="15 minutes"):
            sessions.open_by_code(session, code)

    def test_database_stores_neither_code_nor_cookie(self, database: Database) -> None:
        with database.write() as session:
            code = sessions.create_code(session)
            cookie = sessions.open_by_code(session, code)
            (row,) = session.query(WebSession)

            assert row.code_sha256 is None
            assert row.cookie_sha256 == tokens.digest(cookie)


class TestOpenByToken:
    @pytest.mark.parametrize("role", ["agent", "join"])
    def test_machine_token_is_refused(self, database: Database, role: tokens.Role) -> None:
        with database.write() as session:
            _, plain = tokens.create(session, role, "")
            with pytest.raises(Forbidden, match=f"role {role} cannot open the dashboard"):
                sessions.open_by_token(session, plain)


class TestFind:
    def test_closed_expired_and_unknown_sessions_are_not_found(self, database: Database) -> None:
        with database.write() as session:
            closed = sessions.open_by_code(session, sessions.create_code(session))
            sessions.close(session, closed)
            assert [sessions.find(session, cookie) for cookie in (closed, "unknown")] == [None, None]
            expired = sessions.open_by_code(session, sessions.create_code(session))
        expire(database)

        with database.read() as session:
            assert sessions.find(session, expired) is None


class TestSetCookie:
    @pytest.mark.parametrize("secure", [True, False])
    def test_cookie_is_hidden_from_scripts_and_other_sites(self, secure: bool) -> None:
        response = Response()
        sessions.set_cookie(response, "value", secure=secure)
        name, *attributes = response.headers["set-cookie"].split("; ")

        assert name == f"{sessions.COOKIE}=value"
        assert {"HttpOnly", "SameSite=strict", "Max-Age=43200", "Path=/"} <= set(attributes)
        assert ("Secure" in attributes) is secure


def test_expired_codes_and_sessions_are_pruned(database: Database) -> None:
    """Regression: a row stayed for every login and every printed code."""
    with database.write() as session:
        sessions.create_code(session)
        closed, cookie = (sessions.open_by_code(session, sessions.create_code(session)) for _ in range(2))
        sessions.close(session, closed)
    assert prune_sessions(database, now()) == 1
    assert prune_sessions(database, now() + sessions.CODE_LIFE) == 1
    with database.read() as session:
        assert sessions.find(session, cookie) is not None
    assert prune_sessions(database, now() + sessions.SESSION_LIFE) == 1
    with database.read() as session:
        assert session.query(WebSession).count() == 0
