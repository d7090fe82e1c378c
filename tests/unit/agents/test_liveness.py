from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from orchestrator.agents.liveness import is_live, is_serving, live, serving
from orchestrator.database.models import Agent
from orchestrator.wire.heartbeats import INTERVAL_SECONDS, LIVE_SECONDS
from tests.support.empty_database import empty_database

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
AGES = (None, 0.0, LIVE_SECONDS - 0.001, LIVE_SECONDS, LIVE_SECONDS + 0.001, 3600.0)
"""Of the last heartbeat, in seconds; None: no heartbeat yet."""
HEALTH = ("unchecked", "healthy", "degraded", "quarantined")


def agent(name: str, age: float | None = 0.0, health: str = "healthy", *, approved: bool = True) -> Agent:
    return Agent(
        id=name,
        name=name,
        broker_password_hash="0" * 64,
        last_heartbeat_at=None if age is None else AT - timedelta(seconds=age),
        approved_at=AT if approved else None,
        health=health,
    )


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A database with one agent of every combination of heartbeat age, health, approval and revocation."""
    with empty_database(tmp_path_factory.mktemp("liveness")) as database:
        with database.write() as writing:
            for number, (age, health, approved, is_revoked) in enumerate(
                product(AGES, HEALTH, (True, False), (True, False))
            ):
                one = agent(f"agent-{number}", age, health, approved=approved)
                one.revoked_at = AT if is_revoked else None
                writing.add(one)
        with database.read() as reading:
            yield reading


def selected(session: Session, condition: ColumnElement[bool]) -> set[str]:
    return set(session.scalars(select(Agent.id).where(condition)))


def test_two_lost_heartbeats_do_not_make_an_agent_silent() -> None:
    assert LIVE_SECONDS > 3 * INTERVAL_SECONDS


class TestLive:
    def test_query_selects_exactly_the_live_agents(self, session: Session) -> None:
        expected = {one.id for one in session.scalars(select(Agent)) if is_live(one, AT)}
        assert selected(session, live(AT)) == expected
        # Three of six ages, every health, approved or not, not revoked.
        assert len(expected) == 3 * len(HEALTH) * 2

    @pytest.mark.parametrize(("age", "expected"), [(LIVE_SECONDS, True), (LIVE_SECONDS + 0.001, False), (None, False)])
    def test_heartbeat_within_live_seconds_is_required(self, age: float | None, expected: bool) -> None:
        assert is_live(agent("pi", age), AT) is expected


class TestServing:
    def test_query_selects_exactly_the_serving_agents(self, session: Session) -> None:
        expected = {one.id for one in session.scalars(select(Agent)) if is_serving(one, AT)}
        assert selected(session, serving(AT)) == expected
        # Three of six ages, every health but quarantined, approved, not revoked.
        assert len(expected) == 3 * (len(HEALTH) - 1)
