"""Runs of earlier versions: the agents of laid-out runs are those of their cases; all agents start together."""

from datetime import UTC, datetime
from pathlib import Path

from alembic import command
from sqlalchemy import MetaData, Table, create_engine, select

from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date, config_for
from orchestrator.database.models import Run, RunAgent

AT = datetime(2026, 11, 22, tzinfo=UTC).replace(tzinfo=None)


def test_agents_of_earlier_runs_follow_from_their_cases(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ciphermark.sqlite'}"
    command.upgrade(config_for(url), "0008")
    engine = create_engine(url)
    run = {
        "name": "r", "plan": {}, "seed": 1, "reason": "", "priority": 5, "executions_total": 3, "rounds_open": False,
        "submitted_at": AT, "submitted_by": "",
    }  # fmt: skip
    rows: list[tuple[str, dict[str, object]]] = [
        ("agents", {
            "id": "agent0000001", "name": "pi", "enrolled_at": AT, "broker_password_hash": "0" * 64, "state": "ready",
            "activity": "", "held_jobs": [], "undelivered_records": 0, "health": "healthy", "health_reason": "",
            "health_check_requested": False, "labels": [],
        }),
        ("builds", {
            "id": 1, "agent_id": "agent0000001", "build_key": "2" * 64, "toolchain": {}, "compiler_version": "12",
            "prebuilt": False, "compile_commands": {}, "runners": {}, "missing_providers": {}, "reported_at": AT,
            "current": True, "is_default": False,
        }),
        ("runs", run | {"id": "laidout00001", "state": "running", "laid_out_at": AT}),
        ("runs", run | {"id": "planned00001", "state": "planned"}),
        ("cases", {
            "id": 1, "run_id": "laidout00001", "number": 0, "agent_id": "agent0000001", "build_id": 1,
            "protocol": "process", "operation": "encrypt-decrypt", "provider": "own", "algorithm": "a",
            "variant": "ref", "message_bytes": 16, "associated_data_bytes": 0, "shares": 1, "copy": 1,
        }),
        ("jobs", {
            "id": 1, "run_id": "laidout00001", "agent_id": "agent0000001", "number": 0, "state": "waiting",
            "reason": "", "executions_total": 3, "attempts": 0,
        }),
    ]  # fmt: skip
    with engine.begin() as connection:
        for name, row in rows:
            connection.execute(Table(name, MetaData(), autoload_with=connection).insert().values(row))
    engine.dispose()
    bring_up_to_date(url)
    database = Database(url)
    with database.read() as session:
        (part,) = session.scalars(select(RunAgent)).all()
        assert (part.run_id, part.agent_id, part.executions_total) == ("laidout00001", "agent0000001", 3)
        assert part.laid_out_at == AT.replace(tzinfo=UTC)
        assert set(session.scalars(select(Run.start))) == {"together"}
    database.close()
