"""Preview and submission over HTTP: stored runs, and plans that are refused before anything is stored."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import delete, func, insert, select, update

from orchestrator.database.models import Agent, Build, Calibration, Proof, Run, now
from tests.support.fleet import KINDS, Fleet, plan
from tests.support.offers import add_agent, add_chunks
from tests.support.waiting import until

pytestmark = pytest.mark.untraced


def _runs_stored(fleet: Fleet) -> int:
    with fleet.database.read() as session:
        return session.scalar(select(func.count()).select_from(Run)) or 0


def _add_noise_floor(fleet: Fleet, spread: float) -> None:
    with fleet.database.write() as session:
        build_id = session.scalars(select(Build.id).where(Build.agent_id == fleet.agent_id)).first()
        row = {"agent_id": fleet.agent_id, "build_id": build_id, "kind": "noise-floor", "value": 0.01,
               "unit": "share of work_wall_ns", "detail": {"single_execution_spread": spread}}  # fmt: skip
        session.execute(insert(Calibration).values(**row))


def _matrix(**given: Any) -> dict[str, Any]:
    return plan()["matrix"][0] | given


class TestPreparingAgent:
    """Finding 32.6: an agent that prepares its first runners made every plan invalid (422)."""

    @pytest.mark.parametrize("agents", [["*"], ["pi"]])
    def test_plan_is_unavailable_with_the_pause_before_a_repetition(self, fleet: Fleet, agents: list[str]) -> None:
        with fleet.database.write() as session:
            session.execute(update(Build).values(current=False))
            session.execute(update(Agent).values(state="preparing", activity="building the runners: 3 of 9"))
        for path in ("/api/v1/plans/preview", "/api/v1/runs"):
            answer = fleet.submitter.post(path, json={"plan": plan(agents=agents)})
            assert (answer.status_code, answer.json()["type"]) == (503, "/problems/agents-preparing")
            assert "pi is preparing them (building the runners: 3 of 9)" in answer.json()["detail"]
            assert answer.headers["Retry-After"] == "6"

    def test_build_without_known_answers_is_not_executed_yet(self, fleet: Fleet) -> None:
        with fleet.database.write() as session:
            session.execute(delete(Proof))
            session.execute(update(Agent).values(state="preparing", activity="testing botan"))
        assert fleet.submitter.post("/api/v1/runs", json={"plan": plan()}).status_code == 503

    def test_agent_that_has_joined_and_sent_no_heartbeat_is_preparing(self, fleet: Fleet) -> None:
        with fleet.database.write() as session:
            session.execute(update(Build).values(current=False))
            session.execute(update(Agent).values(state="enrolled", enrolled_at=now(), last_heartbeat_at=None))
        assert fleet.submitter.post("/api/v1/runs", json={"plan": plan()}).status_code == 503

    @pytest.mark.parametrize(
        "state", [{"state": "refusing"}, {"approved_at": None}, {"last_heartbeat_at": datetime(2026, 1, 1, tzinfo=UTC)}]
    )
    def test_agent_that_prepares_nothing_is_refused(self, fleet: Fleet, state: dict[str, Any]) -> None:
        with fleet.database.write() as session:
            session.execute(update(Build).values(current=False))
            session.execute(update(Agent).values({"state": "preparing", **state}))
        answer = fleet.submitter.post("/api/v1/runs", json={"plan": plan()})
        assert (answer.status_code, answer.json()["type"]) == (422, "/problems/plan-refused")

    def test_plan_for_several_agents_is_executed_on_those_that_are_ready(self, fleet: Fleet) -> None:
        with fleet.database.write() as session:
            starting = add_agent(session, "starting", {})
            session.execute(update(Agent).where(Agent.id == starting).values(state="preparing"))
        run_id = fleet.lay_out(agents=["*"])
        assert {job["agent_id"] for job in fleet.jobs(run_id)} == {fleet.agent_id}


class TestPreview:
    def test_preview_counts_and_estimates_without_storing(self, fleet: Fleet) -> None:
        answer = fleet.preview(plan())
        assert (answer["cases"], answer["executions_total"]) == (8, 24)
        (agent,) = answer["agents"]
        assert (agent["agent_name"], agent["executions"]) == ("pi", 24)
        assert 0 < agent["estimated_seconds"] < 60
        assert "assumed speeds for aes-192-cbc" in agent["basis"]
        assert answer["input_bytes"] == 3 * 2 * 2 * (1024 + 2048)
        assert _runs_stored(fleet) == 0

    def test_preview_shows_the_health_of_agents(self, fleet: Fleet) -> None:
        with fleet.database.write() as session:
            agent = session.get_one(Agent, fleet.agent_id)
            agent.health, agent.health_reason = "quarantined", "too hot"
        (estimate,) = fleet.preview(plan())["agents"]
        assert (estimate["health"], estimate["health_reason"], estimate["cases"]) == ("quarantined", "too hot", 8)

    def test_expectation_uses_the_latest_noise_floor(self, fleet: Fleet) -> None:
        document = plan(repetitions=6, precision={"relative_interval": 0.01, "max_repetitions": 500})
        before = fleet.preview(document)
        assert (before["executions_total"], before["expected_executions"]) == (48, 48)
        without = before["agents"][0]["expectation"]
        assert (without["expected_repetitions"], without["detectable_difference"]) == (None, None)
        assert "no noise floor yet" in without["reason"]
        _add_noise_floor(fleet, 0.5)
        _add_noise_floor(fleet, 0.02)
        after = fleet.preview(document)
        (agent,) = after["agents"]
        estimate = agent["expectation"]
        assert (estimate["single_execution_spread"], estimate["reason"]) == (0.02, "")
        repetitions = estimate["expected_repetitions"]
        assert 10 < repetitions < 100
        assert 0.005 < estimate["expected_relative_interval"] <= 0.01
        assert 0 < estimate["detectable_difference"] < 0.05
        assert [one["difference"] for one in estimate["repetitions_for_difference"]] == [0.01, 0.02, 0.05]
        assert after["expected_executions"] == agent["expected_executions"] == 8 * repetitions
        assert after["estimated_seconds"] == pytest.approx(before["estimated_seconds"] * repetitions / 6)
        run = fleet.submitter.post("/api/v1/runs", json={"plan": document}).json()
        assert (run["executions_total"], run["estimated_seconds"]) == (48, pytest.approx(after["estimated_seconds"]))

    def test_preview_lists_matching_agents_and_why_others_do_not_match(self, fleet: Fleet) -> None:
        with fleet.database.write() as session:
            add_agent(session, "attic")
            session.get_one(Agent, fleet.agent_id).labels = ["kitchen"]
        document = plan(requires={"features": ["asimd"], "memory": ">= 1 GiB", "labels": ["kitchen"]})
        answer = fleet.preview(document)
        assert [(one["agent_name"], one["matches"], one["reasons"]) for one in answer["agent_matches"]] == [
            ("attic", False, ["lacks the label kitchen"]),
            ("pi", True, []),
        ]
        assert [one["agent_name"] for one in answer["agents"]] == ["pi"]

    def test_plan_that_no_agent_matches_is_refused_with_each_reason(self, fleet: Fleet) -> None:
        document = plan(requires={"counters": True, "meter": True, "labels": ["kitchen"]})
        for path in ("/api/v1/plans/preview", "/api/v1/runs"):
            answer = fleet.submitter.post(path, json={"plan": document})
            problem = answer.json()
            assert (answer.status_code, problem["type"], problem["field"]) == (
                422,
                "/problems/plan-refused",
                "requires",
            )
            assert problem["facts"]["agents"] == [
                {
                    "agent_name": "pi",
                    "reasons": ["lacks the label kitchen", "has no hardware counters", "has no energy meter"],
                }
            ]
        assert _runs_stored(fleet) == 0


class TestSubmit:
    def test_new_run_is_planned_with_a_random_seed(self, fleet: Fleet) -> None:
        answer = fleet.submitter.post("/api/v1/runs", json={"plan": plan()})
        run = answer.json()
        assert answer.status_code == 201
        assert answer.headers["location"] == f"/api/v1/runs/{run['id']}"
        assert (run["state"], run["executions_total"], run["submitted_by"]) == ("planned", 24, "test submitter")
        assert run["plan"] == plan()
        assert run["seed"] != fleet.run(fleet.submit())["seed"]

    @pytest.mark.parametrize(
        ("given", "field"),
        [
            ({"matrix": []}, "matrix"),
            ({"matrix": [_matrix(algorithms=["aes-192-cbd"])]}, "matrix[0].algorithms"),
            ({"precision": {"relative_interval": 0.01, "max_repetitions": 2}}, "precision"),
            ({"memory_repetitions": 5}, "memory_repetitions"),
            ({"repetitions": 100_000, "matrix": [_matrix(algorithms=["*"])]}, "matrix"),
        ],
    )
    def test_invalid_plan_is_refused_before_anything_is_stored(
        self, unchanged_fleet: Fleet, given: dict[str, Any], field: str
    ) -> None:
        for path in ("/api/v1/plans/preview", "/api/v1/runs"):
            answer = unchanged_fleet.submitter.post(path, json={"plan": plan(**given)})
            problem = answer.json()
            assert (answer.status_code, problem["type"]) == (422, "/problems/plan-refused")
            assert answer.headers["content-type"] == "application/problem+json"
            assert problem["field"] == field
            assert problem["remedy"]
            assert problem["detail"]
        assert _runs_stored(unchanged_fleet) == 0

    def test_chunks_added_later_are_found(self, fleet: Fleet) -> None:
        document = plan(matrix=[_matrix(inputs={"kinds": list(KINDS), "sizes": [77]})])
        preview = fleet.preview(document)
        assert len(preview["missing_chunks"]) == len(KINDS)
        add_chunks(fleet.served.settings.corpus_folder, KINDS, [77])
        run = fleet.submitter.post("/api/v1/runs", json={"plan": document}).json()
        assert run["waiting_for_chunks"] == []


class TestIdempotency:
    def test_same_key_with_another_plan_is_a_conflict(self, fleet: Fleet) -> None:
        headers = {"Idempotency-Key": "k1"}
        fleet.submitter.post("/api/v1/runs", json={"plan": plan()}, headers=headers)
        answer = fleet.submitter.post("/api/v1/runs", json={"plan": plan(repetitions=4)}, headers=headers)
        assert answer.status_code == 409
        assert answer.json()["field"] == "Idempotency-Key"

    def test_concurrent_submissions_with_one_key_create_one_run(self, fleet: Fleet) -> None:
        def submit(_: int) -> str:
            with fleet.served.client("submitter") as client:

                def accepted() -> str:
                    answer = client.post("/api/v1/runs", json={"plan": plan()}, headers={"Idempotency-Key": "k"})
                    # A loaded service may refuse for a moment, after which clients try again.
                    assert answer.is_success or answer.status_code == 503, answer.text
                    return str(answer.json()["id"]) if answer.is_success else ""

                return until(accepted, "the admission of a submission")

        with ThreadPoolExecutor(6) as pool:
            ids = set(pool.map(submit, range(6)))
        assert len(ids) == 1
        assert _runs_stored(fleet) == 1
