"""Results of a run of timed calls over HTTP, from a filled database."""

import re

import pytest

from tests.support.database import Shape, fill
from tests.support.exported import rows_of_csv
from tests.support.latency_results import COMPILER_SAID, LENGTHS, ON_TARGET_BYTES, TARGET, TIMINGS, fill_calls
from tests.support.latency_results import Shape as CallShape
from tests.support.live_service import Served

SHAPE = CallShape()
INPUTS = 2 * len(LENGTHS) + 1  # both directions of each length, and key setup
ALGORITHMS = ("tinyjambu-128", "tinyjambu-256")
PATH = f"/api/v1/runs/{SHAPE.run_id}"
CHUNKS = Shape(run_id="chunks000001", algorithms=("aes-128-ctr",), repetitions=2, sizes=(4096,), with_curves=False)


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill(served.database, CHUNKS)
    fill_calls(served.database, SHAPE)
    return served


class TestBatches:
    def test_a_message_of_a_batch_is_compared_with_the_same_message_alone(self, served: Served) -> None:
        batches = ("encrypt", "encrypt-8")
        shape = CallShape("batches00001", "batches", "gateway", operations=batches, lengths=(64,))
        fill_calls(served.database, shape)
        alone = served.json(f"/api/v1/runs/{shape.run_id}/answer")["agents"][0]
        assert alone["inputs"]["operations"] == ["encrypt"]
        assert {row["batch_gain"] for row in alone["rows"]} == {None}
        together = served.json(f"/api/v1/runs/{shape.run_id}/answer", operation="encrypt-8")["agents"][0]
        assert "over 1 input of 64 B (encrypt, each of 8 messages, key set in each call)" in together["sentence"]
        ranked = [row for row in together["rows"] if row["rank"]]
        assert len(ranked) == 4
        for row in ranked:
            interval = row["batch_gain_interval"]
            assert interval["low"] <= row["batch_gain"] <= interval["high"]
            assert row["batch_gain"] == pytest.approx(4, rel=0.02)
        page = served.viewer.get(f"/runs/{shape.run_id}/answer?call=encrypt-8", headers={"accept": "text/html"})
        head = page.text.partition('<table class="ranking">')[2].partition("</thead>")[0]
        assert [one for one in ("Gain", "Code") if f">{one}</th>" in head] == ["Gain"]


def test_page_offers_only_operations_of_the_run(served: Served) -> None:
    """Regression: the form offered `encrypt` as the default of a run without it."""
    shape = CallShape("decrypts0001", "decrypts", "receiver", operations=("decrypt",), lengths=(64,))
    fill_calls(served.database, shape)
    page = served.viewer.get(f"/runs/{shape.run_id}/answer", headers={"accept": "text/html"}).text
    (options,) = re.findall(r'<select name="call">(.*?)</select>', page, re.DOTALL)
    assert re.findall(r'value="([^"]*)">([^<]*)<', options) == [("", "decrypt"), ("key-setup", "key-setup")]


