from datetime import UTC, datetime
from typing import Any

import pytest

from orchestrator.runs.schemas import Activity, RunSummary
from orchestrator.web.formats import run_actions


def summary(**changes: Any) -> RunSummary:
    values: dict[str, Any] = {
        "id": "r", "name": "run", "description": "", "tags": [], "archived_at": None, "state": "running",
        "waiting_for": [], "waiting_for_builds": [],
        "waiting_for_chunks": [],
        "reason": "", "priority": 0, "seed": 7, "repetitions": 3, "registered_repetitions": None,
        "executions_total": 10, "executions_done": 4,
        "ok": 3, "wrong": 1, "disputed": 0, "failed": 0, "skipped": 0, "disturbed": 2, "estimated_seconds": 9.0,
        "fastest_call_ns": None, "fastest_encryption_bytes_per_second": None, "agents": [],
        "seconds_left": 5.0, "executions_per_second": 2.0, "input_bytes_per_second": None,
        "submitted_at": datetime(2026, 11, 22, tzinfo=UTC), "submitted_by": "", "owner_id": None, "started_at": None,
        "finished_at": None, "activity": Activity(name="measuring", since=None, cause=""),
    }  # fmt: skip
    return RunSummary(**{**values, **changes})


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
    assert run_actions(summary(**changes)) == actions
