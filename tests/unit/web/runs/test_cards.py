from datetime import UTC, datetime
from typing import Any

import pytest

from orchestrator.runs.schemas import RunAgent, RunSummary
from orchestrator.web.runs.cards import run_card


def summary(**changes: Any) -> RunSummary:
    values: dict[str, Any] = {
        "id": "r", "name": "run", "description": "", "state": "running", "waiting_for": [], "waiting_for_builds": [],
        "waiting_for_chunks": [],
        "reason": "", "priority": 0, "seed": 7, "repetitions": 3, "executions_total": 10, "executions_done": 4,
        "ok": 3, "wrong": 1, "disputed": 0, "failed": 0, "skipped": 0, "disturbed": 2, "estimated_seconds": 9.0,
        "seconds_left": 5.0, "executions_per_second": 2.0, "input_bytes_per_second": None, "agents": [],
        "submitted_at": datetime(2026, 11, 22, tzinfo=UTC), "submitted_by": "", "started_at": None,
        "finished_at": None,
    }  # fmt: skip
    return RunSummary(**{**values, **changes})


def agent(name: str, **changes: Any) -> RunAgent:
    values = {"id": name, "name": name, "live": True, "has_open_jobs": True, "health": "healthy", "health_reason": ""}
    return RunAgent(**{**values, **changes})


@pytest.mark.parametrize(
    ("changes", "state", "actions"),
    [
        ({}, "running", ["pause", "cancel"]),
        ({"waiting_for": ["pi"]}, "waiting for agent", ["pause", "cancel"]),
        ({"state": "planned", "waiting_for_builds": ["pi gcc -O3"]}, "waiting for builds", ["pause", "cancel"]),
        ({"state": "paused"}, "paused", ["resume", "cancel"]),
        ({"state": "cancelled"}, "cancelled", ["resume"]),
        ({"state": "finished"}, "finished", []),
    ],
)
def test_card_shows_what_the_run_waits_for_and_its_operations(
    changes: dict[str, Any], state: str, actions: list[str]
) -> None:
    card = run_card(summary(**changes))
    assert (card.state, card.actions) == (state, actions)


def test_tally_counts_ended_executions() -> None:
    tally = run_card(summary()).tally
    assert (tally.ended, tally.total, tally.fraction, tally.disturbed) == (4, 10, 0.4, 2)


def test_quarantined_agents_are_named_while_they_have_open_jobs() -> None:
    ill = {"health": "quarantined", "health_reason": "too slow"}
    agents = [agent("pi4", **ill), agent("pi5", **ill, has_open_jobs=False), agent("pc")]
    assert run_card(summary(agents=agents)).quarantined == {"pi4": "too slow"}
