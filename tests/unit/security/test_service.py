"""Join tokens always expire, and a login code never has more rights than its creator."""

from datetime import timedelta

import pytest

from orchestrator.database.engine import Database
from orchestrator.service.security import service, sessions
from orchestrator.service.security.callers import Caller
from orchestrator.service.security.schemas import Role, TokenCreated, TokenRequest


def create(database: Database, role: Role, expires_in_seconds: int | None = None) -> TokenCreated:
    return service.create_token(database, TokenRequest(role=role, expires_in_seconds=expires_in_seconds))


@pytest.mark.parametrize(("requested", "given"), [(None, 3600), (60, 60), (86_400, 3600)])
def test_join_token_expires_within_the_setting(database: Database, requested: int | None, given: int) -> None:
    created = create(database, "join", requested)

    assert created.expires_at == created.created_at + timedelta(seconds=given)


@pytest.mark.parametrize(("requested", "given"), [(None, None), (86_400, timedelta(days=1))])
def test_other_token_expires_only_when_requested(
    database: Database, requested: int | None, given: timedelta | None
) -> None:
    created = create(database, "viewer", requested)

    assert created.expires_at == (given and created.created_at + given)


@pytest.mark.parametrize("role", ["viewer", "submitter", "admin"])
def test_login_code_has_the_role_of_its_creator(database: Database, role: Role) -> None:
    code = service.create_login_code(database, Caller(role=role, label=""))
    with database.write() as session:
        opened = sessions.find(session, sessions.open_by_code(session, code.code))

    assert code.path == f"/login?code={code.code}"
    assert opened is not None
    assert opened.role == role
