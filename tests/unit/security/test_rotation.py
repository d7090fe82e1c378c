"""Rotation of tokens: a new text with the same rights, and the end of the old one."""

from datetime import timedelta

import pytest
from starlette.requests import Request

from orchestrator.database.engine import Database
from orchestrator.database.models import APIToken, now
from orchestrator.service.security import service, sessions, tokens
from orchestrator.service.security.callers import Caller
from orchestrator.service.security.guard import identify
from orchestrator.service.security.schemas import Role, RotationRequest, TokenCreated
from orchestrator.shared.errors import Conflict, Forbidden, InvalidRequest, NotFound, Unauthorized


def use(database: Database, text: str) -> Caller | None:
    headers = [(b"authorization", f"Bearer {text}".encode())]
    return identify(Request({"type": "http", "headers": headers}), database)


def create(database: Database, role: Role = "submitter", expires_in: timedelta | None = None) -> tuple[Caller, str]:
    with database.write() as session:
        _, text = tokens.create(session, role, "laptop", expires_in=expires_in)
    caller = use(database, text)
    assert caller is not None
    return caller, text


def rotate(database: Database, caller: Caller, grace_seconds: int | None = None) -> TokenCreated:
    return service.rotate_token(database, caller, "self", RotationRequest(grace_seconds=grace_seconds))


def refused(database: Database, text: str) -> bool:
    try:
        use(database, text)
    except Unauthorized:
        return True
    return False


def test_old_token_ends_when_the_new_one_is_used(database: Database) -> None:
    caller, old = create(database)
    made = rotate(database, caller)
    assert not refused(database, old), "an answer that was lost must not lock the caller out"
    new = use(database, made.token)
    assert new is not None
    assert (new.role, new.label) == ("submitter", "laptop")
    assert refused(database, old)
    assert not refused(database, made.token)


def test_old_token_ends_immediately_with_a_grace_of_zero(database: Database) -> None:
    caller, old = create(database)
    made = rotate(database, caller, grace_seconds=0)
    with pytest.raises(Unauthorized, match="This token is revoked") as caught:
        use(database, old)
    assert "ciphermark token create" in caught.value.remedy
    assert not refused(database, made.token)


def test_old_token_expires_after_its_grace(database: Database) -> None:
    caller, old = create(database)
    made = rotate(database, caller, grace_seconds=3600)
    assert not refused(database, made.token)
    assert not refused(database, old), "the use of the new one does not shorten a stated grace"
    with database.write() as session:
        row = tokens.find(session, old)
        assert row is not None
        assert row.expires_at is not None
        assert abs(row.expires_at - now() - timedelta(hours=1)) < timedelta(minutes=1)
        row.expires_at = now() - timedelta(seconds=1)
    with pytest.raises(Unauthorized, match=r"This token is expired since .* UTC"):
        use(database, old)


def test_grace_does_not_prolong_a_token(database: Database) -> None:
    caller, old = create(database, expires_in=timedelta(minutes=5))
    rotate(database, caller, grace_seconds=86_400)
    with database.read() as session:
        row = tokens.find(session, old)
        assert row is not None
        assert row.expires_at is not None
        assert row.expires_at < now() + timedelta(minutes=6)


def test_rotations_do_not_extend_a_token(database: Database) -> None:
    """Regression: its holder made ten years of an hour (S104)."""
    caller, _ = create(database, expires_in=timedelta(hours=1))
    with database.read() as session:
        end = session.get_one(APIToken, caller.token_id).expires_at
    made = rotate(database, caller)
    again = use(database, made.token)
    assert again is not None
    ten_years = RotationRequest(expires_in_seconds=10 * 365 * 86_400)
    with pytest.raises(InvalidRequest, match="which no rotation extends"):
        service.rotate_token(database, again, "self", ten_years)
    shorter = service.rotate_token(database, again, "self", RotationRequest(expires_in_seconds=60))
    assert made.expires_at == end
    assert end is not None
    assert shorter.expires_at is not None
    assert shorter.expires_at < end
    admin, _ = create(database, "admin")
    assert service.rotate_token(database, admin, "self", ten_years).expires_at is not None


def test_revocation_reaches_every_copy_and_every_session(database: Database) -> None:
    """Regression: a stolen token that its holder had rotated survived its revocation (S104)."""
    caller, stolen = create(database, "admin")
    copy = rotate(database, caller, grace_seconds=86_400)
    thief = use(database, copy.token)
    assert thief is not None
    second = rotate(database, thief, grace_seconds=86_400)
    with database.write() as session:
        cookie = sessions.open_by_token(session, second.token)
    _, other = create(database, "admin")

    service.revoke_token(database, str(caller.token_id))

    assert [refused(database, text) for text in (stolen, copy.token, second.token, other)] == [True, True, True, False]
    with database.read() as session:
        assert sessions.find(session, cookie) is None


def test_what_a_token_made_belongs_to_the_one_that_replaced_it(database: Database) -> None:
    caller, _ = create(database)
    successor = use(database, rotate(database, caller).token)
    namesake, _ = create(database)
    assert successor is not None
    successor.require_own(caller.family_id, "Run x was submitted by laptop", "Delete")
    for stranger in (namesake, Caller("viewer", "this machine")):
        with pytest.raises(Forbidden, match="Run x was submitted by laptop"):
            stranger.require_own(caller.family_id, "Run x was submitted by laptop", "Delete")
    with pytest.raises(Forbidden):
        Caller("viewer", "this machine").require_own(None, "Run x was submitted by an unknown token", "Delete")


def test_second_rotation_ends_a_new_token_that_was_never_used(database: Database) -> None:
    caller, _ = create(database)
    lost = rotate(database, caller)
    made = rotate(database, caller)
    assert refused(database, lost.token)
    assert not refused(database, made.token)


def test_only_admins_rotate_the_tokens_of_others(database: Database) -> None:
    caller, _ = create(database)
    other, other_text = create(database, "viewer")
    assert other.token_id is not None
    with pytest.raises(Forbidden, match="only by an admin"):
        service.rotate_token(database, caller, other.token_id, RotationRequest())
    with pytest.raises(Forbidden, match="only by an admin"):
        service.rotate_token(database, Caller("viewer", "this machine"), "self", RotationRequest())
    admin, _ = create(database, "admin")
    made = service.rotate_token(database, admin, other.token_id, RotationRequest(grace_seconds=0))
    assert made.role == "viewer"
    assert refused(database, other_text)


def test_join_code_ended_token_and_unknown_id_are_refused(database: Database) -> None:
    admin, _ = create(database, "admin")
    join, _ = create(database, "join")
    ended, _ = create(database, "viewer")
    assert join.token_id is not None
    assert ended.token_id is not None
    service.revoke_token(database, ended.token_id)
    for token_id in (join.token_id, ended.token_id):
        with pytest.raises(Conflict, match=r"used once|expired or revoked"):
            service.rotate_token(database, admin, token_id, RotationRequest())
    with pytest.raises(NotFound):
        service.rotate_token(database, admin, "absent", RotationRequest())
