"""A guarded change reports how many rows fitted its condition."""

from sqlalchemy import delete, update

from orchestrator.database.engine import Database
from orchestrator.database.models import Agent
from orchestrator.database.rows import changed


def test_changed_counts_the_rows_that_fit_the_condition(database: Database) -> None:
    with database.write() as session:
        for name in ("a", "b", "c"):
            session.add(Agent(id=name, name=name, broker_password_hash="0" * 64))
    expecting_enrolled = update(Agent).where(Agent.id.in_(["a", "b"]), Agent.state == "enrolled").values(state="ready")

    with database.write() as session:
        assert changed(session, expecting_enrolled) == 2
        assert changed(session, expecting_enrolled) == 0
        assert changed(session, delete(Agent).where(Agent.state == "enrolled")) == 1
