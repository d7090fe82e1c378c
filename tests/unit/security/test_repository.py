"""Lists of tokens are complete and ordered, and a one-time code is exchanged once."""

from datetime import timedelta

from orchestrator.database.engine import Database
from orchestrator.database.models import APIToken, now
from orchestrator.service.security import repository

AT = now()


def add_tokens(database: Database, ages_seconds: dict[str, int]) -> None:
    with database.write() as session:
        for token_id, age in ages_seconds.items():
            session.add(
                APIToken(
                    id=token_id,
                    family_id=token_id,
                    sha256=token_id * 8,
                    role="viewer",
                    label="",
                    created_at=AT - timedelta(seconds=age),
                )
            )


def test_list_tokens_continues_after_the_last_one_of_a_page(database: Database) -> None:
    # Three tokens have the same time of creation, so that the id decides.
    add_tokens(database, {"b": 5, "a": 5, "c": 5, "new": 1, "old": 9})
    with database.read() as session:
        pages = [repository.list_tokens(session, None, limit=1)]
        while pages[-1].next_cursor:
            pages.append(repository.list_tokens(session, pages[-1].next_cursor, limit=1))

    assert [row.id for page in pages for row in page.items] == ["new", "a", "b", "c", "old"]


def test_set_token_used_changes_only_that_token(database: Database) -> None:
    add_tokens(database, {"a": 1, "b": 1})
    with database.write() as session:
        repository.set_token_used(session, "a", AT)

    with database.read() as session:
        tokens = repository.list_tokens(session, None, 9).items
        assert {token.id: token.used_at for token in tokens} == {"a": AT, "b": None}
