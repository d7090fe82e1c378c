"""Values at the edges of their types are refused with a problem, and agents' texts cannot control who reads them."""

import base64
import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from orchestrator.database.models import Agent, Case, Execution
from orchestrator.shared.values.text import visible_document
from tests.support.database import Shape, fill
from tests.support.live_service import Served, serve

LONE_SURROGATE = b'"\\ud800"'
ESCAPE_AND_NUL = "\x1b[31mred\x00\u202e"
VISIBLE = "␛[31mred␀\ufffd"


@dataclass(frozen=True)
class Filled:
    """A service with a run of which some executions wait."""

    served: Served
    run_id: str
    agent_id: str
    waiting: list[Execution]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    with serve(tmp_path_factory.mktemp("service")) as served:
        shape = Shape(kinds=("random",), sizes=(131072,), algorithms=("aes-128-ctr",), done=0.5, state="running")
        run_id = fill(served.database, shape)
        with served.database.read() as session:
            agent_id = session.scalars(select(Agent.id)).one()
            waiting = list(session.scalars(select(Execution).where(Execution.state == "waiting").join(Case)))
        yield Filled(served, run_id, agent_id, waiting)


@pytest.fixture
def agent(filled: Filled) -> Iterator[httpx.Client]:
    with filled.served.client("agent", filled.agent_id) as client:
        yield client


@pytest.fixture
def admin(filled: Filled) -> Iterator[httpx.Client]:
    with filled.served.client("admin") as client:
        yield client


def record(execution: Execution, **changes: Any) -> dict[str, Any]:
    failure = {"error": "runner-crashed", "detail": "The runner ended with signal 11.", "signal": 11}
    return {
        "case_id": execution.case_id, "repetition": execution.repetition, "position": execution.position,
        "job_id": execution.job_id, "attempt": 1, "session_id": "a" * 32, "inventory_sha256": "0" * 64,
        "started_at": "2026-11-22T08:30:00Z", "state": "failed", "failure": failure,
    } | changes  # fmt: skip


# S14: the id reached the database, which has integers of 64 bits (OverflowError, 500).
@pytest.mark.parametrize("kind", ["cases", "executions", "builds"])
@pytest.mark.parametrize("row_id", [2**63, 99999999999999999999, 10**4000, "1_0", "+1", "%00", "1.0"])
def test_row_ids_beyond_the_database_are_refused(admin: httpx.Client, kind: str, row_id: object) -> None:
    for path in (f"/api/v1/{kind}/{row_id}", f"/{kind}/{row_id}"):
        assert admin.get(path).status_code == 422, path


# S15: half of a surrogate pair cannot be encoded; the refusal repeated it and failed as well (500).
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("sessions", b'{"token": %s}'),
        ("tokens", b'{"role": "viewer", "label": %s}'),
        ("tokens", b'{"role": "viewer", %s: 1}'),
        ("invitations", b'{"name": %s}'),
        ("plans/preview", b'{"plan": %s}'),
        ("plans/preview", b'{"plan": {"description": %s}}'),
        ("plans/preview", b'{"plan_text": %s}'),
        ("runs", b'{"plan": {%s: 1}}'),
    ],
)
@pytest.mark.parametrize("surrogate", [LONE_SURROGATE, b'"\\udfff"', b'"\xed\xa0\x80"', b'"\\ud83dx\\ude00"'])
def test_lone_surrogates_are_refused(admin: httpx.Client, path: str, body: bytes, surrogate: bytes) -> None:
    response = admin.post(f"/api/v1/{path}", content=body % surrogate, headers={"Content-Type": "application/json"})
    assert response.status_code == 422, response.text
    assert "surrogate" in response.json()["detail"]


def test_surrogates_of_a_yaml_plan_are_refused(admin: httpx.Client) -> None:
    response = admin.post("/api/v1/plans/preview", json={"plan_text": 'name: "\\uD800"\n"\\uDFFF": 1\n'})
    assert response.status_code == 422


def test_pairs_of_surrogates_are_characters(admin: httpx.Client) -> None:
    body = b'{"role": "viewer", "label": "\\ud83d\\ude00"}'
    made = admin.post("/api/v1/tokens", content=body, headers={"Content-Type": "application/json"})
    assert made.json()["label"] == "😀"


