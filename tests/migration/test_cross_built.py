"""Builds of earlier versions were compiled on their agents: they have no origin elsewhere."""

from pathlib import Path

from alembic import command
from sqlalchemy import MetaData, Table, create_engine, select

from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date, config_for
from orchestrator.database.models import Build, now


def test_earlier_builds_are_not_cross_built(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ciphermark.sqlite'}"
    command.upgrade(config_for(url), "0006")
    engine = create_engine(url)
    with engine.begin() as connection:
        agents, builds = (Table(name, MetaData(), autoload_with=connection) for name in ("agents", "builds"))
        connection.execute(
            agents.insert().values(
                id="a" * 12, name="pi", enrolled_at=now().replace(tzinfo=None), broker_password_hash="0" * 64,
                state="ready", activity="", held_jobs=[], undelivered_records=0, health="healthy", health_reason="",
                health_check_requested=False, labels=[],
            )
        )  # fmt: skip
        connection.execute(
            builds.insert().values(
                agent_id="a" * 12, build_key="b" * 64, toolchain={}, compiler_version="g++ 12", prebuilt=False,
                runners={}, missing_providers={}, compile_commands={}, reported_at=now().replace(tzinfo=None),
                current=True, is_default=True,
            )
        )  # fmt: skip
    engine.dispose()
    bring_up_to_date(url)
    database = Database(url)
    with database.read() as session:
        assert session.scalars(select(Build.cross_built)).all() == [None]
    database.close()
