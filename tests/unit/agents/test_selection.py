"""Lists of agents: conditions, groups and order."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from orchestrator.agents.schemas import AgentSummary
from orchestrator.agents.selection import AgentOrder, AgentSelection, Grouping, grouped, in_order, state_of
from tests.support.models import built

NOW = datetime(2026, 11, 1, tzinfo=UTC)


def agent(name: str, **given: Any) -> Any:
    facts = {"id": f"{name}-id", "enrolled_at": NOW, "approved_at": NOW, "last_heartbeat_at": NOW, "state": "ready"}
    return built(AgentSummary, facts, name=name, **{"liveness": "live", "health": "healthy", **given})


ATTIC = agent("attic", labels=["pi", "lab"], device_model="Raspberry Pi 4", architecture="aarch64", memory_bytes=4,
              features=["aes", "asimd"])  # fmt: skip
DESK = agent("Desk", liveness="silent", processor="Xeon", architecture="x86_64", notes="Under the roof", memory_bytes=9,
             last_heartbeat_at=NOW - timedelta(days=1), health="degraded")  # fmt: skip
NEW = agent("new", approved_at=None, last_heartbeat_at=None, enrolled_at=NOW + timedelta(days=1))
OLD = agent("old", revoked_at=NOW, liveness="silent", labels=["lab"])
CUT = agent("cut", queue_closed_reason="64 MiB in its queue", approved_at=None)
ALL = [ATTIC, DESK, NEW, OLD, CUT]


def names(agents: list[AgentSummary]) -> list[str]:
    return [one.name for one in agents]


def test_state_is_that_of_the_daemon_unless_it_is_silent_or_gets_no_jobs() -> None:
    assert [state_of(one) for one in ALL] == ["ready", "silent", "not approved", "revoked", "cut off"]


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ({}, ["attic", "Desk", "new", "cut"]),
        ({"state": "revoked"}, ["old"]),
        ({"state": "silent"}, ["Desk"]),
        ({"health": "degraded"}, ["Desk"]),
        ({"label": "lab"}, ["attic"]),
        ({"label": "la"}, []),
        ({"architecture": "x86_64"}, ["Desk"]),
        ({"feature": "aes"}, ["attic"]),
        ({"feature": "ae"}, []),
        ({"with_revoked": True}, ["attic", "Desk", "new", "old", "cut"]),
        ({"with_revoked": True, "label": "lab"}, ["attic", "old"]),
        ({"text": "DESK"}, ["Desk"]),
        ({"text": "raspberry"}, ["attic"]),
        ({"text": "roof"}, ["Desk"]),
        ({"text": "xeon"}, ["Desk"]),
        ({"text": "new-id"}, ["new"]),
        ({"text": "lab", "architecture": "x86_64"}, []),
    ],
)
def test_selection_includes_the_agents_that_meet_all_conditions(selection: dict[str, Any], expected: list[str]) -> None:
    with_revoked = selection.pop("with_revoked", False)
    found = AgentSelection(**selection)
    assert names([one for one in ALL if found.includes(one, with_revoked=with_revoked)]) == expected
    assert found.narrowed == bool(selection)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("name", ["attic", "cut", "Desk", "new", "old"]),
        ("-heartbeat", ["attic", "cut", "old", "Desk", "new"]),
        ("-enrolled", ["new", "attic", "cut", "Desk", "old"]),
        ("-memory", ["Desk", "attic", "cut", "new", "old"]),
    ],
)
def test_order(order: AgentOrder, expected: list[str]) -> None:
    assert names(in_order(ALL, order)) == expected


@pytest.mark.parametrize(
    ("grouping", "expected"),
    [
        ("state", [("ready", 1), ("silent", 1), ("cut off", 1), ("not approved", 1), ("revoked", 1)]),
        ("health", [("degraded", 1), ("healthy", 4)]),
        ("label", [("lab", 2), ("pi", 1), ("without a label", 3)]),
        ("architecture", [("aarch64", 1), ("x86_64", 1), ("unknown", 3)]),
        ("device", [("Raspberry Pi 4", 1), ("Xeon", 1), ("unknown", 3)]),
        ("none", [("", 5)]),
    ],
)
def test_groups(grouping: Grouping, expected: list[tuple[str, int]]) -> None:
    assert [(title, len(agents)) for title, agents in grouped(ALL, grouping).items()] == expected


def test_groups_keep_the_order_of_their_agents() -> None:
    assert names(grouped(in_order(ALL, "-memory"), "none")[""])[:2] == ["Desk", "attic"]


def test_unknown_state_of_a_newer_daemon_is_a_group() -> None:
    assert [*grouped([agent("a", state="resting"), OLD], "state")] == ["revoked", "resting"]