class TestTimes:
    # S16: in UTC these times have the years 0 and 10 000 (OverflowError, 500 for the whole batch).
    @pytest.mark.parametrize("time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1969-12-31T23:59:59Z"])
    def test_time_that_cannot_be_stored_refuses_its_record_alone(
        self, filled: Filled, agent: httpx.Client, time: str
    ) -> None:
        bad, good = filled.waiting[0], filled.waiting[1]
        response = agent.post("/api/v1/records", json={"records": [record(bad, started_at=time), record(good)]})
        assert response.status_code == 200, response.text
        answer = response.json()
        assert answer["stored"] + answer["known"] == 1
        assert "out of range" in answer["refused"][f"{bad.case_id}/{bad.repetition}/timing"]

    @pytest.mark.parametrize(
        "since", ["0.5", "1e3", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-11-22", "now", ""]
    )
    def test_since_is_a_time_of_rfc_3339(self, filled: Filled, admin: httpx.Client, since: str) -> None:
        path = f"/api/v1/agents/{filled.agent_id}/sensor-readings"
        assert admin.get(path, params={"since": since}).status_code == 422
        assert admin.get(path, params={"since": "2026-11-22T08:30:00Z"}).status_code == 200

    def test_times_of_reports_are_within_bounds(self, agent: httpx.Client) -> None:
        results = [{"name": "swap", "state": "good", "found": "none", "expected": "none"}]
        report = {"run_id": None, "checked_at": "0001-01-01T00:00:00+14:00", "results": results}
        assert agent.post("/api/v1/preflight-reports", json=report).status_code == 422


@pytest.mark.parametrize("path", ["runs", "agents", "tokens", "builds", "chunks", "build-requests"])
@pytest.mark.parametrize(
    "values", [[10**30], ["\ud800"], ["a\x00"], ["0001-01-01T00:00:00+14:00", "x"], ["x", "y"], [True], {"a": 1}, "x"]
)
def test_cursors_with_other_values_are_refused(admin: httpx.Client, path: str, values: object) -> None:
    cursor = base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")
    assert admin.get(f"/api/v1/{path}", params={"cursor": cursor}).status_code == 422


class TestTypes:
    PLAN: dict[str, Any] = {
        "version": 1, "name": "edges", "repetitions": 1,
        "matrix": [{"providers": ["*"], "algorithms": ["*"], "inputs": {"sizes": [131072]}}],
    }  # fmt: skip

    # S17: pydantic converts true to 1, "5" to 5 and 1e999 to infinity.
    @pytest.mark.parametrize(
        "changes",
        [{"repetitions": True}, {"repetitions": "5"}, {"repetitions": 1.0}, {"version": True}, {"version": "1"},
         {"timeout_seconds": "60"}, {"priority": False}, {"description": 5}, {"seed": 2**63}],
    )  # fmt: skip
    def test_values_of_a_plan_have_the_types_of_its_schema(
        self, admin: httpx.Client, changes: dict[str, object]
    ) -> None:
        response = admin.post("/api/v1/plans/preview", json={"plan": self.PLAN | changes})
        assert response.status_code == 422
        assert response.json()["field"] == next(iter(changes))

    def test_infinity_is_refused(self, admin: httpx.Client) -> None:
        body = json.dumps({"plan": self.PLAN | {"timeout_seconds": 0}}).replace(
            '"timeout_seconds": 0', '"timeout_seconds": 1e999'
        )
        response = admin.post("/api/v1/plans/preview", content=body, headers={"Content-Type": "application/json"})
        assert response.status_code == 422

    @pytest.mark.parametrize("value", ["1_0", "+5", "5.0", "0x5", "٥", "true"])
    def test_numbers_of_query_strings_are_decimal(self, admin: httpx.Client, value: str) -> None:
        assert admin.get("/api/v1/runs", params={"limit": value}).status_code == 422


class TestControlCharacters:
    """S23: NUL and ESC of an agent reached pages, exports and terminals."""

    def test_texts_of_agents_become_visible(self, filled: Filled, agent: httpx.Client, admin: httpx.Client) -> None:
        execution = filled.waiting[2]
        failure = {
            "error": ESCAPE_AND_NUL, "detail": ESCAPE_AND_NUL, "signal": 11, "stderr_tail": f"a\tb\r\n{ESCAPE_AND_NUL}"
        }  # fmt: skip
        sent = record(execution, failure=failure, absent={ESCAPE_AND_NUL: ESCAPE_AND_NUL})
        assert agent.post("/api/v1/records", json={"records": [sent]}).json()["stored"] == 1

        shown = admin.get(f"/api/v1/executions/{execution.id}").json()["failure"]
        assert shown["error"] == shown["detail"] == VISIBLE
        assert shown["stderr_tail"] == f"a\tb\n{VISIBLE}"
        paths = [f"/executions/{execution.id}", f"/runs/{filled.run_id}", f"/cases/{execution.case_id}"]
        paths += [f"/api/v1/runs/{filled.run_id}/export?format={name}" for name in ("csv", "jsonl", "md", "tex")]
        for path in paths:
            text = admin.get(path).text
            assert not set("\x00\x1b\u202e") & set(text), path
        assert VISIBLE in admin.get(paths[0]).text

    def test_heartbeat_is_shown_without_control_characters(
        self, filled: Filled, agent: httpx.Client, admin: httpx.Client
    ) -> None:
        heartbeat = {"session_id": "a" * 32, "state": "ready", "activity": f"job\n{ESCAPE_AND_NUL}"}
        assert agent.post("/api/v1/heartbeats", json=heartbeat).status_code == 200
        assert admin.get(f"/api/v1/agents/{filled.agent_id}").json()["activity"] == f"job␊{VISIBLE}"

    def test_a_problem_repeats_them_visibly(self, admin: httpx.Client) -> None:
        response = admin.post("/api/v1/tokens", json={"role": ESCAPE_AND_NUL, ESCAPE_AND_NUL: 1})
        assert response.status_code == 422
        assert visible_document(response.json()) == response.json()
        assert VISIBLE in response.text


def test_formula_of_an_agent_is_text_in_a_spreadsheet(filled: Filled, agent: httpx.Client, admin: httpx.Client) -> None:
    execution = filled.waiting[3]
    failure = {"error": "@SUM(1)", "detail": '=HYPERLINK("http://192.0.2.1")'}
    agent.post("/api/v1/records", json={"records": [record(execution, failure=failure)]})

    text = admin.get(f"/api/v1/runs/{filled.run_id}/export?format=csv").text
    rows = {row["execution_id"]: row for row in csv.DictReader(io.StringIO(text, newline=""))}
    row = rows[str(execution.id)]
    assert row["failure_error"] == "'@SUM(1)"
    assert row["failure_detail"] == """'=HYPERLINK("http://192.0.2.1")"""
