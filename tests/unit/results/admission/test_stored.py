"""Times of stored executions are held to the bounds of records."""

from pathlib import Path

from sqlalchemy import select

from orchestrator.database.engine import Database
from orchestrator.database.models import Execution
from orchestrator.results.admission.stored import broken_times
from tests.support.database import Shape, fill
from tests.support.migrated_database import migrated_database


def test_each_impossible_time_is_named_with_its_case(tmp_path: Path) -> None:
    database = Database(migrated_database(tmp_path))
    fill(database, Shape(repetitions=3, algorithms=("aes-128-ctr",), kinds=("text",), with_curves=False))
    before = broken_times(database)
    with database.write() as session:
        execution = session.scalars(select(Execution).where(Execution.state == "ok")).first()
        assert execution is not None
        execution.process_wall_ns = 500
    (found,) = broken_times(database)
    database.close()
    assert before == []
    assert f"botan aes-128-ctr default, repetition {execution.repetition}: process_wall_ns is 500 ns" in found
