"""Lists of runs: search, filters, order, tags and archive; and who may change what."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import event, select

from orchestrator.database.models import Run, RunAgent, RunTag, now
from orchestrator.runs import service
from orchestrator.runs.selection import NEWEST_FIRST, RunSelection
from tests.support.fleet import Fleet, open_fleet
from tests.support.waiting import GENEROUS_SECONDS


def add_run(fleet: Fleet, run_id: str, state: str = "finished", tags: tuple[str, ...] = (), **columns: Any) -> str:
    values = {"name": run_id, "plan": {}, "seed": 1, "state": state, "executions_total": 1, "laid_out_at": now(),
              "submitted_by": "test submitter", "owner_id": fleet.owner_id, **columns}  # fmt: skip
    with fleet.database.write() as session:
        session.add(Run(id=run_id, **values))
        session.flush()
        session.add_all(RunTag(run_id=run_id, tag=tag) for tag in tags)
    return run_id


def listed(client: httpx.Client, **query: Any) -> list[str]:
    answer = client.get("/api/v1/runs", params=query)
    assert answer.status_code == 200, answer.text
    return sorted(run["id"] for run in answer.json()["items"])


def add_runs(fleet: Fleet) -> Fleet:
    add_run(fleet, "aes000000001", tags=("baseline", "gcc-14"), submitted_at=now() - timedelta(days=9))
    add_run(fleet, "chacha000001", state="failed", name="wide-100%", plan={"description": "Which AEAD for the Pi?"})
    add_run(fleet, "paused000001", state="paused", tags=("gcc-12",))
    add_run(fleet, "old000000001", archived_at=now())
    with fleet.database.write() as session:
        session.add(RunAgent(run_id="paused000001", agent_id=fleet.agent_id, executions_total=1))
    return fleet


@pytest.fixture
def runs(fleet: Fleet) -> Fleet:
    return add_runs(fleet)


@pytest.fixture(scope="module")
def unchanged_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Return the runs for tests that change nothing, which share them."""
    with open_fleet(tmp_path_factory.mktemp("unchanged")) as opened:
        yield add_runs(opened)