class TestAnswer:
    def test_a_run_of_calls_answers_by_calls(self, served: Served) -> None:
        result = served.json(f"{PATH}/answer")
        assert result["measure"] == "call"
        assert result["measures"] == [
            "call", "call-cpu", "cold-call", "peak-memory", "code-size", "static-ram", "stack", "source-lines",
        ]  # fmt: skip
        (agent,) = result["agents"]
        # Finding F105: one operation and one length, unless all are requested.
        assert (result["operation"], agent["inputs"]["operations"], len(agent["inputs"]["lengths_bytes"])) == (
            "encrypt", ["encrypt"], 1,
        )  # fmt: skip
        (pooled,) = served.json(f"{PATH}/answer", lengths="all")["agents"]
        assert pooled["inputs"]["operations"] == ["encrypt"]
        assert pooled["inputs"]["count"] > agent["inputs"]["count"]
        ranked = [(row["algorithm"], row["toolchain"], row["rank"]) for row in agent["rows"]]
        assert ranked == [
            ("tinyjambu-128", "clang -O3", 1),
            ("tinyjambu-128", "gcc -O3", 2),
            ("tinyjambu-256", "clang -O3", 3),
            ("tinyjambu-256", "gcc -O3", 4),
            ("tinyjambu-128", "icpx -O3", None),
            ("tinyjambu-256", "icpx -O3", None),
        ]
        assert "tinyjambu-128 by own [scalar, clang -O3] has the fastest call (" in agent["sentence"]
        assert "the next that differs, tinyjambu-128 by own [scalar, gcc -O3], takes 1.0" in agent["sentence"]

    def test_rows_have_code_and_stack_sizes(self, served: Served) -> None:
        (agent,) = served.json(f"{PATH}/answer", operation="encrypt")["agents"]
        first, *_, last = agent["rows"]
        assert first["footprint"]["code_bytes"] == 2300 + len("clang")
        assert last["footprint"]["code_bytes"] is None
        assert "has not reported" in last["footprint"]["reason"]
        assert first["cold_call_wall_ns"] > 4 * first["value"] > 4 * first["call_cpu_ns"]

    def test_limits_apply_to_the_sizes_on_a_target(self, served: Served) -> None:
        """Finding F101: sizes of the agent's processor are no sizes of firmware."""
        result = served.json(f"{PATH}/answer", max_code_bytes=1000, target=TARGET)
        assert result["targets"] == [TARGET]
        assert result["constraints"] == [f"code size at most 1\u202f000 B on {TARGET}"]
        (agent,) = result["agents"]
        assert {row["algorithm"] for row in agent["rows"]} == {"tinyjambu-128"}
        first = agent["rows"][0]["footprint"]
        assert (first["code_bytes"], first["target"]) == (ON_TARGET_BYTES["tinyjambu-128"], TARGET)
        assert f"Sizes are those on {TARGET}, times those on" in agent["sentence"]
        (nowhere,) = served.json(f"{PATH}/answer", max_code_bytes=1000, target="z80")["agents"]
        assert not nowhere["rows"]
        assert "has not reported its sizes on z80" in nowhere["excluded"][0]["reasons"][0]

    def test_failed_toolchain_has_its_last_lines(self, served: Served) -> None:
        (agent,) = served.json(f"{PATH}/answer")["agents"]
        row = agent["rows"][-1]
        assert row["reason"] == f"the toolchain produced no runners: {COMPILER_SAID}"
        assert (row["ok"], row["skipped"]) == (0, INPUTS * SHAPE.repetitions)

    def test_noise_floor_falls_back_to_the_default_build(self, served: Served) -> None:
        (agent,) = served.json(f"{PATH}/answer")["agents"]
        assert agent["noise_floor"] == {
            "relative": 0.021,
            "reason": "of the agent's default build; these builds have none",
        }

    def test_answer_can_be_limited_to_an_operation_and_a_length(self, served: Served) -> None:
        result = served.json(f"{PATH}/answer", operation="decrypt", length_bytes=64)
        inputs = result["agents"][0]["inputs"]
        assert (inputs["count"], inputs["operations"], inputs["lengths_bytes"]) == (1, ["decrypt"], [64])
        assert result["agents"][0]["rows"][0]["value"] == pytest.approx((900 + 64 * 8.1) * 0.93, rel=0.02)

    def test_outliers_are_those_of_the_inputs_of_the_answer(self, served: Served) -> None:
        questions = ({"lengths": "all"}, *({"length_bytes": length} for length in LENGTHS))
        answers = (served.json(f"{PATH}/answer", operation="encrypt", **of)["agents"][0] for of in questions)
        whole, *parts = (sum(row["outliers"] for row in agent["rows"]) for agent in answers)
        assert whole == sum(parts) > 0

    def test_a_run_of_chunks_answers_by_throughput_and_has_no_calls(self, served: Served) -> None:
        result = served.json(f"/api/v1/runs/{CHUNKS.run_id}/answer")
        assert (result["measure"], result["measures"][0]) == ("encrypt", "encrypt")
        assert not {"call", "call-cpu", "call-cycles", "cold-call", "encrypt-cycles"} & set(result["measures"])
        assert {row["call_cpu_ns"] for row in result["agents"][0]["rows"]} == {None}
        assert served.json(f"/api/v1/runs/{CHUNKS.run_id}/answer", measure="call")["agents"] == []


