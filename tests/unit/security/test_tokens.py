"""Tokens have a documented format, only their digest is stored, and they end by expiry or revocation."""

import re
from datetime import timedelta

import pytest

from orchestrator.database.engine import Database
from orchestrator.database.models import APIToken, now
from orchestrator.service.security import tokens


class TestCreate:
    def test_text_names_the_role_and_has_256_random_bits(self, database: Database) -> None:
        with database.write() as session:
            token, plain = tokens.create(session, "submitter", "laptop")

        assert re.fullmatch(r"cm_submitter_[A-Za-z0-9_-]{43}", plain)
        assert (token.role, token.label, token.expires_at, token.revoked_at) == ("submitter", "laptop", None, None)


class TestIsValid:
    def test_token_expires_at_its_time_of_expiry(self) -> None:
        at = now()
        token = APIToken(expires_at=at)

        assert tokens.is_valid(token, at - timedelta(microseconds=1))
        assert not tokens.is_valid(token, at)


class TestIsUseNoted:
    @pytest.mark.parametrize(("age_seconds", "noted"), [(0, True), (59, True), (60, False), (3600, False)])
    def test_use_is_stored_once_a_minute(self, age_seconds: int, noted: bool) -> None:
        at = now()

        assert tokens.is_use_noted(APIToken(used_at=at - timedelta(seconds=age_seconds)), at) is noted

    def test_first_use_is_stored(self) -> None:
        assert not tokens.is_use_noted(APIToken(used_at=None), now())


class TestRevoke:
    def test_second_revocation_keeps_the_time_of_the_first(self, database: Database) -> None:
        with database.write() as session:
            token, _ = tokens.create(session, "viewer", "")
            tokens.revoke(session, token.id)
            first = token.revoked_at
            tokens.revoke(session, token.id)

            assert first is not None
            assert token.revoked_at == first