class TestSelection:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({}, ["aes000000001", "chacha000001", "paused000001"]),
            ({"q": "AES"}, ["aes000000001"]),
            ({"q": "gcc-1"}, ["aes000000001", "paused000001"]),
            ({"q": "aead for the pi"}, ["chacha000001"]),
            ({"q": "chacha000001"}, ["chacha000001"]),
            ({"q": "%"}, ["chacha000001"]),
            ({"q": "_"}, []),
            ({"state": "failed"}, ["chacha000001"]),
            ({"tag": "baseline"}, ["aes000000001"]),
            ({"tag": "gcc"}, []),
            ({"archived": "only"}, ["old000000001"]),
            ({"archived": "include", "q": "old"}, ["old000000001"]),
        ],
    )
    def test_conditions_select_runs(self, unchanged_runs: Fleet, query: dict[str, str], expected: list[str]) -> None:
        assert listed(unchanged_runs.submitter, **query) == expected

    def test_agent_and_days_select_runs(self, unchanged_runs: Fleet) -> None:
        assert listed(unchanged_runs.submitter, agent_id=unchanged_runs.agent_id) == ["paused000001"]
        week_ago = (now() - timedelta(days=7)).isoformat()
        assert listed(unchanged_runs.submitter, until=week_ago) == ["aes000000001"]
        assert listed(unchanged_runs.submitter, since=week_ago) == ["chacha000001", "paused000001"]

    @pytest.mark.parametrize("query", [{"q": "a\x1b[31m"}, {"tag": "two words"}, {"archived": "yes"}, {"since": "now"}])
    def test_other_values_are_refused(self, unchanged_runs: Fleet, query: dict[str, str]) -> None:
        assert unchanged_runs.submitter.get("/api/v1/runs", params=query).status_code == 422

    def test_number_of_queries_does_not_grow_with_the_runs(self, fleet: Fleet) -> None:
        number = 20
        for index in range(number):
            add_run(fleet, f"run{index:09}", tags=("a", "b"))
        statements: list[str] = []
        event.listen(fleet.database.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
        with fleet.database.read() as session:
            found = service.list_selected_runs(session, RunSelection(text="a"), NEWEST_FIRST, 0, 50)
        assert (len(found.items), found.total, found.tags) == (number, number, ["a", "b"])
        assert len(statements) <= 20


class TestPage:
    @pytest.fixture
    def page(self, unchanged_runs: Fleet) -> Any:
        with httpx.Client(
            base_url=unchanged_runs.served.url, headers={"Accept": "text/html"}, timeout=GENEROUS_SECONDS
        ) as client:
            yield client

    def test_address_selects_and_orders_runs(self, unchanged_runs: Fleet, page: httpx.Client) -> None:
        query = {"q": "", "state": "", "archived": "include", "sort": "name", "agent_id": "", "format": "json"}
        found = page.get("/", params=query).json()
        names = [run["name"] for run in found["runs"]]
        assert (names, found["total"]) == (["aes000000001", "old000000001", "paused000001", "wide-100%"], 4)
        assert found["tags"] == ["baseline", "gcc-12", "gcc-14"]
        day = (now() - timedelta(days=9)).date().isoformat()
        found = page.get("/", params={"from": day, "to": day, "format": "json"}).json()
        assert [run["name"] for run in found["runs"]] == ["aes000000001"]
        assert found["narrowed"]

    def test_form_keeps_the_address_and_escapes_it(self, page: httpx.Client) -> None:
        text = page.get("/", params={"q": '"><script>', "tag": "gcc-14", "sort": "submitted"}).text
        assert 'value="&#34;&gt;&lt;script&gt;"' in text
        assert "<option selected>gcc-14</option>" in text
        assert '<option value="submitted" selected>' in text
        assert "No run found" in text
        assert "There is no page 9" in page.get("/", params={"page": 9}).text

    @pytest.mark.parametrize("query", [{"from": "2026-02-30"}, {"to": "0001-01-01"}, {"sort": "seed"}])
    def test_other_values_are_refused(self, page: httpx.Client, query: dict[str, str]) -> None:
        assert page.get("/", params=query).status_code == 422


class TestChanges:
    def test_tags_are_replaced_and_left_out_values_stay(self, runs: Fleet) -> None:
        changed = runs.submitter.patch("/api/v1/runs/aes000000001", json={"tags": ["new", "gcc-14", "new"]}).json()
        assert (changed["tags"], changed["archived_at"]) == (["gcc-14", "new"], None)
        archived = runs.submitter.patch("/api/v1/runs/aes000000001", json={"archived": True}).json()
        assert archived["tags"] == ["gcc-14", "new"]
        assert "aes000000001" not in listed(runs.submitter)
        assert runs.submitter.get("/api/v1/runs/aes000000001").status_code == 200
        runs.submitter.patch("/api/v1/runs/aes000000001", json={"archived": False})
        assert "aes000000001" in listed(runs.submitter)

    @pytest.mark.parametrize("tags", [["two words"], ["\x1b[31m"], ["<b>"], [""], ["a"] * 21, ["a" * 33], "a", [1]])
    def test_other_tags_are_refused(self, unchanged_runs: Fleet, tags: Any) -> None:
        assert unchanged_runs.submitter.patch("/api/v1/runs/aes000000001", json={"tags": tags}).status_code == 422

    def test_run_that_has_not_ended_is_not_archived(self, runs: Fleet) -> None:
        answer = runs.submitter.patch("/api/v1/runs/paused000001", json={"archived": True, "tags": ["x"]})
        assert (answer.status_code, answer.json()["type"]) == (409, "/problems/transition-refused")
        with runs.database.read() as session:
            assert session.scalars(select(RunTag.tag).where(RunTag.run_id == "paused000001")).all() == ["gcc-12"]

    def test_resumed_run_is_listed_again(self, runs: Fleet) -> None:
        runs.submitter.patch("/api/v1/runs/chacha000001", json={"archived": True})
        assert runs.submitter.post("/api/v1/runs/chacha000001/resume").status_code == 200
        assert "chacha000001" in listed(runs.submitter)
