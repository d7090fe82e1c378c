"""Tokens and agents of earlier versions: no token replaces another, no queue is closed, Redis passwords stay."""

from pathlib import Path

import pytest
from sqlalchemy import select

from orchestrator.database.models import Agent, APIToken, WebSession, now
from orchestrator.queue.redis_users import AgentUser
from orchestrator.scheduler.repository import agent_users
from tests.support.earlier_database import AT, earlier_database, migrated

pytestmark = pytest.mark.long  # a migration that no commit changes any more

AGENT, TOKEN = "a" * 12, "t" * 12


def test_earlier_tokens_and_sessions_remain_valid(tmp_path: Path) -> None:
    url = earlier_database(tmp_path, "0013", [
        ("agents", {"id": AGENT, "name": "pi", "state": "ready", "approved_at": AT, "broker_password_hash": "0" * 64}),
        ("api_tokens", {"id": TOKEN, "sha256": "1" * 64, "role": "agent", "label": "pi", "agent_id": AGENT}),
        ("web_sessions", {"role": "admin", "token_id": TOKEN, "cookie_sha256": "2" * 64}),
    ])  # fmt: skip
    with migrated(url) as database, database.read() as session:
        assert session.scalars(select(Agent.queue_closed_reason)).all() == [None]
        assert session.execute(select(APIToken.id, APIToken.agent_id, APIToken.replaces_id)).all() == [
            (TOKEN, AGENT, None)
        ]
        assert session.scalars(select(APIToken.broker_password_hash)).all() == [None]
        assert agent_users(session, now()) == [AgentUser(AGENT, ("0" * 64,))]
        assert session.scalars(select(WebSession.token_id)).all() == [TOKEN]
