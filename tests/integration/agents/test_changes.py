"""Names, labels and notes of agents: changed by admins only, and used by later plans."""

from typing import Any

import pytest

from orchestrator.database.models import Agent
from tests.support.agent_reports import enroll
from tests.support.live_service import Served


@pytest.fixture
def agent_id(served: Served) -> str:
    _, identity = enroll(served, "pi")
    return str(identity["agent_id"])


def change(served: Served, agent_id: str, role: Any = "admin", **values: Any) -> Any:
    return served.client(role).patch(f"/api/v1/agents/{agent_id}", json=values)


def test_values_change_and_others_stay(served: Served, agent_id: str) -> None:
    first = change(served, agent_id, labels=["kitchen", "fanless", "kitchen"], notes="Next to the oven.\nUSB meter")
    assert (first.json()["labels"], first.json()["name"]) == (["kitchen", "fanless"], "pi")
    second = change(served, agent_id, name="pi-kitchen").json()
    assert (second["name"], second["labels"]) == ("pi-kitchen", ["kitchen", "fanless"])
    assert second["notes"] == "Next to the oven.\nUSB meter"
    assert change(served, agent_id, labels=[], notes="").json()["labels"] == []


def test_name_of_another_agent_is_refused_and_nothing_changes(served: Served, agent_id: str) -> None:
    enroll(served, "desk")[0].close()
    answer = change(served, agent_id, name="desk", labels=["x"])
    assert (answer.status_code, answer.json()["detail"]) == (409, "Another agent has the name desk.")
    with served.database.read() as session:
        assert session.get_one(Agent, agent_id).labels == []
    assert change(served, agent_id, name="pi").status_code == 200
    assert change(served, "missing00000", name="pi2").status_code == 404


@pytest.mark.parametrize(
    "values",
    [
        {"name": "two words"}, {"name": ""}, {"labels": ["<b>"]}, {"labels": ["a"] * 33}, {"notes": "x" * 4001},
        {"approved": True},
    ],
)  # fmt: skip
def test_other_values_are_refused(served: Served, agent_id: str, values: dict[str, Any]) -> None:
    assert change(served, agent_id, **values).status_code == 422


def test_control_characters_of_notes_become_visible(served: Served, agent_id: str) -> None:
    found = change(served, agent_id, notes="red: \x1b[31m\u202e").json()["notes"]
    assert found == "red: ␛[31m\ufffd"
