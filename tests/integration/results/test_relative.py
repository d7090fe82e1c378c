"""Ratios by length of stored runs: paired by block, equal to the ranking, and the same in API, chart, CSV and table."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event, select, update

from orchestrator.database.models import Case, Execution, Inventory
from orchestrator.results.answers.agents import EMULATED
from orchestrator.results.answers.by_length.service import get_throughput
from orchestrator.results.answers.readings import ReadingsCache
from tests.support.database import Shape, fill
from tests.support.exported import rows_of_csv
from tests.support.live_service import Served

ALGORITHM = "aes-128-ctr"
RUN = Shape(
    run_id="drifting0001", repetitions=12, algorithms=(ALGORITHM,), kinds=("random", "text"), with_curves=False,
    rates={("own", ALGORITHM): 96.0, ("botan", ALGORITHM): 100.0, ("openssl", ALGORITHM): 100.0},
)  # fmt: skip


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    """A service with a run during which the machine becomes almost four times as slow."""
    fill(served.database, RUN)
    with served.database.write() as session:
        for execution in session.scalars(select(Execution).where(Execution.state == "ok")):
            walls = execution.phase_wall_ns or {}
            slower = round(walls["encrypt"] * (1 + execution.repetition / 4))
            execution.phase_wall_ns = walls | {"encrypt": slower}
    return served


def get(served: Served, path: str, **query: Any) -> Any:
    return served.json(f"/api/v1/runs/{RUN.run_id}/{path}", **query)


def points_of(served: Served) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = get(served, "throughput")["points"]
    return found


def test_intervals_are_those_of_ratios_within_blocks_and_not_of_the_drift(served: Served) -> None:
    slow = [point for point in points_of(served) if point["provider"] == "own"]
    assert len(slow) == len(RUN.sizes)
    for point in slow:
        found, median = point["of_fastest"], point["throughput_bytes_per_second"]
        assert (found["method"], found["blocks"], found["verdict"]) == ("paired", RUN.repetitions, "different")
        assert found["interval"]["high"] - found["interval"]["low"] < 0.04
        assert found["interval"]["low"] < 0.96 < found["interval"]["high"]
        assert (point["interval"]["high"] - point["interval"]["low"]) / median > 0.3  # the drift


def test_throughputs_and_intervals_are_those_of_the_ranking_of_each_length(served: Served) -> None:
    # A disturbed execution dominated its block in the chart alone.
    run = replace(RUN, run_id="disturbed001", repetitions=6)
    fill(served.database, run)
    with served.database.write() as session:
        disturbed = select(Execution).join(Case).where(Case.run_id == run.run_id, Case.input_kind == "text")
        for execution in session.scalars(disturbed.where(Execution.repetition == 3, Execution.state == "ok")):
            walls = execution.phase_wall_ns or {}
            execution.phase_wall_ns = walls | {"encrypt": 10 * walls["encrypt"]}
    path = f"/api/v1/runs/{run.run_id}"
    points = served.json(f"{path}/throughput")["points"]
    for length in run.sizes:
        (agent,) = served.json(f"{path}/answer", measure="encrypt", length_bytes=length)["agents"]
        ranked = {row["provider"]: row for row in agent["rows"]}
        for point in (one for one in points if one["length_bytes"] == length):
            row = ranked[point["provider"]]
            assert point["throughput_bytes_per_second"] == pytest.approx(row["value"])
            assert point["interval"] == pytest.approx(row["interval"])


def test_reference_and_ratios_are_those_of_the_ranking_of_each_length(served: Served) -> None:
    for length in RUN.sizes:
        answer = get(served, "answer", measure="encrypt", length_bytes=length, algorithm=ALGORITHM)["agents"][0]
        ranked = {row["provider"]: row for row in answer["rows"]}
        points = {one["provider"]: one["of_fastest"] for one in points_of(served) if one["length_bytes"] == length}
        (leader,) = (name for name, one in points.items() if one["verdict"] == "reference")
        assert leader == answer["rows"][0]["provider"]
        for provider, one in points.items():
            assert one["reference"].startswith(f"{leader} [")
            if provider != leader:
                row = ranked[provider]
                assert 1 / one["ratio"] == pytest.approx(row["behind"])
                assert 1 / one["interval"]["high"] == pytest.approx(row["behind_interval"]["low"])
                assert (one["verdict"] == "tie") == (ranked[provider]["rank"] == 1)


def test_chart_csv_and_table_have_the_ratios_of_the_api(served: Served) -> None:
    expected = {
        (round(one["of_fastest"]["ratio"], 9), one["of_fastest"]["verdict"], one["of_fastest"]["method"])
        for one in points_of(served)
    }
    address = f"{served.url}/runs/{RUN.run_id}/charts/relative"
    spec = served.viewer.get(f"{address}.json").json()
    rows = rows_of_csv(served.viewer.get(f"{address}.csv").text)
    table = served.viewer.get(f"{address}.html").text
    drawn = served.viewer.get(f"{address}.svg").text
    found = spec["data"]["values"]
    assert {(round(row["value"], 9), row["result"], row["method"]) for row in found} == expected
    assert {(round(float(row["value"]), 9), row["result"], row["method"]) for row in rows} == expected
    ties = sum(one["of_fastest"]["verdict"] == "tie" for one in points_of(served))
    assert ties >= 1
    assert table.count("<td>tie</td>") == drawn.count("result: tie") == ties
    assert "paired by block, 95 %" in spec["title"]


def test_number_of_queries_does_not_grow_with_the_points(served: Served) -> None:
    fill(served.database, Shape(run_id="further00001", repetitions=3, with_curves=False))
    counts = []
    for run_id in (RUN.run_id, "further00001"):
        cache = ReadingsCache()
        get_throughput(served.database, cache, run_id, "encrypt")
        statements = list[str]()

        def note(*given: Any, into: list[str] = statements) -> None:
            into.append(given[2])

        event.listen(served.database.engine, "before_cursor_execute", note)
        points = get_throughput(served.database, cache, run_id, "encrypt", "text").points
        event.remove(served.database.engine, "before_cursor_execute", note)
        counts.append((len(points), len(statements)))
    (few, statements_of_few), (many, statements_of_many) = counts
    assert many > 3 * few
    assert statements_of_few == statements_of_many


def test_emulated_agent_has_no_ratios_but_the_reason(served: Served) -> None:
    try:
        with served.database.write() as session:
            session.execute(update(Inventory).values(emulated=True))
        assert {(one["of_fastest"]["ratio"], one["of_fastest"]["reason"]) for one in points_of(served)} == {
            (None, EMULATED)
        }
        spec = served.viewer.get(f"{served.url}/runs/{RUN.run_id}/charts/relative.json").json()
        assert spec["data"]["values"] == []
        assert EMULATED in spec["title"]
    finally:
        with served.database.write() as session:
            session.execute(update(Inventory).values(emulated=False))
