"""Registered runs: what was intended before the first execution, and whether it was kept (finding S110)."""

from typing import Any

import pytest
from sqlalchemy import update

from orchestrator.database.models import Run
from orchestrator.runs.planning.plan import measurement_sha256
from tests.support.database import Shape, fill
from tests.support.fleet import Fleet, plan


def submitted(fleet: Fleet, repetitions: int = 3, *, registered: bool = False) -> str:
    body = {"plan": plan(repetitions=repetitions, seed=7), "registered": registered}
    answer = fleet.submitter.post("/api/v1/runs", json=body)
    assert answer.status_code == 201, answer.text
    assert answer.json()["registered_repetitions"] == (repetitions if registered else None)
    return str(answer.json()["id"])


def repetitions(fleet: Fleet, run_id: str) -> dict[str, Any]:
    answer = fleet.submitter.get(f"/api/v1/runs/{run_id}/answer").json()["repetitions"]
    assert isinstance(answer, dict)
    return answer


def test_registered_run_names_what_was_measured_before_and_that_it_stopped(fleet: Fleet) -> None:
    earlier = submitted(fleet, 2)
    run_id = submitted(fleet, registered=True)
    found = repetitions(fleet, run_id)
    assert found["registration"]["kept"] is None
    assert (found["registration"]["repetitions"], found["registration"]["earlier_runs"]) == (3, 1)
    fleet.change(run_id, "cancel")
    found = repetitions(fleet, run_id)
    assert found["registration"]["kept"] is False
    assert " UTC with 3 repetitions and seed 7, after 1 other run of this measurement." in found["sentence"]
    stopped = "Not kept: it stopped after 0 of 24 executions. Its answer was first read after 0 executions."
    assert stopped in found["sentence"]
    assert repetitions(fleet, earlier)["registration"]["earlier_runs"] == 1
    of_other = repetitions(fleet, earlier)["sentence"]
    assert of_other.startswith(f"Not the registered run of this measurement: run {run_id} was registered on ")
    assert "with 3 repetitions; this one has 2. 1 other run of the same measurement: 1 cancelled." in of_other
    fleet.submitter.delete(f"/api/v1/runs/{run_id}").raise_for_status()
    assert f": run {run_id} (deleted) was registered on " in repetitions(fleet, earlier)["sentence"]


def test_finished_registered_run_is_kept_and_an_answer_after_its_end_is_no_early_look(fleet: Fleet) -> None:
    run_id = fill(fleet.database, Shape(run_id="kept00000001", state="finished", algorithms=("aes-128-ctr",)))
    fleet.execute(update(Run).where(Run.id == run_id).values(registered_repetitions=24))
    found = repetitions(fleet, run_id)
    assert found["registration"]["kept"] is True
    assert found["registration"]["first_look_executions"] is None
    assert found["sentence"].endswith("as the first run of this measurement. Kept: 192 of 192 executions were made.")
    page = fleet.submitter.get(f"/runs/{run_id}/answer", headers={"Accept": "text/html"}).text
    assert "Kept: 192 of 192 executions were made." in page


def test_registration_with_other_repetitions_is_refused_and_stores_nothing(fleet: Fleet) -> None:
    run_id = submitted(fleet, registered=True)
    body = {"plan": plan(repetitions=5, seed=7), "registered": True}
    problem = fleet.submitter.post("/api/v1/runs", json=body)
    assert problem.status_code == 409
    assert f"as run {run_id} with 3 repetitions; this plan has 5." in problem.json()["detail"]
    assert "Submit it with 3 repetitions, or without registering it" in problem.json()["remedy"]
    assert len(fleet.submitter.get("/api/v1/runs").json()["items"]) == 1


def test_key_of_a_submission_does_not_return_a_run_that_is_not_registered(fleet: Fleet) -> None:
    headers = {"Idempotency-Key": "one key"}
    body = {"plan": plan()}
    fleet.submitter.post("/api/v1/runs", json=body, headers=headers).raise_for_status()
    registered = body | {"registered": True}
    assert fleet.submitter.post("/api/v1/runs", json=registered, headers=headers).status_code == 409
    headers = {"Idempotency-Key": "another key"}
    codes = [fleet.submitter.post("/api/v1/runs", json=registered, headers=headers).status_code for _ in range(2)]
    assert codes == [201, 200]


@pytest.mark.parametrize("change", [{"seed": 8}, {"repetitions": 9}, {"name": "other"}, {"priority": 2}])
def test_what_a_plan_measures_is_the_same_under_other_repetitions_and_names(change: dict[str, Any]) -> None:
    assert measurement_sha256(plan(**change)) == measurement_sha256(plan())
