"""Agents that were enrolled before invitations existed have no labels."""

from pathlib import Path

import pytest
from sqlalchemy import select

from orchestrator.database.models import Agent
from tests.support.earlier_database import earlier_database, migrated

pytestmark = pytest.mark.long  # a migration that no commit changes any more


def test_earlier_agents_have_no_labels(tmp_path: Path) -> None:
    url = earlier_database(tmp_path, "0004", [("agents", {"id": "a" * 12, "name": "pi"})])
    with migrated(url) as database, database.read() as session:
        assert session.scalars(select(Agent.labels)).all() == [[]]
