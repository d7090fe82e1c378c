"""Agents that were enrolled before invitations existed have no labels."""

from pathlib import Path

from alembic import command
from sqlalchemy import MetaData, Table, create_engine, select

from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date, config_for
from orchestrator.database.models import Agent, now


def test_earlier_agents_have_no_labels(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ciphermark.sqlite'}"
    command.upgrade(config_for(url), "0004")
    engine = create_engine(url)
    with engine.begin() as connection:
        agents = Table("agents", MetaData(), autoload_with=connection)
        connection.execute(
            agents.insert().values(
                id="a" * 12,
                name="pi",
                enrolled_at=now().replace(tzinfo=None),
                broker_password_hash="0" * 64,
                state="ready",
                activity="",
                held_jobs=[],
                undelivered_records=0,
                health="healthy",
                health_reason="",
                health_check_requested=False,
            )
        )
    engine.dispose()
    bring_up_to_date(url)
    database = Database(url)
    with database.read() as session:
        assert session.scalars(select(Agent.labels)).all() == [[]]
    database.close()
