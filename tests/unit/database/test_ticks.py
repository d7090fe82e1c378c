"""The last tick of each program is one row."""

from datetime import timedelta

from orchestrator.database.engine import Database
from orchestrator.database.models import Tick, now
from orchestrator.database.ticks import last_tick, note_tick


def test_newer_tick_replaces_the_older_one_of_its_program(database: Database) -> None:
    first, second = now(), now() + timedelta(seconds=1)
    with database.write() as session:
        note_tick(session, first)
        note_tick(session, second)
        note_tick(session, first, "other")

    with database.read() as session:
        assert (last_tick(session), last_tick(session, "other")) == (second, first)
        assert session.query(Tick).count() == 2
