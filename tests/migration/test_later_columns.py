"""Agents, builds and runs of version 0.1 have none of what was introduced after them: labels, notes, tags, watches."""

from pathlib import Path

import pytest
from sqlalchemy import select

from orchestrator.agents.service import list_all_agents
from orchestrator.database.models import Build
from orchestrator.runs.selection import NEWEST_FIRST, RunSelection
from orchestrator.runs.service import list_selected_runs
from orchestrator.watches.service import list_watches
from tests.support.earlier_database import earlier_database, migrated

pytestmark = pytest.mark.long  # a migration that no commit changes any more

AGENT, RUN = "agent0000001", "run000000001"


def test_earlier_agents_builds_and_runs_are_listed_without_what_came_later(tmp_path: Path) -> None:
    url = earlier_database(tmp_path, "0004", [
        ("agents", {"id": AGENT, "name": "pi", "state": "ready", "health": "healthy", "held_jobs": []}),
        ("builds", {"agent_id": AGENT, "build_key": "b" * 64, "current": True, "is_default": True}),
        ("runs", {"id": RUN, "name": "r", "state": "finished"}),
    ])  # fmt: skip
    with migrated(url) as database:
        with database.read() as session:
            assert [(agent.labels, agent.notes) for agent in list_all_agents(session)] == [([], "")]
            found = list_selected_runs(session, RunSelection(), NEWEST_FIRST, 0, 10)
        assert [(run.id, run.tags, run.archived_at) for run in found.items] == [(RUN, [], None)]
        assert list_watches(database) == []
        with database.read() as session:
            assert session.scalars(select(Build.cross_built)).all() == [None]
