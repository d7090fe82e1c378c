"""Tokens and agents of earlier versions: no token replaces another, no queue is closed, Redis passwords stay."""

from pathlib import Path

from alembic import command
from sqlalchemy import MetaData, Table, create_engine, select

from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date, config_for
from orchestrator.database.models import Agent, APIToken, WebSession, now
from orchestrator.queue.redis_users import AgentUser
from orchestrator.scheduler.repository import agent_users


def test_earlier_tokens_and_sessions_remain_valid(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ciphermark.sqlite'}"
    command.upgrade(config_for(url), "0013")
    engine, at = create_engine(url), now().replace(tzinfo=None)
    agent = {"id": "a" * 12, "name": "pi", "labels": [], "enrolled_at": at, "approved_at": at,
             "broker_password_hash": "0" * 64, "state": "ready", "activity": "", "held_jobs": [],
             "undelivered_records": 0, "health": "healthy", "health_reason": "",
             "health_check_requested": False, "notice": ""}  # fmt: skip
    token = {"id": "t" * 12, "sha256": "1" * 64, "role": "agent", "label": "pi", "agent_id": "a" * 12, "created_at": at}
    session_row = {"role": "admin", "token_id": "t" * 12, "created_at": at, "expires_at": at, "cookie_sha256": "2" * 64}
    with engine.begin() as connection:
        for name, row in (("agents", agent), ("api_tokens", token), ("web_sessions", session_row)):
            table = Table(name, MetaData(), autoload_with=connection)
            connection.execute(table.insert().values(**row))
    engine.dispose()
    bring_up_to_date(url)
    database = Database(url)
    with database.read() as session:
        assert session.scalars(select(Agent.queue_closed_reason)).all() == [None]
        assert session.execute(select(APIToken.id, APIToken.agent_id, APIToken.replaces_id)).all() == [
            ("t" * 12, "a" * 12, None)
        ]
        assert session.scalars(select(APIToken.broker_password_hash)).all() == [None]
        assert agent_users(session, now()) == [AgentUser("a" * 12, ("0" * 64,))]
        assert session.scalars(select(WebSession.token_id)).all() == ["t" * 12]
    database.close()
