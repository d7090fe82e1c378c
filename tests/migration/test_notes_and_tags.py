"""Agents of earlier versions have no notes; runs have no tags and are not archived."""

from datetime import UTC, datetime
from pathlib import Path

from alembic import command
from sqlalchemy import MetaData, Table, create_engine

from orchestrator.agents.service import list_all_agents
from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date, config_for
from orchestrator.runs.selection import NEWEST_FIRST, RunSelection
from orchestrator.runs.service import list_selected_runs

AT = datetime(2026, 11, 22, tzinfo=UTC).replace(tzinfo=None)


def test_earlier_agents_and_runs_are_listed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ciphermark.sqlite'}"
    command.upgrade(config_for(url), "0021")
    engine = create_engine(url)
    rows: list[tuple[str, dict[str, object]]] = [
        ("agents", {
            "id": "agent0000001", "name": "pi", "enrolled_at": AT, "broker_password_hash": "0" * 64, "state": "ready",
            "activity": "", "held_jobs": [], "undelivered_records": 0, "health": "healthy", "health_reason": "",
            "health_check_requested": False, "labels": ["kitchen"], "notice": "",
        }),
        ("runs", {
            "id": "run000000001", "name": "r", "plan": {}, "seed": 1, "state": "finished", "reason": "", "priority": 5,
            "start": "together", "executions_total": 3, "rounds_open": False, "submitted_at": AT, "submitted_by": "",
        }),
    ]  # fmt: skip
    with engine.begin() as connection:
        for name, row in rows:
            connection.execute(Table(name, MetaData(), autoload_with=connection).insert().values(row))
    engine.dispose()
    bring_up_to_date(url)
    database = Database(url)
    assert [(agent.labels, agent.notes) for agent in list_all_agents(database)] == [(["kitchen"], "")]
    found = list_selected_runs(database, RunSelection(), NEWEST_FIRST, 0, 10)
    assert [(run.id, run.tags, run.archived_at) for run in found.items] == [("run000000001", [], None)]
    database.close()
