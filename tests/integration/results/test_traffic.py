"""The cost of a traffic over HTTP, on its page and on the command line, from real databases."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli.exit_codes import ExitCode
from orchestrator.shared.errors import InvalidRequest, NotFound
from tests.support.commands import Command
from tests.support.database import Shape, fill
from tests.support.latency_results import CALL_NS, SPEED, fill_calls
from tests.support.latency_results import Shape as CallShape
from tests.support.live_service import Served

APART, INCLUDED, CHUNKS = "apart0000001", "calls0000001", "chunks000001"
HISTOGRAM = "64:9, 1 KiB:1"


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill(served.database, Shape(run_id=CHUNKS, algorithms=("aes-128-ctr",), repetitions=6, with_curves=False))
    fill_calls(served.database, CallShape(run_id=INCLUDED, agent="pi4"))
    fill_calls(served.database, CallShape(run_id=APART, agent="pi5", key_setup="apart", repetitions=12))
    return served


@pytest.fixture
def command(command: Command) -> Command:
    """Return a function that executes `ciphermark traffic` with these arguments."""
    return partial(command, "traffic")


def compute(served: Served, run_id: str = APART, status: int = 200, **traffic: Any) -> dict[str, Any]:
    body = {"lengths_bytes": [64, 1024], "counts": [9, 1], **traffic}
    answer = served.viewer.post(f"/api/v1/runs/{run_id}/traffic", json=body)
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json()
    return found


def true_cost_ns(row: dict[str, Any], mean_bytes: float, key_changes: float) -> float:
    """Return the cost of a message in the model of the filled run, where a key setup takes as long as no bytes."""
    fixed, each = CALL_NS[row["algorithm"]]
    return float((fixed + each * mean_bytes + key_changes * fixed) * SPEED[row["toolchain"].split()[0]])


class TestCost:
    def test_each_candidate_has_its_cost_with_an_interval_that_covers_the_true_one(self, served: Served) -> None:
        found = compute(served, key_changes=2)
        assert (found["key_setup"], found["associated_data_bytes"], found["messages"]) == ("apart", 32, 10)
        (agent,) = found["agents"]
        ranked = [row for row in agent["rows"] if row["rank"]]
        assert [row["rank"] for row in ranked] == [1, 2, 3, 4]
        for row in ranked:
            truth = true_cost_ns(row, 160, 0.2)
            assert row["cost_ns"] == pytest.approx(truth, rel=0.01)
            assert row["interval"]["low"] <= row["cost_ns"] <= row["interval"]["high"]
            assert (row["measured_share"], row["interpolation_error"], row["blocks"]) == (1, 0, 12)
            assert row["bytes_per_second"] == pytest.approx(160e9 / row["cost_ns"])
            assert row["key_changes_share"] == pytest.approx(0.2 * CALL_NS[row["algorithm"]][0] / (truth / SPEED[
                row["toolchain"].split()[0]]), rel=0.02)  # fmt: skip
        assert agent["sentence"].startswith("On pi5")
        assert "No other share, length or number of key changes" in agent["sentence"]

    def test_both_directions_cost_their_sum(self, served: Served) -> None:
        (one,), (both,) = (compute(served, operation=operation)["agents"] for operation in ("decrypt", "both"))
        assert both["rows"][0]["cost_ns"] == pytest.approx(2 * one["rows"][0]["cost_ns"], rel=0.01)

    def test_interpolated_lengths_are_marked_and_widen_the_interval(self, served: Served) -> None:
        (exact,), (between,) = (compute(served, lengths_bytes=lengths)["agents"] for lengths in ([64, 1024], [64, 700]))
        first, other = exact["rows"][0], between["rows"][0]
        assert other["measured_share"] == pytest.approx(0.9)
        assert other["interpolation_error"] > 0
        width = [(row["interval"]["high"] - row["interval"]["low"]) / row["cost_ns"] for row in (first, other)]
        assert width[1] > width[0]
        assert "10 % of the messages have interpolated times" in between["sentence"]

    def test_nothing_is_extrapolated(self, served: Served) -> None:
        (agent,) = compute(served, lengths_bytes=[64, 9000])["agents"]
        assert {row["rank"] for row in agent["rows"]} == {None}
        reason = agent["rows"][0]["reason"]
        assert "10 % of the messages are outside the measured lengths (64 B to 4 KiB)" in reason
        assert "measure 9 000 B, too" in reason
        assert "the cost of this traffic is unknown" in agent["sentence"]
        (agent,) = compute(served, lengths_bytes=[9000], counts=[1])["agents"]
        assert agent["rows"][0]["reason"].endswith("nothing is extrapolated: measure 9 000 B, too")

    def test_chunks_have_the_cost_of_a_phase(self, served: Served) -> None:
        found = compute(served, CHUNKS, lengths_bytes=[131072, 524288])
        assert (found["measure"], found["key_setup"]) == ("encrypt", None)
        assert any(row["rank"] == 1 for agent in found["agents"] for row in agent["rows"])

    def test_key_set_in_each_call_is_the_default_where_the_run_has_no_other_calls(self, served: Served) -> None:
        assert compute(served, INCLUDED)["key_setup"] == "included"

    def test_algorithms_and_constraints_restrict_the_candidates(self, served: Served) -> None:
        (agent,) = compute(served, algorithms=["tinyjambu-256"])["agents"]
        assert {row["algorithm"] for row in agent["rows"]} == {"tinyjambu-256"}
        body = {"lengths_bytes": [64], "counts": [1]}
        path = f"/api/v1/runs/{APART}/traffic"
        (agent,) = served.viewer.post(path, json=body, params={"constant_time": "true"}).json()["agents"]
        assert {row["algorithm"] for row in agent["rows"] if row["rank"]} == {"tinyjambu-128"}
        assert "its code does not claim constant time" in [
            reason for one in agent["excluded"] for reason in one["reasons"]
        ]


class TestRefused:
    @pytest.mark.parametrize(
        ("traffic", "message"),
        [
            ({"counts": [1, -1]}, "counts[1]: expected at least 0"),
            ({"counts": [1]}, "2 lengths need as many counts, got 1"),
            ({"counts": [0, 0]}, "all counts are 0"),
            ({"lengths_bytes": [64, 64]}, "a length occurs twice"),
            ({"lengths_bytes": []}, "lengths_bytes"),
            ({"operation": "key-setup"}, "both"),
        ],
    )
    def test_histogram_that_is_none(self, served: Served, traffic: dict[str, Any], message: str) -> None:
        assert message in json.dumps(compute(served, status=422, **traffic))

    @pytest.mark.parametrize(
        ("run_id", "traffic", "message"),
        [
            (APART, {"associated_data_bytes": 16}, "key apart, 32 B of associated data"),
            (APART, {"key_setup": "included"}, "key apart, 32 B of associated data"),
            (INCLUDED, {"key_changes": 1}, "Omit the key changes"),
            (CHUNKS, {"key_changes": 1}, "`protocol: latency`"),
            (APART, {"algorithms": ["tinyjambu-265"]}, "tinyjambu-256"),
        ],
    )
    def test_calls_that_the_run_lacks(self, served: Served, run_id: str, traffic: dict[str, Any], message: str) -> None:
        assert message in compute(served, run_id, 422, **traffic)["remedy"]

    def test_unknown_run(self, served: Served) -> None:
        assert compute(served, "nosuchrun000", 404)["status"] == 404


class TestCommand:
    def test_typed_histogram_prints_costs(self, command: Command) -> None:
        result = command(APART, HISTOGRAM, "--key-changes", "2")
        assert result.exit_code == 0, result.output
        text = " ".join(result.stdout.split())
        assert "10 messages of 64 B to 1 KiB (mean 160 B), 0.2 key changes per message" in text
        assert "tinyjambu-128 by own scalar, clang" in text
        assert "Unknown cost: 2." in text
        many = " ".join(command(CHUNKS, "128 KiB:1000000, 1 MiB:234567").stdout.split())
        assert "1234567 messages of 128 KiB to 1 MiB (mean 298 KiB); the encryption phase" in many

    def test_traffic_without_a_cost_is_no_success(self, command: Command) -> None:
        # Finding F117: it ended with 0 without an answer.
        assert "Unknown cost of those shown: 1." in command(APART, "9000:1", "--rows", "1").stdout
        result = command(APART, "9000:1")
        assert result.exit_code == ExitCode.UNDECIDED, result.output
        assert "measure 9 000 B, too" in " ".join(result.stdout.split())

    def test_file_gives_the_same_document_as_typed_pairs(self, command: Command, tmp_path: Path) -> None:
        path = tmp_path / "packets.csv"
        path.write_text("Length\n" + "64\n" * 9 + "1024\n")
        typed, read = (
            command(APART, *arguments, "--json").stdout for arguments in ([HISTOGRAM], ["--file", str(path)])
        )
        assert json.loads(typed) == json.loads(read)
        assert json.loads(typed)["messages"] == 10

    @pytest.mark.parametrize("arguments", [["24:-1"], [], ["24:1", "--file", "x.csv"]])
    def test_wrong_histogram_is_an_error(self, command: Command, arguments: list[str]) -> None:
        error = command(APART, *arguments).exception
        assert isinstance(error, InvalidRequest)
        assert error.remedy

    def test_missing_file_is_not_found(self, command: Command) -> None:
        error = command(APART, "--file", "/nosuch.csv").exception
        assert isinstance(error, NotFound)
        assert error.remedy

    def test_capture_itself_is_refused(self, command: Command, tmp_path: Path) -> None:
        path = tmp_path / "traffic.pcap"
        path.write_bytes(bytes.fromhex("d4c3b2a1020004000000000000000000"))
        assert "no UTF-8 text" in str(command(APART, "--file", str(path)).exception)


class TestPage:
    def page(self, served: Served, query: str, status: int = 200) -> str:
        return served.html(f"/runs/{APART}/traffic?{query}", status)

    def test_page_without_a_histogram_is_a_form(self, served: Served) -> None:
        assert '<textarea name="lengths"' in self.page(served, "")

    def test_form_keeps_its_values_and_the_table_has_costs(self, served: Served) -> None:
        text = self.page(served, "lengths=64:9,%0A1024:1&key_changes=2&operation=both&constant_time=yes")
        for part in (
            "64:9, 1024:1</textarea>",
            'value="both" selected',
            "<p>10 messages, 64 B to 1 KiB",
            "no check of the build refutes it",
        ):
            assert part in text
        assert "4 candidates on pi5 excluded by the constraints" in text

    def test_page_has_the_figures_of_the_api(self, served: Served) -> None:
        query = {"lengths": "64:9, 700:1", "operation": "both", "format": "json"}
        view = served.viewer.get(f"/runs/{APART}/traffic", params=query).json()["traffic"]
        shown = compute(served, lengths_bytes=[64, 700], operation="both", rows=50)
        assert [agent["sentence"] for agent in view["agents"]] == [agent["sentence"] for agent in shown["agents"]]
        for one, other in zip(view["agents"], shown["agents"], strict=True):
            assert [row["cost_ns"] for row in one["rows"]] == [row["cost_ns"] for row in other["rows"]]
            assert [row["rank"] for row in one["rows"]] == [row["rank"] for row in other["rows"]]

    def test_wrong_histogram_is_a_page_with_what_helps(self, served: Served) -> None:
        assert "the count -1, expected 0" in self.page(served, "lengths=24:-1", 422)
        assert "is not a number of key changes" in self.page(served, "lengths=24:1&key_changes=few", 422)
        assert "expected at least 0" in self.page(served, "lengths=64:1&key_changes=-2", 422)
