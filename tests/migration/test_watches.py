"""Databases of earlier versions get the tables of watches, empty."""

from pathlib import Path

import pytest

from orchestrator.watches.service import list_watches
from tests.support.earlier_database import earlier_database, migrated

pytestmark = pytest.mark.long  # a migration that no commit changes any more


def test_earlier_databases_have_no_watch_after_the_migration(tmp_path: Path) -> None:
    url = earlier_database(tmp_path, "0026", [
        ("agents", {"id": "agent0000001", "name": "pi", "state": "ready", "health": "healthy", "labels": [],
                    "held_jobs": [], "notes": ""}),
    ])  # fmt: skip
    with migrated(url) as database:
        assert list_watches(database) == []
