"""Agents of earlier versions have no notes; runs have no tags and are not archived."""

from pathlib import Path

import pytest

from orchestrator.agents.service import list_all_agents
from orchestrator.runs.selection import NEWEST_FIRST, RunSelection
from orchestrator.runs.service import list_selected_runs
from tests.support.earlier_database import earlier_database, migrated

pytestmark = pytest.mark.long  # a migration that no commit changes any more


def test_earlier_agents_and_runs_are_listed(tmp_path: Path) -> None:
    url = earlier_database(tmp_path, "0021", [
        ("agents", {"id": "agent0000001", "name": "pi", "state": "ready", "health": "healthy", "labels": ["kitchen"],
                    "held_jobs": []}),
        ("runs", {"id": "run000000001", "name": "r", "state": "finished", "start": "together"}),
    ])  # fmt: skip
    with migrated(url) as database:
        assert [(agent.labels, agent.notes) for agent in list_all_agents(database)] == [(["kitchen"], "")]
        found = list_selected_runs(database, RunSelection(), NEWEST_FIRST, 0, 10)
        assert [(run.id, run.tags, run.archived_at) for run in found.items] == [("run000000001", [], None)]
