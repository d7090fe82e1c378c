"""From plan to answer: REST → Celery → daemon → runner → SQLite → API and page."""

import json

import pytest

from orchestrator.measurement.preflight.all_checks import all_checks
from tests.support.system import System, a_plan, assert_exactly_once
from tests.support.waiting import until


def test_run_ends_with_every_execution_verified(system: System, run_id: str) -> None:
    assert_exactly_once(system, run_id, executions=3 * 2 * 6)

    # The same key, nonce, and chunk give the same ciphertext with every provider.
    digests = system.rows(
        "SELECT c.algorithm, count(DISTINCT e.output_sha256) AS n FROM executions e"
        " JOIN cases c ON c.id = e.case_id WHERE e.run_id = ? GROUP BY c.algorithm",
        run_id,
    )
    assert {row["algorithm"]: row["n"] for row in digests} == {"aes-128-ctr": 1, "chacha20-256": 1}


def test_expected_digests_are_proved_by_a_third_party(system: System, run_id: str) -> None:
    def basis() -> list[tuple[str, str]]:
        rows = system.rows(
            "SELECT DISTINCT d.algorithm, d.basis FROM expected_digests d JOIN cases c ON c.algorithm = d.algorithm"
            " WHERE c.run_id = ? ORDER BY d.algorithm",
            run_id,
        )
        return [tuple(row) for row in rows]

    # The scheduler judges digests, some after the end of the run.
    until(lambda: len(basis()) == 2, "the expected digests of both algorithms")
    assert basis() == [("aes-128-ctr", "service"), ("chacha20-256", "service")]


def test_answer_contains_ties_and_intervals(system: System, run_id: str) -> None:
    answer = system.get(f"/runs/{run_id}/answer")
    (agent,) = answer["agents"]
    assert len(agent["rows"]) == 6
    assert agent["noise_floor"]["relative"] > 0
    assert agent["blocks"] == 6
    assert all(row["interval"] for row in agent["rows"])
    assert f"{agent['rows'][0]['algorithm']} by {agent['rows'][0]['provider']}" in agent["sentence"]
    shown = json.loads(system.command("runs", "show", run_id, "--json"))
    assert shown["run"]["id"] == run_id


def test_run_stops_at_its_precision_and_separates_purposes(system: System) -> None:
    precision = {"relative_interval": 0.5, "max_repetitions": 40}
    matrix = [a_plan()["matrix"][0] | {"providers": ["cryptopp"], "algorithms": ["aes-128-ctr"], "copies": 2}]
    changes = {"precision": precision, "warm_up": 1, "memory": "apart", "memory_repetitions": 2, "matrix": matrix}
    run_id = system.submit(a_plan(**changes))
    run = system.wait_for_run(run_id)
    assert (run["state"], run["precision"]["open"]) == ("finished", 0)
    cases = system.get(f"/runs/{run_id}/cases")["items"]
    assert [case["copy"] for case in cases] == [1, 2]
    # On a busy machine even this width may not be reached; then that is reported.
    for case in cases:
        assert case["stop_reason"] == ("reached" if case["summary"]["relative_interval"] <= 0.5 else "maximum")
    # What a warm-up took is stored, and in no statistic.
    rows = system.rows(
        "SELECT e.purpose, e.state, e.work_wall_ns, e.peak_rss_bytes, c.execution_id AS curve,"
        " json_extract(e.readings, '$.sampling_interval_ns') AS sampling_interval_ns FROM executions e"
        " LEFT JOIN curves c ON c.execution_id = e.id WHERE e.run_id = ? ORDER BY e.position",
        run_id,
    )
    assert all(row["state"] == "ok" and row["work_wall_ns"] > 0 for row in rows)
    assert [row["purpose"] for row in rows[:2]] == ["warm-up", "warm-up"]
    assert [case["summary"]["warm_ups"] for case in cases] == [1, 1]
    assert sum(case["summary"]["ok"] for case in cases) == len(rows) - 2 == run["executions_total"] - 2
    # Timed executions are left alone; those for memory are watched.
    timed, memory = ([row for row in rows if row["purpose"] == purpose] for purpose in ("timing", "memory"))
    assert {(row["curve"], row["sampling_interval_ns"]) for row in timed} == {(None, None)}
    assert len(memory) == 4
    assert all(row["sampling_interval_ns"] > 0 and row["peak_rss_bytes"] > 0 for row in memory)


def test_preflight_checks_are_stored_with_the_run(system: System, run_id: str) -> None:
    (report,) = until(lambda: system.get(f"/runs/{run_id}/preflight")["items"], "a preflight report")
    assert {result["name"] for result in report["results"]} == {check.name for check in all_checks()}


def test_energy_of_a_window_comes_from_the_meter(system: System) -> None:
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

    def powers() -> set[float | None]:
        line = system.get(f"/agents/{agent_id}/sensor-readings", sensor="power_watts user-meter")["items"]
        return {one["value"] for one in line}

    # Readings arrive with heartbeats, and none is taken during an execution.
    until(lambda: 2.0 in powers(), "a reading of the meter")
    assert powers() <= {2.0, None}
