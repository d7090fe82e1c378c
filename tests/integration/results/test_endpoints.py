"""Results of a run over HTTP, from a filled database."""

from pathlib import Path

import pytest
from sqlalchemy import update

from orchestrator.database.models import Calibration
from orchestrator.results.answers.decision.question import Question
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.answers.service import read_answer
from orchestrator.results.digests.service import resolve_pending
from orchestrator.results.freshness.service import snapshot_of
from orchestrator.results.schemas import RunAnswer
from tests.support.database import Shape, fill
from tests.support.exported import rows_of_csv, rows_of_json_lines
from tests.support.live_service import Served, serve
from tests.support.result_world import AGENT, CHUNK, World, record

SHAPE = Shape(trouble=True, algorithms=("aes-128-ctr", "chacha20-256"), repetitions=8)
CASES = 2 * 3 * 8
EXECUTIONS = CASES * 8


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill(served.database, SHAPE)
    return served


def answer_of(world: World, cache: ReadingsCache, question: Question) -> RunAnswer:
    with snapshot_of(world.database, "run000000001") as seen:
        facts = read_answer(seen, cache, question)
    return facts.compute(world.database)


class TestExecutions:
    def test_pages_hold_every_execution_once_wrong_ones_first(self, served: Served) -> None:
        seen: list[tuple[int, str]] = []
        cursor = None
        while True:
            query = {"limit": 100} | ({"cursor": cursor} if cursor else {})
            page = served.viewer.get(f"/api/v1/runs/{SHAPE.run_id}/executions", params=query).json()
            seen += [(one["id"], one["state"]) for one in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert len({execution_id for execution_id, _ in seen}) == len(seen) == EXECUTIONS
        assert [state for _, state in seen[:3]] == ["wrong", "failed", "ok"]

    def test_executions_can_be_filtered_by_state_and_case(self, served: Served) -> None:
        path = f"/api/v1/runs/{SHAPE.run_id}/executions"
        failed = served.viewer.get(path, params={"state": "failed"}).json()["items"]
        of_case = served.viewer.get(path, params={"case_id": failed[0]["case_id"]}).json()["items"]
        assert [one["failure"]["error"] for one in failed] == ["runner-crashed"]
        assert len(of_case) == SHAPE.repetitions
        assert {one["case_id"] for one in of_case} == {failed[0]["case_id"]}

    def test_execution_has_readings_with_units_and_reasons(self, served: Served) -> None:
        page = served.viewer.get(f"/api/v1/runs/{SHAPE.run_id}/executions", params={"state": "ok", "limit": 1}).json()
        execution_id = page["items"][0]["id"]
        shown = served.viewer.get(f"/api/v1/executions/{execution_id}").json()
        curve = served.viewer.get(f"/api/v1/executions/{execution_id}/curve").json()
        readings = {one["name"]: one for one in shown["readings"]}
        assert readings["start_wall_ns"]["unit"] == "ns"
        assert readings["encrypt_cycles"]["value"] is None
        assert "ENOENT" in readings["encrypt_cycles"]["reason"]
        assert shown["verification"]["basis"] == "service"
        assert shown["has_curve"]
        assert len(curve["at_ns"]) == len(curve["rss_bytes"]) > 0

    def test_unknown_execution_is_404(self, served: Served) -> None:
        problem = served.viewer.get("/api/v1/executions/999999")
        assert (problem.status_code, problem.json()["type"]) == (404, "/problems/not-found")


class TestAnswer:
    def test_the_run_is_answered_with_ranks_and_a_sentence(self, served: Served) -> None:
        result = served.viewer.get(f"/api/v1/runs/{SHAPE.run_id}/answer").json()
        (agent,) = result["agents"]
        assert agent["rows_total"] == 6
        assert (agent["rows"][0]["provider"], agent["rows"][0]["algorithm"]) == ("cryptopp", "aes-128-ctr")
        assert agent["noise_floor"]["relative"] == 0.021
        assert (agent["health"], agent["health_reason"]) == ("unchecked", "")
        assert agent["sentence"].startswith("Attention: 1 execution is wrong, and excluded. On raspberrypi")
        assert "aes-128-ctr by cryptopp has the highest encryption throughput" in agent["sentence"]

    def test_answer_is_about_one_length_unless_all_are_requested(self, served: Served) -> None:
        # Finding F105: chunks of 128 KiB and 1 MiB had one throughput.
        path = f"/api/v1/runs/{SHAPE.run_id}/answer"
        one, every = (served.viewer.get(path, params={"lengths": lengths}).json() for lengths in ("one", "all"))
        assert (one["length_bytes"], every["length_bytes"]) == (131_072, None)
        assert one["agents"][0]["inputs"]["lengths_bytes"] == [131_072]
        assert every["agents"][0]["inputs"]["lengths_bytes"] == [131_072, 1_048_576]

    def test_answer_about_an_operation_is_about_its_throughput_and_one_length(self, served: Served) -> None:
        path = f"/api/v1/runs/{SHAPE.run_id}/answer"
        found = served.viewer.get(path, params={"operation": "decrypt"}).json()
        assert (found["measure"], found["length_bytes"]) == ("decrypt", 131_072)
        chosen = served.viewer.get(path, params={"operation": "decrypt", "measure": "encrypt"}).json()
        assert (chosen["measure"], chosen["length_bytes"]) == ("encrypt", 131_072)

    def test_answer_changes_with_execution_states(self, world: World, tmp_path: Path) -> None:
        # The readings are cached: a verdict that comes later must not leave an old answer behind.
        cases = world.run(["own", "botan"])
        faked = [record(cases["botan"], i, encrypt_wall_ns=1000, output_sha256="d" * 64) for i in range(1, 7)]
        good = [record(cases["own"], i) for i in range(1, 7)]
        world.store(*faked, *good)
        cache = ReadingsCache()

        def first() -> tuple[str, int | None]:
            (agent,) = answer_of(world, cache, Question()).agents
            return agent.rows[0].provider, agent.rows[-1].rank

        assert first() == ("botan", 2)
        resolve_pending(world.database, world.settings)
        assert first() == ("own", None)

    def test_rows_show_what_vouches_for_them_before_and_after_a_verdict(self, world: World) -> None:
        # A verdict that confirms the results does not change the cached readings.
        cases = world.run(["own", "botan"])
        good = [record(cases["own"], i) for i in range(1, 7)]
        world.store(*good)
        cache = ReadingsCache()

        def vouched() -> dict[str, str | None]:
            (agent,) = answer_of(world, cache, Question()).agents
            return {row.provider: row.vouched_by for row in agent.rows}

        assert vouched() == {"own": "one agent", "botan": None}
        resolve_pending(world.database, world.settings)
        assert vouched() == {"own": "service", "botan": None}

    def test_answer_changes_with_the_noise_floor(self, tmp_path: Path) -> None:
        # The ranking is kept with the readings: a health check's new floor must reach it all the same.
        with serve(tmp_path / "data") as running:
            shape = Shape(algorithms=("aes-128-ctr",), kinds=("text",), repetitions=6, with_curves=False)
            fill(running.database, shape)
            ranks, of_floor = [], update(Calibration).where(Calibration.kind == "noise-floor")
            for floor in (0.01, 0.01, 1000.0):
                with running.database.write() as session:
                    session.execute(of_floor.values(value=floor))
                (agent,) = running.viewer.get(f"/api/v1/runs/{shape.run_id}/answer").json()["agents"]
                ranks.append([row["rank"] for row in agent["rows"]])
        assert ranks == [[1, 2, 3], [1, 2, 3], [1, 1, 1]]

    def test_disturbed_executions_can_be_excluded(self, world: World) -> None:
        case_id = world.run(["own"], repetitions=7)["own"]
        times = {"encrypt_wall_ns": 4_096_000, "work_wall_ns": 6_000_000, "process_wall_ns": 6_500_000}
        slow = [record(case_id, i, disturbances=["others-on-core"], **times) for i in range(1, 5)]
        good = [record(case_id, i) for i in range(5, 8)]
        world.store(*slow, *good)
        cache = ReadingsCache()
        medians = [
            answer_of(world, cache, Question(disturbed=disturbed)).agents[0].rows[0]
            for disturbed in ("include", "exclude")
        ]
        assert [row.value for row in medians] == pytest.approx([1e6, 4e6])

    def test_throughput_by_length_pools_the_kinds(self, served: Served) -> None:
        chart = served.viewer.get(f"/api/v1/runs/{SHAPE.run_id}/throughput", params={"measure": "pass"}).json()
        assert chart["measure"] == "pass"
        assert len(chart["points"]) == 2 * 3 * 2
        for point in chart["points"]:
            assert point["kinds"] == ["audio", "random", "text", "video"]
            assert point["interval"]["low"] <= point["throughput_bytes_per_second"] <= point["interval"]["high"]


class TestExport:
    def test_csv_has_every_execution_with_its_case(self, served: Served) -> None:
        sent = served.viewer.get(f"/api/v1/runs/{SHAPE.run_id}/export?format=csv")
        rows = rows_of_csv(sent.text)
        assert len(rows) == EXECUTIONS
        failed = [row for row in rows if row["state"] == "failed"]
        assert [(row["work_wall_ns"], row["absent_because"]["*"]) for row in failed] == [("", "failed: runner-crashed")]
        good = next(row for row in rows if row["state"] == "ok")
        assert good["absent_because"]["frequency_before_hz"] == "this machine has no cpufreq"
        expected = int(good["message_bytes"]) * 1e9 / int(good["encrypt_wall_ns"])
        assert float(good["throughput_bytes_per_second"]) == pytest.approx(expected)

    def test_json_lines_equal_the_csv(self, served: Served) -> None:
        lines = served.viewer.get(f"/api/v1/runs/{SHAPE.run_id}/export?format=jsonl").text
        table = served.viewer.get(f"/api/v1/runs/{SHAPE.run_id}/export?format=csv").text
        objects, rows = rows_of_json_lines(lines), rows_of_csv(table)
        first, row = objects[0], rows[0]
        assert len(objects) == EXECUTIONS
        assert list(first) == list(row)
        assert [one["absent_because"] for one in objects] == [one["absent_because"] for one in rows]
        assert (first["execution_id"], first["work_wall_ns"]) == (int(row["execution_id"]), int(row["work_wall_ns"]))


class TestRecords:
    def test_a_batch_over_http_is_stored_for_its_agent_alone(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        body = {"records": [record(case_id, 1).model_dump(mode="json")]}
        with serve(world.settings.data_folder, database_url=world.settings.database_url) as served:
            with served.client("agent", AGENT) as agent:
                assert agent.post("/api/v1/records", json=body).json() == {"stored": 1, "known": 0, "refused": {}}
                assert agent.post("/api/v1/records", json=body).json() == {"stored": 0, "known": 1, "refused": {}}
                assert agent.post("/api/v1/records", json={"records": []}).status_code == 422
            assert served.client("submitter").post("/api/v1/records", json=body).status_code == 403
        assert world.summary(case_id).ok == 1
        assert len(CHUNK) == record(case_id).input_bytes
