"""Join tokens always expire, and a login code never has more rights than its creator."""

from datetime import timedelta

import pytest

from orchestrator.database.engine import Database
from orchestrator.database.models import now
from orchestrator.service.security import service, sessions
from orchestrator.service.security.callers import Caller
from orchestrator.service.security.schemas import Role, TokenCreated, TokenRequest
from orchestrator.shared.errors import InvalidRequest, NotFound


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


def test_list_tokens_has_every_token_once_and_no_text(database: Database) -> None:
    created = {create(database, "viewer").id for _ in range(5)}
    listed: list[str] = []
    cursor = None
    for _ in range(3):
        page = service.list_tokens(database, cursor, limit=2)
        assert all("token" not in item.model_dump() for item in page.items)
        listed += [item.id for item in page.items]
        cursor = page.next_cursor

    assert cursor is None
    assert (len(listed), set(listed)) == (5, created)


def test_cursor_of_another_list_is_refused(database: Database) -> None:
    with pytest.raises(InvalidRequest, match="not a cursor of this list"):
        service.list_tokens(database, "WzFd", limit=2)


@pytest.mark.parametrize("role", ["viewer", "submitter", "admin"])
def test_login_code_has_the_role_of_its_creator(database: Database, role: Role) -> None:
    code = service.create_login_code(database, Caller(role=role, label=""))
    with database.write() as session:
        opened = sessions.find(session, sessions.open_by_code(session, code.code))

    assert code.path == f"/login?code={code.code}"
    assert opened is not None
    assert opened.role == role


def test_revoke_token_sets_the_time_and_refuses_unknown_ids(database: Database) -> None:
    created = create(database, "viewer")
    service.revoke_token(database, created.id)
    (listed,) = service.list_tokens(database, None, 10).items

    assert listed.revoked_at is not None
    assert listed.revoked_at <= now()
    with pytest.raises(NotFound):
        service.revoke_token(database, "unknown")
