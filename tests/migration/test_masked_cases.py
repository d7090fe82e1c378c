"""Cases of earlier versions had one share; unmasked cases have none."""

from datetime import UTC, datetime
from pathlib import Path

from alembic import command
from sqlalchemy import MetaData, Table, create_engine, inspect, select

from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date, config_for
from orchestrator.database.models import Case

AT = datetime(2026, 11, 22, tzinfo=UTC).replace(tzinfo=None)


def test_earlier_cases_have_no_shares(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ciphermark.sqlite'}"
    command.upgrade(config_for(url), "0019")
    engine = create_engine(url)
    rows: list[tuple[str, dict[str, object]]] = [
        ("agents", {
            "id": "agent0000001", "name": "pi", "enrolled_at": AT, "broker_password_hash": "0" * 64, "state": "ready",
            "activity": "", "held_jobs": [], "undelivered_records": 0, "health": "healthy", "health_reason": "",
            "health_check_requested": False, "labels": [], "notice": "",
        }),
        ("builds", {
            "id": 1, "agent_id": "agent0000001", "build_key": "2" * 64, "toolchain": {}, "compiler_version": "12",
            "prebuilt": False, "compile_commands": {}, "runners": {}, "missing_providers": {}, "reported_at": AT,
            "current": True, "is_default": False,
        }),
        ("runs", {
            "id": "run000000001", "name": "r", "plan": {}, "seed": 1, "state": "running", "reason": "", "priority": 5,
            "start": "together", "executions_total": 3, "rounds_open": False, "submitted_at": AT, "submitted_by": "",
        }),
        ("cases", {
            "id": 1, "run_id": "run000000001", "number": 0, "agent_id": "agent0000001", "build_id": 1,
            "protocol": "process", "operation": "encrypt-decrypt", "provider": "own", "algorithm": "ascon-128",
            "variant": "opt64", "input_sha256": "3" * 64, "message_bytes": 16, "associated_data_bytes": 0,
            "shares": 1, "copy": 1,
        }),
    ]  # fmt: skip
    with engine.begin() as connection:
        for name, row in rows:
            connection.execute(Table(name, MetaData(), autoload_with=connection).insert().values(row))
    engine.dispose()
    bring_up_to_date(url)
    database = Database(url)
    with database.read() as session:
        (case,) = session.scalars(select(Case)).all()
        assert (case.variant, case.shares, case.masking, case.generator) == ("opt64", None, None, None)
    # The table was made again: its indexes and its unique numbers are still there.
    found = inspect(database.engine)
    assert "ix_cases_digest" in {index["name"] for index in found.get_indexes("cases")}
    assert [one["column_names"] for one in found.get_unique_constraints("cases")] == [["run_id", "number"]]
    database.close()
    command.downgrade(config_for(url), "0019")
    engine = create_engine(url)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT shares FROM cases").scalars().all() == [1]
    engine.dispose()