class TestMeasures:
    @pytest.mark.parametrize("measure", ["call-cpu", "cold-call"])
    def test_ranking_by_a_reading_uses_its_own_values(self, served: Served, measure: str) -> None:
        by_call = served.json(f"{PATH}/answer", operation="encrypt")["agents"][0]["rows"]
        (agent,) = served.json(f"{PATH}/answer", operation="encrypt", measure=measure)["agents"]
        assert (agent["measure"], agent["unit"]) == (measure, "ns")
        factor = {"call-cpu": 0.998, "cold-call": 4.2}[measure]
        for row, call in zip(agent["rows"][:4], by_call, strict=False):
            assert (row["algorithm"], row["toolchain"]) == (call["algorithm"], call["toolchain"])
            assert row["value"] == pytest.approx(factor * call["value"], rel=0.01)
            assert row["interval"]["low"] <= row["value"] <= row["interval"]["high"]

    def test_measure_without_any_reading_ranks_nothing_and_reports_it(self, served: Served) -> None:
        (agent,) = served.json(f"{PATH}/answer", measure="call-cycles")["agents"]
        assert [row["rank"] for row in agent["rows"]] == [None] * 6
        assert "nothing can be compared by cycles of one warm call: no candidate has a reading" in agent["sentence"]

    def test_code_size_is_exact_and_equal_values_tie(self, served: Served) -> None:
        (agent,) = served.json(f"{PATH}/answer", measure="code-size")["agents"]
        ranked = [(row["value"], row["rank"], row["interval"]) for row in agent["rows"][:4]]
        assert ranked == [(2303, 1, None), (2305, 2, None), (2815, 3, None), (2817, 4, None)]
        assert agent["comparisons"] == 0
        assert "has the smallest code (2\u202f303 B)" in agent["sentence"]
        (agent,) = served.json(f"{PATH}/answer", measure="stack")["agents"]
        assert [(row["value"], row["rank"], row["groups"]) for row in agent["rows"][:4]] == [(304, 1, ["a"])] * 4
        assert "(304 B) and ties with tinyjambu-128 by own" in agent["sentence"]
        (agent,) = served.json(f"{PATH}/answer", measure="stack", operation="encrypt")["agents"]
        assert {row["value"] for row in agent["rows"][:4]} == {240}

    def test_source_lines_rank_implementations_and_equal_sources_tie(self, served: Served) -> None:
        (agent,) = served.json(f"{PATH}/answer", measure="source-lines")["agents"]
        ranked = [(row["algorithm"], row["value"], row["rank"], row["last_rank"]) for row in agent["rows"][:4]]
        assert ranked == [
            ("tinyjambu-128", 110, 1, 2), ("tinyjambu-128", 110, 1, 2), ("tinyjambu-256", 120, 3, 4),
            ("tinyjambu-256", 120, 3, 4),
        ]  # fmt: skip
        assert "has the fewest source lines" in agent["sentence"]
        assert agent["rows"][0]["source"]["gzip_bytes"] == 1700
        (agent,) = served.json(f"{PATH}/answer", measure="call", against="source-lines")["agents"]
        assert {point["against_value"] for point in agent["front"]["points"]} == {110, 120}

    def test_unbuilt_candidate_has_no_rank_by_size(self, served: Served) -> None:
        (agent,) = served.json(f"{PATH}/answer", measure="static-ram")["agents"]
        assert [row["rank"] for row in agent["rows"]] == [1, 1, 1, 1, None, None]
        assert [row["value"] for row in agent["rows"]] == [0, 0, 0, 0, None, None]


class TestConstraints:
    def test_excluded_candidates_have_every_reason(self, served: Served) -> None:
        result = served.json(f"{PATH}/answer", max_code_bytes=2400, min_key_bits=256)
        (agent,) = result["agents"]
        assert agent["rows"] == []
        assert result["constraints"] == ["code size at most 2\u202f400 B", "key of at least 256 bits"]
        reasons = {(one["algorithm"], one["toolchain"]): one["reasons"] for one in agent["excluded"]}
        assert reasons["tinyjambu-128", "gcc -O3"] == ["it has a key of 128 bits, at least 256 bits are required"]
        assert reasons["tinyjambu-256", "clang -O3"] == [
            "its code size is 2\u202f817 B, at most 2\u202f400 B is allowed"
        ]
        assert len(reasons["tinyjambu-256", "icpx -O3"]) == 2

    def test_constraint_that_nothing_meets_names_the_nearest(self, served: Served) -> None:
        (agent,) = served.json(f"{PATH}/answer", max_code_bytes=64)["agents"]
        assert "none of the 6 candidates meets the constraints (code size at most 64 B)" in agent["sentence"]
        assert "the lowest code size is 2\u202f303 B (tinyjambu-128 by own [scalar, gcc -O3])" in agent["sentence"]

    def test_claims_and_stack_exclude_the_others_before_the_comparison(self, served: Served) -> None:
        (everything,) = served.json(f"{PATH}/answer")["agents"]
        (agent,) = served.json(f"{PATH}/answer", aead=True, constant_time=True, max_stack_bytes=304)["agents"]
        ranked = [(row["algorithm"], row["toolchain"], row["rank"]) for row in agent["rows"]]
        assert ranked == [("tinyjambu-128", "clang -O3", 1), ("tinyjambu-128", "gcc -O3", 2)]
        assert agent["comparisons"] < everything["comparisons"]
        assert served.json(f"{PATH}/answer", max_stack_bytes=303)["agents"][0]["rows"] == []

    def test_unknown_measure_is_refused(self, served: Served) -> None:
        assert served.viewer.get(f"{PATH}/answer", params={"measure": "beauty"}).status_code == 422


