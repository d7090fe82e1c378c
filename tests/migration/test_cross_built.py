"""Builds of earlier versions were compiled on their agents: they have no origin elsewhere."""

from pathlib import Path

import pytest
from sqlalchemy import select

from orchestrator.database.models import Build
from tests.support.earlier_database import earlier_database, migrated

pytestmark = pytest.mark.long  # a migration that no commit changes any more


def test_earlier_builds_are_not_cross_built(tmp_path: Path) -> None:
    url = earlier_database(tmp_path, "0006", [
        ("agents", {"id": "a" * 12, "name": "pi"}),
        ("builds", {"agent_id": "a" * 12, "build_key": "b" * 64, "current": True, "is_default": True}),
    ])  # fmt: skip
    with migrated(url) as database, database.read() as session:
        assert session.scalars(select(Build.cross_built)).all() == [None]
