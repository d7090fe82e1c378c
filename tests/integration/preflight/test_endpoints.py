"""Preflight reports through the real service: stored, returned with poor results first, refused for foreign runs."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from tests.support.database import Shape, add_agent, fill
from tests.support.live_service import Served

RUN = "good00000001"


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill(served.database, Shape(run_id=RUN, repetitions=1, sizes=(1024,), kinds=("text",), with_curves=False))
    return served


@pytest.fixture
def agent_id(served: Served) -> str:
    agents = served.visitor.get("/api/v1/agents").json()["items"]
    return next(str(agent["id"]) for agent in agents if agent["name"] == "raspberrypi")


@pytest.fixture
def daemon(served: Served, agent_id: str) -> Iterator[httpx.Client]:
    with served.client("agent", agent_id) as client:
        yield client


def report(run_id: str | None = RUN, **changes: Any) -> dict[str, Any]:
    results = [
        {"name": "governor", "state": "good", "found": "performance", "expected": "performance"},
        {"name": "battery", "state": "unknown", "found": "the kernel offers no …", "expected": "power from the mains"},
        {"name": "turbo", "state": "poor", "found": "on", "expected": "off", "remedy": "sudo …", "tunable": True},
    ]
    return {"run_id": run_id, "checked_at": datetime.now(UTC).isoformat(), "results": results, **changes}


class TestReport:
    def test_report_is_listed_with_its_run_and_agent_poor_results_first(
        self, served: Served, daemon: httpx.Client, agent_id: str
    ) -> None:
        answer = daemon.post("/api/v1/preflight-reports", json=report())
        assert answer.status_code == 201, answer.text

        of_run = served.visitor.get(f"/api/v1/runs/{RUN}/preflight").json()["items"]
        of_agent = served.visitor.get(f"/api/v1/agents/{agent_id}/preflight").json()

        assert of_run[0] == of_agent
        assert [result["name"] for result in of_agent["results"]] == ["turbo", "battery", "governor"]
        assert (of_agent["agent"], of_agent["run_id"]) == ("raspberrypi", RUN)

    def test_the_one_of_a_health_check_is_the_agents_alone(
        self, served: Served, daemon: httpx.Client, agent_id: str
    ) -> None:
        stored = daemon.post("/api/v1/preflight-reports", json=report(None)).json()["id"]

        assert served.visitor.get(f"/api/v1/agents/{agent_id}/preflight").json()["id"] == stored
        assert stored not in [one["id"] for one in served.visitor.get(f"/api/v1/runs/{RUN}/preflight").json()["items"]]

    def test_several_of_one_run_come_in_pages(self, served: Served, daemon: httpx.Client) -> None:
        ids = [daemon.post("/api/v1/preflight-reports", json=report()).json()["id"] for _ in range(3)]

        first = served.visitor.get(f"/api/v1/runs/{RUN}/preflight", params={"limit": 2}).json()
        second = served.visitor.get(f"/api/v1/runs/{RUN}/preflight", params={"cursor": first["next_cursor"]}).json()

        assert [one["id"] for one in (*first["items"], *second["items"])][:3] == ids[::-1]

    @pytest.mark.parametrize("wrong", [{"results": []}, {"run_id": "no run"}, {"mood": "fine"}])
    def test_what_is_no_report_is_refused(self, daemon: httpx.Client, wrong: dict[str, Any]) -> None:
        assert daemon.post("/api/v1/preflight-reports", json=report(**wrong)).status_code == 422

    def test_a_run_that_has_nothing_for_this_agent_is_not_found(self, served: Served) -> None:
        with served.database.write() as session:
            stranger = add_agent(session, "stranger")
        assert served.client("agent", stranger).post("/api/v1/preflight-reports", json=report()).status_code == 404


class TestNothingYet:
    def test_agent_without_a_report_has_a_remedy(self, served: Served) -> None:
        with served.database.write() as session:
            new = add_agent(session, "new")
        problem = served.visitor.get(f"/api/v1/agents/{new}/preflight")
        assert problem.status_code == 404
        assert "doctor --measuring" in problem.json()["remedy"]

    @pytest.mark.parametrize("path", ["/runs/nothing/preflight", "/agents/nobody/preflight"])
    def test_unknown_names_are_not_found(self, served: Served, path: str) -> None:
        assert served.visitor.get(f"/api/v1{path}").status_code == 404