class TestAlgorithms:
    def test_ranks_and_correction_cover_the_selected_candidates_only(self, served: Served) -> None:
        (everything,) = served.json(f"{PATH}/answer")["agents"]
        result = served.json(f"{PATH}/answer", algorithm="tinyjambu-256")
        (agent,) = result["agents"]
        assert result["algorithms"] == ["tinyjambu-256"]
        assert {row["algorithm"] for row in agent["rows"]} == {"tinyjambu-256"}
        assert [row["rank"] for row in agent["rows"][:2]] == [1, 2]
        assert "tinyjambu-256 by own" in agent["sentence"]
        assert "tinyjambu-128" not in agent["sentence"]
        assert (agent["rows_total"], agent["excluded"]) == (3, [])
        # One pair on one agent, instead of all pairs of four candidates.
        assert (agent["comparisons"], everything["comparisons"]) == (1, 6)

    def test_all_algorithms_selected_give_the_whole_answer(self, served: Served) -> None:
        selected = served.json(f"{PATH}/answer", algorithm=["tinyjambu-128", "tinyjambu-256"])
        assert selected["agents"] == served.json(f"{PATH}/answer")["agents"]

    def test_algorithm_that_the_run_lacks_is_refused_with_a_similar_one(self, served: Served) -> None:
        refused = served.viewer.get(f"{PATH}/answer", params={"algorithm": "tinyjambu-265"})
        assert (refused.status_code, refused.json()["detail"]) == (422, "The run has no algorithm 'tinyjambu-265'.")
        assert "tinyjambu-256" in refused.json()["remedy"]

    @pytest.mark.parametrize(
        ("query", "detail", "known"),
        [
            ({"operation": "bogus"}, "The run has no operation 'bogus'.", "encrypt"),
            ({"length_bytes": 17}, "The run has no input of 17 B.", "64 B, 256 B, 1 KiB and 4 KiB"),
            ({"key_setup": "apart"}, "The run has no key setup 'apart'.", "included"),
        ],
    )
    def test_input_that_the_run_lacks_is_refused_with_those_that_it_has(
        self, served: Served, query: dict[str, str | int], detail: str, known: str
    ) -> None:
        refused = served.viewer.get(f"{PATH}/answer", params=query)
        assert (refused.status_code, refused.json()["detail"]) == (422, detail)
        assert known in refused.json()["remedy"]

    def test_length_that_another_operation_alone_has_is_not_refused(self, served: Served) -> None:
        assert served.json(f"{PATH}/answer", length_bytes=0)["operation"] == "encrypt"


class TestFront:
    def test_front_of_time_and_code_size(self, served: Served) -> None:
        # clang is faster by 7 % and larger by 2 bytes; tinyjambu-256 is slower and larger than both.
        (agent,) = served.json(f"{PATH}/answer", against="code-size")["agents"]
        front = agent["front"]
        shown = [(one["algorithm"], one["toolchain"], one["on_front"], one["dominated_by"]) for one in front["points"]]
        best = "tinyjambu-128 by own [scalar, clang -O3]"
        assert shown == [
            ("tinyjambu-128", "clang -O3", True, None),
            ("tinyjambu-128", "gcc -O3", True, None),
            ("tinyjambu-256", "clang -O3", False, best),
            ("tinyjambu-256", "gcc -O3", False, best),
        ]
        assert front["points"][0]["against_interval"] is None
        assert front["points"][0]["interval"]["low"] < front["points"][0]["value"]
        assert front["sentence"].startswith("2 of 4 candidates are on the Pareto front of time of one warm call and")

    def test_equal_second_measure_leaves_the_best_of_the_first(self, served: Served) -> None:
        (agent,) = served.json(f"{PATH}/answer", against="static-ram")["agents"]
        assert [one["on_front"] for one in agent["front"]["points"]] == [True, False, False, False]


