from datetime import UTC, datetime
from typing import Any

import pytest

from orchestrator.runs.schemas import Activity, ActivityName, RunAgent, RunSummary
from orchestrator.web.runs.cards import run_card


def activity(name: ActivityName) -> Activity:
    return Activity(name=name, since=None, cause="")


def summary(**changes: Any) -> RunSummary:
    values: dict[str, Any] = {
        "id": "r", "name": "run", "description": "", "tags": [], "archived_at": None, "state": "running",
        "waiting_for": [], "waiting_for_builds": [],
        "waiting_for_chunks": [],
        "reason": "", "priority": 0, "seed": 7, "repetitions": 3, "registered_repetitions": None,
        "executions_total": 10, "executions_done": 4,
        "ok": 3, "wrong": 1, "disputed": 0, "failed": 0, "skipped": 0, "disturbed": 2, "estimated_seconds": 9.0,
        "seconds_left": 5.0, "executions_per_second": 2.0, "input_bytes_per_second": None, "agents": [],
        "submitted_at": datetime(2026, 11, 22, tzinfo=UTC), "submitted_by": "", "owner_id": None, "started_at": None,
        "finished_at": None, "activity": activity("measuring"),
    }  # fmt: skip
    return RunSummary(**{**values, **changes})


def agent(name: str, **changes: Any) -> RunAgent:
    values = {
        "id": name, "name": name, "live": True, "has_open_jobs": True, "health": "healthy", "health_reason": "",
        "health_checked_at": None, "activity": activity("queued"),
    }  # fmt: skip
    return RunAgent(**{**values, **changes})


@pytest.mark.parametrize(
    ("changes", "state", "actions"),
    [
        ({}, "measuring", ["pause", "cancel"]),
        ({"activity": activity("waiting for agent")}, "waiting for agent", ["pause", "cancel"]),
        ({"activity": activity("queued")}, "queued", ["pause", "cancel"]),
        ({"state": "planned", "activity": activity("building")}, "building", ["pause", "cancel"]),
        ({"state": "paused", "activity": activity("paused")}, "paused", ["resume", "cancel"]),
        ({"state": "cancelled", "activity": activity("cancelled")}, "cancelled", ["resume", "archive", "delete"]),
        ({"state": "failed", "activity": activity("failed")}, "failed", ["resume", "archive", "delete"]),
        ({"state": "finished", "activity": activity("finished")}, "finished", ["archive", "delete"]),
    ],
)
def test_card_shows_what_the_run_waits_for_and_its_operations(
    changes: dict[str, Any], state: str, actions: list[str]
) -> None:
    card = run_card(summary(**changes))
    assert (card.state, card.actions) == (state, actions)


def test_tally_counts_ended_executions() -> None:
    tally = run_card(summary()).tally
    assert (tally.ended, tally.total, tally.disturbed) == (4, 10, 2)


def test_quarantined_agents_are_named_while_they_have_open_jobs() -> None:
    ill = {"health": "quarantined", "health_reason": "too slow"}
    agents = [agent("pi4", **ill), agent("pi5", **ill, has_open_jobs=False), agent("pc")]
    assert run_card(summary(agents=agents)).quarantined == {"pi4": "too slow"}
