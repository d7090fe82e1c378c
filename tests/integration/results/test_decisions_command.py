"""`ciphermark compare`, and `runs answer` with measures and constraints, against a service with filled runs."""

import json

import pytest

from orchestrator.shared.errors import InvalidRequest
from tests.support.commands import Command, printed
from tests.support.database import Shape, fill
from tests.support.latency_results import Shape as CallShape
from tests.support.latency_results import fill_calls
from tests.support.live_service import Served

FIRST, AGAIN, TROUBLED, CALLS = "first0000001", "again0000001", "troubled0001", "calls0000001"


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    for run_id, repetitions in ((FIRST, 8), (AGAIN, 6)):
        shape = Shape(
            run_id=run_id, algorithms=("aes-128-ctr",), kinds=("text",), repetitions=repetitions, with_curves=False
        )
        fill(served.database, shape)
    fill(served.database, Shape(run_id=TROUBLED, repetitions=6, kinds=("text",), trouble=True, with_curves=False))
    fill_calls(served.database, CallShape(run_id=CALLS, agent="pi4"))
    return served


def test_details_of_a_run_have_the_reasons_of_failed_executions(command: Command) -> None:
    """Regression: only the page had them, although the command line named `--details`."""
    reason = "failed The runner ended with signal 11 (SIGSEGV)."
    assert reason in printed(command("runs", "show", TROUBLED, "--details"))
    assert reason not in printed(command("runs", "show", TROUBLED))


class TestCompare:
    def test_two_runs_print_ratios_changes_and_a_summary(self, command: Command) -> None:
        text = printed(command("compare", FIRST, AGAIN))
        assert f"demo ({AGAIN}) compared with demo ({FIRST})" in text
        assert "Unpaired: the sides share no blocks." in text
        assert "plan repetitions 8 6" in text
        assert "6 cases, corrected together (Holm)." in text

    def test_toolchains_of_a_run_are_paired(self, command: Command) -> None:
        text = printed(command("compare", f"{CALLS},toolchain=gcc -O3", f"{CALLS},toolchain=clang -O3", "--rows", "2"))
        assert "Paired: both sides were executed in the same blocks" in text
        assert "better tinyjambu" in text
        assert "… and 16 more cases (--rows)." in text

    def test_json_is_that_of_the_api(self, command: Command, served: Served) -> None:
        document = json.loads(command("compare", FIRST, FIRST, "--json", "--measure", "pass-cpu").stdout)
        query = {"run": [FIRST, FIRST], "measure": "pass-cpu", "rows": 30}
        assert document == served.viewer.get("/api/v1/comparisons", params=query).json()
        assert document["parts"][0]["ties"] == 6

    def test_one_run_is_refused_with_a_command_that_lists_its_parts(self, command: Command) -> None:
        refused = command("compare", f"{CALLS},toolchain=gcc -O3")
        assert "A comparison has 2 to 8 sides, got 1." in str(refused.exception)
        assert f"ciphermark compare --sides '{CALLS},toolchain=gcc -O3'" in str(refused.exception)

    def test_latest_is_a_side(self, command: Command) -> None:
        assert f"{CALLS} tie in all 36 cases" in printed(command("compare", "latest", CALLS))


class TestAnswer:
    def test_constraints_and_front_are_printed(self, command: Command) -> None:
        limits = ("--aead", "--max-code", "2804", "--against", "code-size")
        text = printed(command("runs", "answer", CALLS, *limits))
        assert "Only candidates with: AEAD, code size at most 2 804 B." in text
        assert "Excluded by the constraints: 4." in text
        assert "its code size is 2 817 B, at most 2 804 B is allowed" in text
        assert "No candidate dominates another one in time of one warm call and code size" in text
        none = printed(command("runs", "answer", CALLS, "--max-code", "1", "--against", "code-size"))
        assert "inputs ()" not in none
        assert "No candidate can be compared by both time of one warm call and code size." in none

    def test_algorithms_restrict_the_ranking(self, command: Command) -> None:
        text = printed(command("runs", "answer", CALLS, "--algorithm", "tinyjambu-256"))
        assert "Only tinyjambu-256: other candidates are in no comparison." in text
        assert "tinyjambu-128" not in text
        both = printed(command("runs", "answer", CALLS, "--algorithm", "tinyjambu-256", "--algorithm", "tinyjambu-128"))
        assert "6 comparisons, corrected together (Holm)." in both

    def test_answer_with_a_limit_of_size_names_the_processor(self, command: Command) -> None:
        remark = "Sizes are those of code that was compiled for pi4 (Raspberry Pi 4 Model B Rev 1.4, Cortex-A72)"
        assert remark in printed(command("runs", "answer", CALLS, "--max-code", "2804"))
        assert remark not in printed(command("runs", "answer", CALLS, "--aead"))

    def test_exact_measure_has_no_interval(self, command: Command) -> None:
        text = printed(command("runs", "answer", CALLS, "--measure", "stack"))
        assert "Stack: one exact value for each build; equal values tie." in text
        assert "95 % interval" not in text
        assert " 1–4 a " in text

    def test_candidate_that_does_not_claim_constant_time_is_named_and_never_first_without_a_warning(
        self, command: Command
    ) -> None:
        whole = printed(command("runs", "answer", CALLS))
        assert "Constant time no, not checked: tinyjambu-256 by own scalar." in whole
        assert "Attention: tinyjambu" not in whole
        alone = printed(command("runs", "answer", CALLS, "--algorithm", "tinyjambu-256"))
        assert "Attention: tinyjambu-256 by own does not claim constant time" in alone
        document = json.loads(command("runs", "answer", CALLS, "--json", "--against", "code-size").stdout)
        (agent,) = document["agents"]
        claims = {(row["algorithm"], row["toolchain"].split()[0]): row["constant_time"] for row in agent["rows"]}
        assert claims == {
            ("tinyjambu-128", "gcc"): True, ("tinyjambu-256", "gcc"): False, ("tinyjambu-128", "clang"): True,
            ("tinyjambu-256", "clang"): False, ("tinyjambu-128", "icpx"): None, ("tinyjambu-256", "icpx"): None,
        }  # fmt: skip
        assert {point["constant_time"] for point in agent["front"]["points"]} == {True, False}

    def test_limit_without_a_size_is_refused(self, command: Command) -> None:
        assert isinstance(command("runs", "answer", CALLS, "--max-stack", "few").exception, InvalidRequest)
