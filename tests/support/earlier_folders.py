"""Data folders of earlier versions: tests/fixtures/earlier-folders, whose README has the script that made them."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from alembic import command

from orchestrator.database.migrate import config_for
from tests.support.paths import FIXTURES

REVISIONS = {"113b4d6": "0003", "29fe9aa": "0004", "5d17c213": "0028"}
"""Commit that wrote the folder → schema of its database."""


def earlier_folder(commit: str, folder: Path) -> Path:
    """Write the data folder of ``up`` as this version left it, and return it: database, identity and journal."""
    stored = FIXTURES / "earlier-folders" / commit
    identity = (stored / "identity.json").read_bytes()
    agent_folder = folder / "agent"
    agent_folder.mkdir(parents=True, mode=0o700)
    (agent_folder / "identity.json").write_bytes(identity)
    (agent,) = (document for document in json.loads(identity).values() if isinstance(document, dict))
    _execute(agent_folder / f"journal-{agent['agent_id']}.sqlite", (stored / "journal.sql").read_text())
    database = folder / "ciphermark.sqlite"
    command.upgrade(config_for(f"sqlite:///{database}"), REVISIONS[commit])
    # The migrations have written rows of these tables already.
    emptied = "DELETE FROM alembic_version;" + ("DELETE FROM generations;" if REVISIONS[commit] >= "0017" else "")
    _execute(database, emptied + (stored / "database.sql").read_text())
    return folder


def _execute(path: Path, statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(statements)
