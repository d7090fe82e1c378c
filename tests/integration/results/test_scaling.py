"""Start-up and cost per byte over HTTP, from a real database."""

from typing import Any

import pytest

from orchestrator.results.answers.readings import ReadingsCache
from tests.support import latency_results as latency_filling
from tests.support.database import Shape, fill
from tests.support.live_service import Served

SHAPE = Shape(
    run_id="lengths00001", name="lengths", repetitions=8, sizes=(4096, 65536, 262144, 1048576),
    kinds=("text", "random"), algorithms=("aes-128-ctr",), with_curves=False,
)  # fmt: skip
TWO_LENGTHS = Shape(
    run_id="twolengths01", name="two", repetitions=6, kinds=("text",), algorithms=("aes-128-ctr",), with_curves=False
)


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill(served.database, SHAPE)
    fill(served.database, TWO_LENGTHS)
    latency_filling.fill_calls(served.database, latency_filling.Shape(agent="pi4"))
    return served


def fetch_scaling(served: Served, run_id: str, **query: str) -> Any:
    return served.json(f"/api/v1/runs/{run_id}/scaling", **query)


class TestScaling:
    def test_each_candidate_has_a_line_with_intervals_points_and_a_sentence(self, served: Served) -> None:
        result = fetch_scaling(served, SHAPE.run_id)
        assert result["measure"] == "pass"
        assert {row["provider"] for row in result["rows"]} == {"own", "cryptopp", "botan"}
        for row in result["rows"]:
            assert (row["copy"], row["kinds"], row["blocks"]) == (1, ["random", "text"], 8)
            assert row["start_up_interval"]["low"] <= row["start_up_ns"] <= row["start_up_interval"]["high"]
            assert [point["length_bytes"] for point in row["points"]] == list(SHAPE.sizes)
            assert len(row["steps"]) == 3
            assert row["sentence"]
            if row["fits"]:
                assert row["per_byte_bytes_per_second"] == pytest.approx(1e9 / row["per_byte_ns"])
            else:
                assert row["per_byte_ns"] is None

    def test_encryption_phase_has_less_start_up_than_the_pass(self, served: Served) -> None:
        whole, phase = (fetch_scaling(served, SHAPE.run_id, measure=measure)["rows"] for measure in ("pass", "encrypt"))
        for of_pass, of_phase in zip(whole, phase, strict=True):
            assert of_pass["start_up_ns"] > of_phase["start_up_ns"]
            assert of_pass["points"][0]["time_ns"] > of_phase["points"][0]["time_ns"]

    def test_two_lengths_have_no_line(self, served: Served) -> None:
        for row in fetch_scaling(served, TWO_LENGTHS.run_id)["rows"]:
            assert (row["start_up_ns"], row["points"]) == (None, [])
            assert "2 input lengths" in row["reason"]

    def test_calls_are_fitted_by_their_kind_and_key_setups_not_at_all(self, served: Served) -> None:
        result = fetch_scaling(served, "calls0000001")
        assert result["measure"] == "call"
        assert result["rows"]
        assert "key-setup" not in {row["operation"] for row in result["rows"]}

    def test_cache_of_readings_is_bounded_in_runs_and_bytes(self, served: Served) -> None:
        # Eight runs of a million executions each would take 128 MiB of the service.
        by_number = ReadingsCache(runs=2)
        by_bytes = ReadingsCache(max_bytes=1)
        for cache, expected in ((by_number, 2), (by_bytes, 1)):
            for run_id in (SHAPE.run_id, TWO_LENGTHS.run_id, "calls0000001"):
                with served.database.read() as session:
                    found = cache.get(session, run_id)
                assert found.nbytes > 0
            assert len(cache) == expected
