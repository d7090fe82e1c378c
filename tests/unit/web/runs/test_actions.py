from datetime import UTC, datetime
from typing import Any

import pytest

from orchestrator.runs.schemas import RunSummary
from orchestrator.web.formats import run_actions
from tests.support.models import built


@pytest.mark.parametrize(
    ("changes", "actions"),
    [
        ({}, ["pause", "cancel"]),
        ({"state": "planned"}, ["pause", "cancel"]),
        ({"state": "paused"}, ["resume", "cancel"]),
        ({"state": "cancelled"}, ["resume", "archive", "delete"]),
        ({"state": "failed"}, ["resume", "archive", "delete"]),
        ({"state": "finished"}, ["archive", "delete"]),
        ({"state": "finished", "archived_at": datetime(2026, 11, 23, tzinfo=UTC)}, ["unarchive", "delete"]),
    ],
)
def test_state_of_a_run_decides_its_operations(changes: dict[str, Any], actions: list[str]) -> None:
    assert run_actions(built(RunSummary, {"state": "running"}, **changes)) == actions