class TestCharts:
    def test_calls_by_length_for_every_candidate_and_operation(self, served: Served) -> None:
        points = served.json(f"{PATH}/latency")["points"]
        assert len(points) == 4 * INPUTS  # what was skipped has no point
        of_one = [
            (point["length_bytes"], point["call_wall_ns"])
            for point in points
            if (point["algorithm"], point["toolchain"], point["operation"]) == (ALGORITHMS[0], "gcc -O3", "encrypt")
        ]
        assert [length for length, _ in of_one] == list(LENGTHS)
        assert [call for _, call in of_one] == sorted(call for _, call in of_one)
        assert all(point["interval"]["low"] <= point["call_wall_ns"] <= point["interval"]["high"] for point in points)
        assert {(point["operation"], point["associated_data_bytes"], point["key_setup"]) for point in points} == {
            ("encrypt", 32, "included"),
            ("decrypt", 32, "included"),
            ("key-setup", 0, "apart"),
        }


class TestExecution:
    def test_it_shows_every_timing(self, served: Served) -> None:
        first = served.json(f"{PATH}/executions", state="ok", limit=1)["items"][0]
        detail = served.json(f"/api/v1/executions/{first['id']}")
        timings = served.json(f"/api/v1/executions/{first['id']}/timings")
        assert detail["has_timings"]
        assert (detail["fill"], detail["key_fill"], detail["key_setup"]) == ("counter", "counter", "included")
        assert len(timings["wall_ns"]) == TIMINGS
        per_call = sorted(wall / n for wall, n in zip(timings["wall_ns"], timings["iterations"], strict=True))
        assert detail["call_wall_ns"] == pytest.approx(per_call[2], rel=0.001)
        assert timings["core_clock_hz"][0] is None

    def test_skipped_execution_has_no_timings(self, served: Served) -> None:
        first = served.json(f"{PATH}/executions", state="skipped", limit=1)["items"][0]
        problem = served.viewer.get(f"/api/v1/executions/{first['id']}/timings")
        assert (problem.status_code, "it is skipped" in problem.json()["detail"]) == (404, True)


@pytest.fixture(scope="module")
def rows(served: Served) -> list[dict[str, str]]:
    """The export as a reader finds it."""
    sent = served.viewer.get(f"{PATH}/export?format=csv")
    return rows_of_csv(sent.text)


class TestExport:
    def test_every_measured_execution_has_elapsed_time_cpu_time_and_iterations(
        self, rows: list[dict[str, str]]
    ) -> None:
        measured = [row for row in rows if row["state"] == "ok"]
        assert len(measured) == 4 * INPUTS * SHAPE.repetitions
        for row in measured:
            assert float(row["call_wall_ns"]) > float(row["call_cpu_ns"]) > 0
            assert int(row["iterations"]) * float(row["call_wall_ns"]) == pytest.approx(10e6, rel=0.01)
            assert (row["protocol"], row["fill"], row["timings"]) == ("latency", "counter", str(TIMINGS))
            assert row["associated_data_bytes"] == ("0" if row["operation"] == "key-setup" else "32")
            assert row["toolchain"] in ("gcc -O3", "clang -O3")
            assert row["absent_because"]["call_cycles"].endswith("ENOENT)")

    def test_skipped_execution_has_its_reason(self, rows: list[dict[str, str]]) -> None:
        skipped = [row for row in rows if row["state"] == "skipped"]
        assert len(skipped) == 2 * INPUTS * SHAPE.repetitions
        assert {row["failure_detail"] for row in skipped} == {COMPILER_SAID}
        assert {row["absent_because"]["*"] for row in skipped} == {"skipped: build-failed"}
        assert {row["toolchain"] for row in skipped} == {"icpx -O3"}

    def test_footprints_are_of_their_own_build(self, rows: list[dict[str, str]]) -> None:
        sizes = {(row["toolchain"], row["code_bytes"]) for row in rows if row["algorithm"] == "tinyjambu-128"}
        assert sizes == {("gcc -O3", "2303"), ("clang -O3", "2305"), ("icpx -O3", "")}
        without = next(row for row in rows if row["toolchain"] == "icpx -O3")
        assert "has not reported" in without["absent_because"]["footprint"]
