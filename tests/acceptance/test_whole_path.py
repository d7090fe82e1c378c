"""A plan goes in, an answer comes out: REST → Celery → daemon → runner → SQLite → API and page."""

import csv
import io
import json

import httpx
import pytest

from orchestrator.measurement.hygiene.all_checks import all_checks
from tests.acceptance.system import System, a_plan, assert_exactly_once, wait_until


def test_a_run_ends_with_every_execution_verified(system: System) -> None:
    run_id = system.submit(a_plan())
    run = system.wait_for_run(run_id)
    assert run["state"] == "finished"
    assert_exactly_once(system, run_id, executions=3 * 2 * 6)

    # The same key, nonce and chunk give the same ciphertext whoever wrote the cipher.
    digests = system.rows(
        "SELECT c.algorithm, count(DISTINCT e.ciphertext_sha256) AS n FROM executions e"
        " JOIN cases c ON c.id = e.case_id WHERE e.run_id = ? GROUP BY c.algorithm",
        run_id,
    )
    assert {row["algorithm"]: row["n"] for row in digests} == {"aes-128-ctr": 1, "chacha20-256": 1}


def test_expected_digests_rest_on_a_third_party(system: System) -> None:
    run_id = system.submit(a_plan())
    system.wait_for_run(run_id)
    basis = system.rows("SELECT algorithm, basis FROM expected_digests ORDER BY algorithm")
    assert [tuple(row) for row in basis] == [("aes-128-ctr", "third-party"), ("chacha20-256", "third-party")]


def test_order_is_interleaved_by_block_and_repeats_with_the_seed(system: System) -> None:
    orders = []
    for _ in range(2):
        run_id = system.submit(a_plan(seed=7))
        system.wait_for_run(run_id)
        rows = system.rows(
            "SELECT c.number, e.repetition FROM executions e JOIN cases c ON c.id = e.case_id WHERE e.run_id = ?"
            " ORDER BY e.position",
            run_id,
        )
        orders.append([tuple(row) for row in rows])
    assert orders[0] == orders[1]
    repetitions = [repetition for _, repetition in orders[0]]
    assert repetitions == sorted(repetitions)  # one block after the other …
    numbers = [number for number, _ in orders[0]]
    assert numbers[:6] != numbers[6:12]  # … each in an order of its own


def test_the_answer_names_ties_and_intervals(system: System) -> None:
    run_id = system.submit(a_plan())
    system.wait_for_run(run_id)
    answer = system.get(f"/runs/{run_id}/answer")
    (agent,) = answer["agents"]
    assert len(agent["rows"]) == 6
    assert agent["noise_floor"]["relative"] > 0
    assert agent["blocks"] == 6
    assert all(row["interval"] for row in agent["rows"])
    assert f"{agent['rows'][0]['algorithm']} by {agent['rows'][0]['provider']}" in agent["sentence"]
    shown = json.loads(system.command("runs", "show", run_id, "--json"))
    assert shown["run"]["id"] == run_id
    assert json.loads(system.command("runs", "show", "latest", "--json"))["run"]["id"] == run_id


def test_export_holds_every_execution(system: System) -> None:
    run_id = system.submit(a_plan())
    system.wait_for_run(run_id)
    answer = system.client.get(f"/runs/{run_id}/export", params={"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == 36
    assert all(int(row["work_wall_ns"]) > 0 for row in rows)


def test_the_same_idempotency_key_gives_the_same_run(system: System) -> None:
    headers = {"Idempotency-Key": "one-submission"}
    answers = [system.client.post("/runs", json={"plan": a_plan()}, headers=headers) for _ in range(2)]
    assert answers[0].json()["id"] == answers[1].json()["id"]
    other = system.client.post("/runs", json={"plan": a_plan(repetitions=7)}, headers=headers)
    assert other.status_code in (409, 422)
    system.wait_for_run(answers[0].json()["id"])


def test_a_page_of_another_origin_can_submit_nothing(system: System) -> None:
    before = len(system.rows("SELECT id FROM runs"))
    url = f"{system.client.base_url}/runs".replace("v1//", "v1/")
    body = {"plan": a_plan()}
    attempts = [
        # What a form or a simple cross-site request can send: no token, a text body, a foreign origin.
        httpx.post(url, content=json.dumps(body), headers={"Content-Type": "text/plain", "Origin": "http://evil.test"}),
        httpx.post(url, json=body, headers={"Origin": "http://evil.test"}),
        httpx.post(url, json=body),
        # DNS rebinding: the browser thinks it speaks to evil.test.
        httpx.post(
            url, json=body, headers={"Host": "evil.test", "Authorization": system.client.headers["Authorization"]}
        ),
    ]
    assert [attempt.status_code >= 400 for attempt in attempts] == [True] * 4, attempts
    preflight = httpx.options(url, headers={"Origin": "http://evil.test", "Access-Control-Request-Method": "POST"})
    assert "access-control-allow-origin" not in preflight.headers
    assert len(system.rows("SELECT id FROM runs")) == before


def test_the_energy_of_a_window_comes_from_the_meter(system: System) -> None:
    matrix = [a_plan()["matrix"][0] | {"providers": ["own"], "algorithms": ["chacha20-256"]}]
    run_id = system.submit(a_plan(repetitions=1, energy={"windows": 1, "window_seconds": 0.5}, matrix=matrix))
    system.wait_for_run(run_id)
    (window,) = system.rows("SELECT id FROM executions WHERE run_id = ? AND purpose = 'energy'", run_id)

    readings = {one["name"]: one for one in system.get(f"/executions/{window['id']}")["readings"]}

    # The meter of these tests always sees two watts.
    watts = readings["energy_joules"]["value"] / (readings["energy_window_ns"]["value"] / 1e9)
    assert watts == pytest.approx(2.0, rel=1e-6)
    assert readings["energy_joules"]["source"].startswith("user meter: ")
    assert readings["energy_executions"]["value"] >= 1
    agent_id = system.get("/agents")["items"][0]["id"]
    line = system.get(f"/agents/{agent_id}/sensor-readings", sensor="power_watts user-meter")["items"]
    assert {one["value"] for one in line} <= {2.0, None}
    assert 2.0 in {one["value"] for one in line}


def test_the_conditions_of_measuring_stand_with_a_run(system: System) -> None:
    run_id = system.submit(a_plan(repetitions=1))
    system.wait_for_run(run_id)
    (report,) = wait_until(lambda: system.get(f"/runs/{run_id}/hygiene")["items"], 30, "a hygiene report")
    assert {finding["name"] for finding in report["findings"]} == {check.name for check in all_checks()}
