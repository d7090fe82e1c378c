"""Audit log: each declared action, logins and refusals are recorded, without secrets."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.routing import iter_route_contexts

from orchestrator.agents import enrollment
from orchestrator.database.models import Run
from orchestrator.service.audit.actions import ACTIONS
from tests.support.commands import command_of, printed, succeeded
from tests.support.live_service import Served
from tests.support.offers import add_agent


@pytest.fixture
def admin(served: Served) -> httpx.Client:
    return served.client("admin")


def entries(admin: httpx.Client, **query: Any) -> list[dict[str, Any]]:
    answer = admin.get("/api/v1/audit", params={"limit": 500, **query})
    assert answer.status_code == 200, answer.text
    return list(answer.json()["items"])


def newest(admin: httpx.Client, **query: Any) -> dict[str, Any]:
    return entries(admin, **query)[0]


class TestActions:
    def test_token_is_created_rotated_and_revoked(self, served: Served, admin: httpx.Client) -> None:
        made = admin.post("/api/v1/tokens", json={"role": "submitter", "label": "laptop of Ada"}).json()
        rotated = admin.post(f"/api/v1/tokens/{made['id']}/rotate", json={}).json()
        admin.delete(f"/api/v1/tokens/{made['id']}")
        found = entries(admin)[:3]
        assert [(one["action"], one["object_id"], one["outcome"]) for one in found] == [
            ("revoke-token", made["id"], "done"),
            ("rotate-token", rotated["id"], "done"),
            ("create-token", made["id"], "done"),
        ]
        assert {(one["role"], one["label"], one["address"]) for one in found} == {("admin", "test admin", "127.0.0.1")}
        text = json.dumps(entries(admin))
        assert made["token"] not in text
        assert rotated["token"] not in text

    def test_login_code_is_created_used_refused_and_its_session_ends(self, admin: httpx.Client, served: Served) -> None:
        code = admin.post("/api/v1/login-codes").json()["code"]
        with served.client() as browser:
            assert browser.get("/login").status_code == 200
            assert browser.get("/login", params={"code": code}).status_code == 303
            assert browser.post("/logout").status_code == 303
            assert browser.post("/login", data={"code": code}).status_code == 401
            assert browser.post("/logout").status_code == 303
        found = [(one["action"], one["outcome"], one["role"]) for one in entries(admin)]
        assert found[:4] == [
            ("log-in", "refused", None), ("log-out", "done", "admin"), ("log-in", "done", "admin"),
            ("create-login-code", "done", "admin"),
        ]  # fmt: skip
        assert "already used" in newest(admin, outcome="refused")["reason"]
        assert code not in json.dumps(entries(admin))

    def test_token_opens_and_closes_a_session(self, admin: httpx.Client, served: Served) -> None:
        made = admin.post("/api/v1/tokens", json={"role": "viewer"}).json()
        with served.client() as browser:
            browser.post("/api/v1/sessions", json={"token": made["token"]})
            browser.delete("/api/v1/sessions")
        found = [(one["action"], one["family_id"]) for one in entries(admin)]
        assert found[:2] == [("log-out", made["family_id"]), ("log-in", made["family_id"])]

    def test_agent_is_enrolled_approved_and_revoked(self, admin: httpx.Client, served: Served) -> None:
        enrolled = served.client("join").post("/api/v1/agents", json={"name": "pi"}).json()
        agent_id = enrolled["agent_id"]
        for operation in ("approve", "trust", "revoke"):
            assert admin.post(f"/api/v1/agents/{agent_id}/{operation}").status_code == 200
        admin.post(f"/api/v1/agents/{agent_id}/approve")
        found = [(one["action"], one["object_id"], one["role"]) for one in entries(admin)]
        assert found[:4] == [
            ("revoke-agent", agent_id, "admin"), ("trust-agent", agent_id, "admin"),
            ("approve-agent", agent_id, "admin"), ("enroll-agent", agent_id, "join"),
        ]  # fmt: skip
        secrets = (enrolled["agent_token"], enrolled["broker_password"])
        assert not [one for one in secrets if one in json.dumps(entries(admin))]

    def test_every_declared_action_is_that_of_a_route(self, served: Served) -> None:
        assert ACTIONS.keys() <= {route.name for route in iter_route_contexts(served.app.routes)}


class TestRefusals:
    def test_insufficient_role_is_recorded_with_its_token_and_reason(self, served: Served, admin: httpx.Client) -> None:
        with served.client("viewer") as viewer:
            viewer.delete("/api/v1/runs/norun0000001")
            viewer.delete("/api/v1/runs/norun0000002")
        found = newest(admin)
        assert (found["action"], found["outcome"], found["object_id"]) == ("delete-run", "refused", "norun0000001")
        assert (found["role"], found["label"], found["count"]) == ("viewer", "test viewer", 2)
        assert "requires the role submitter" in found["reason"]

    def test_object_of_another_submitter_is_recorded(self, served: Served, admin: httpx.Client) -> None:
        run = {"name": "x", "plan": {}, "seed": 1, "state": "finished", "executions_total": 0, "submitted_by": "Ada"}
        with served.database.write() as session:
            session.add(Run(id="other0000001", **run))
        assert served.client("submitter").delete("/api/v1/runs/other0000001").status_code == 403
        found = newest(admin)
        assert (found["action"], found["object_id"], found["role"]) == ("delete-run", "other0000001", "submitter")
        assert "was submitted by Ada" in found["reason"]

    def test_revoked_token_is_named(self, served: Served, admin: httpx.Client) -> None:
        made = admin.post("/api/v1/tokens", json={"role": "admin", "label": "stolen"}).json()
        admin.delete(f"/api/v1/tokens/{made['id']}")
        served.client_with(made["token"]).get("/api/v1/runs")
        found = newest(admin)
        assert (found["action"], found["label"], found["family_id"]) == ("list-runs", "stolen", made["family_id"])
        assert found["reason"] == "This token is revoked."

    def test_revoked_agent_is_named(self, served: Served, admin: httpx.Client) -> None:
        with served.database.write() as session:
            agent_id = add_agent(session, "gone")
        agent = served.client("agent", agent_id)
        enrollment.revoke(served.database, agent_id)
        assert agent.post("/api/v1/heartbeats", json={}).status_code == 401
        found = newest(admin)
        assert (found["action"], found["agent_id"], found["outcome"]) == ("heartbeat", agent_id, "refused")

    def test_page_of_another_site_is_recorded(self, served: Served, admin: httpx.Client) -> None:
        served.visitor.get("/api/v1/runs", headers={"Origin": "https://evil.example"})
        assert "evil.example" in newest(admin, action="request")["reason"]

    def test_client_without_credentials_makes_one_row_per_minute(self, served: Served, admin: httpx.Client) -> None:
        before = entries(admin)
        with served.client() as client:
            for number in range(40):
                guess = {"Authorization": f"Bearer cm_admin_guess{number}"}
                assert client.get("/api/v1/runs", headers=guess).status_code == 401
        after = entries(admin)
        assert len(after) <= len(before) + 2  # A minute can end during the test.
        assert sum(one["count"] for one in after) == sum(one["count"] for one in before) + 40
        assert "guess" not in json.dumps(entries(admin))


class TestReading:
    def test_pages_and_conditions(self, served: Served, admin: httpx.Client) -> None:
        for label in ("first", "second", "third"):
            admin.post("/api/v1/tokens", json={"role": "viewer", "label": label})
        first = admin.get("/api/v1/audit", params={"action": "create-token", "limit": 2}).json()
        rest = admin.get("/api/v1/audit", params={"action": "create-token", "cursor": first["next_cursor"]}).json()
        ids = [one["id"] for one in [*first["items"], *rest["items"]]]
        assert len(first["items"]) == 2
        assert ids == sorted(ids, reverse=True)
        assert {one["action"] for one in rest["items"]} == {"create-token"}
        family = first["items"][0]["family_id"]
        assert {one["family_id"] for one in entries(admin, who=family)} == {family}
        assert entries(admin, since="2199-01-01T00:00:00Z") == []
        assert entries(admin, who="no such caller") == []

    def test_page_and_export_have_the_entries_of_the_api(self, served: Served, admin: httpx.Client) -> None:
        admin.post("/api/v1/tokens", json={"role": "viewer", "label": "<script>alert(1)</script>"})
        found = entries(admin)
        exported = admin.get("/api/v1/audit/export")
        assert exported.headers["content-type"] == "application/x-ndjson"
        assert [json.loads(line) for line in exported.text.splitlines()] == found
        with served.browser() as browser:
            assert browser.get("/audit", params={"format": "json"}).json()["entries"] == found[:50]
            page = browser.get("/audit", params={"action": "create-token"}, headers={"Accept": "text/html"}).text
        assert "create-token" in page
        assert "<script>alert" not in page


class TestCommand:
    def test_table_and_json_lines_have_the_entries(self, served: Served, admin: httpx.Client, tmp_path: Path) -> None:
        admin.post("/api/v1/tokens", json={"role": "viewer", "label": "laptop of Ada"})
        made = newest(admin)
        audit = command_of(served, "admin", tmp_path / "token")
        lines = succeeded(audit("audit", "--action", "create-token", "--since", "1h", "--json")).splitlines()
        assert json.loads(lines[0]) == made
        table = printed(audit("audit", "--outcome", "done", "--limit", "1"))
        assert made["object_id"] in table
        assert "create-token" in table

    def test_list_that_is_cut_off_states_it(self, served: Served, admin: httpx.Client, tmp_path: Path) -> None:
        for label in ("laptop of Ada", "phone of Ada"):
            admin.post("/api/v1/tokens", json={"role": "viewer", "label": label})
        audit = command_of(served, "admin", tmp_path / "token")
        total = len(succeeded(audit("audit", "--json")).splitlines())
        remarks = [audit("audit", "--limit", str(limit)).stderr for limit in (total - 1, total)]
        assert remarks == [f"There are more than {total - 1}; --limit lists further ones.\n", ""]

    def test_table_fits_a_terminal_of_80_columns(
        self, served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tests.support.commands.COLUMNS", "80")
        table = succeeded(command_of(served, "admin", tmp_path / "token")("audit"))
        assert max(map(len, table.splitlines())) <= 80
        assert "Left out in this width: role" in table
