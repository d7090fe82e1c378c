"""Output of the command line fits 80 columns, whatever the names are."""

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.agents.schemas import AgentSummary
from orchestrator.builds.schemas import BuildSummary
from orchestrator.cli.commands import agents, doctor, runs, submit
from orchestrator.cli.commands.submit import print_expectations
from orchestrator.cli.device.plans import plan_from, plan_lacks
from orchestrator.cli.output import print_rows, print_table
from orchestrator.cli.states import state_label
from orchestrator.cli.tables import answer as answer_table
from orchestrator.cli.tables.scaling import print_scaling
from orchestrator.results.answers.scaling.schemas import ScalingAnswer
from orchestrator.results.schemas import RunAnswer
from orchestrator.runs.schemas import PlanPreview, RunSummary
from orchestrator.shared.tables import Column, number
from tests.support.models import built

LONG = "a-name-that-takes-as-much-room-as-any-name-may-take-in-this-project-63"


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    text = capsys.readouterr().out
    assert max(len(line) for line in text.splitlines()) <= 80
    return text


def test_redirected_table_has_room_for_names_in_full(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS")
    print_table([Column("algorithm", shortened=True), Column("toolchain", shortened=True)], [(LONG, LONG)])
    assert capsys.readouterr().out.splitlines()[1].split() == [LONG, LONG]


def print_answer(document: dict[str, Any]) -> None:
    answer_table.print_answer(built(RunAnswer, document))


def answer_row(**changes: Any) -> dict[str, Any]:
    row = {
        "rank": 1, "last_rank": 1, "provider": "cryptopp", "algorithm": "chacha20-poly1305", "variant": "library",
        "toolchain": "gcc -O2", "value": 1.2e9, "footprint": {"reason": "not reported"},
        "interval": {"low": 1.1e9, "high": 1.3e9}, "inputs": {"count": 8}, "n": 48, "vouched_by": "service",
        "constant_time": True, "constant_time_check": {"label": "yes, checked"}, "copy": 1,
    }  # fmt: skip
    return row | changes


def answer(*rows: dict[str, Any], measure: str = "encrypt", **inputs: Any) -> dict[str, Any]:
    known = {"count": 8, "kinds": ["audio", "random", "text", "video"], "lengths_bytes": [131_072, 1_048_576]}
    agent = {
        "agent_name": LONG, "device": "Raspberry Pi 4 Model B Rev 1.1 (Cortex-A72)", "measure": measure,
        "inputs": known | inputs, "blocks": 6, "comparisons": 1, "trend": {"sentence": "No trend."},
        "noise_floor": {"relative": 0.013}, "health": "degraded", "health_reason": "the noise floor is 7.00 %",
        "times": "Times: the word of pi4 alone.", "sentence": f"On a device, {LONG} by cryptopp is the fastest.",
        "rows": list(rows), "rows_total": len(rows), "unit": "ns" if measure == "call" else "bytes/s",
    }  # fmt: skip
    return {
        "run_id": "rrrrrrrrrrrr",
        "repetitions": {"sentence": "2 other runs of the same measurement: 1 deleted."},
        "agents": [agent],
        "measure": measure,
        "measures": ["call"] if measure == "call" else ["encrypt", "pass"],
    }


class TestAnswer:
    def test_answer_shows_ties_intervals_and_noise_floor(self, capsys: pytest.CaptureFixture[str]) -> None:
        tied = answer_row(rank=2, last_rank=3, groups=["a"], behind=1.4142)
        print_answer(answer(answer_row(), tied, tied | {"algorithm": LONG, "behind": 478.4, "undecided": True}))
        text = printed(capsys)
        for part in ("2–3 a ", "2–3 a?", "-8.3% +8.3%", "1.41×", "478.40×", "noise floor 1.30%", "not proven to"):
            assert part in text

    def test_answer_shows_what_vouches_for_its_rows(self, capsys: pytest.CaptureFixture[str]) -> None:
        print_answer(answer(answer_row(), answer_row(rank=2)))
        text = printed(capsys)
        assert "Output vouched for by: service." in text
        assert "Times: the word of pi4 alone." in text
        assert "output vouched for by" not in text
        print_answer(answer(answer_row(), answer_row(rank=2, vouched_by="agents pi4 and pi5")))
        text = printed(capsys)
        assert "vouched" in text
        assert "agents" in text

    def test_wrong_results_come_first(self, capsys: pytest.CaptureFixture[str]) -> None:
        print_answer(answer(answer_row(wrong=3)))
        text = printed(capsys)
        assert text.index("WRONG: 3 executions of chacha20-poly1305 by cryptopp") < text.index("median")

    def test_qualifications_of_an_answer_are_shown(self, capsys: pytest.CaptureFixture[str]) -> None:
        shown = answer(answer_row(), answer_row(rank=2, inputs={"count": 2}, estimated=True, n=12))
        shown["agents"][0] |= {
            "comparisons": 12,
            "overheads": [{"sentence": "own: 0.9 ms with 128 KiB to 2.3 ms with 1 MiB"}],
            "trend": {"real": True, "sentence": "The machine got slower."},
        }
        print_answer(shown)
        text = printed(capsys)
        for part in (
            "inputs", " 8  48", " 2  12", "Medians over fewer inputs are estimates for all of them.",
            "12 comparisons, corrected together (Holm).", "The machine got slower.",
            "Overhead of a process, own: 0.9 ms with 128 KiB to 2.3 ms with 1 MiB",
        ):  # fmt: skip
            assert part in text
        print_answer(answer() | {"agents": []})
        assert "Nothing was measured." in printed(capsys)

    def test_head_counts_one_block_and_is_absent_without_a_shared_input(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        once, apart = answer(answer_row()), answer(answer_row(rank=None), count=0, kinds=[], lengths_bytes=[])
        once["agents"][0]["blocks"] = 1
        print_answer(once)
        assert "1 block;" in " ".join(printed(capsys).split())
        print_answer(apart)
        assert "Median" not in printed(capsys)

    def test_candidates_without_a_rank_have_their_own_table(self, capsys: pytest.CaptureFixture[str]) -> None:
        alone = answer_row(rank=None, algorithm="3des-192-cbc", reason="it shares 1 of 8 inputs", inputs={"count": 1})
        print_answer(answer(answer_row(), alone))
        ranked, _, others = printed(capsys).partition("Without a rank, over their own inputs:")
        assert "3des-192-cbc" not in ranked
        assert "inputs" not in ranked.partition("rank")[2]
        assert "3des-192-cbc by cryptopp (gcc -O2): it shares 1 of 8 inputs" in others

    def test_copies_cycles_energy_and_outliers_are_shown_if_present(self, capsys: pytest.CaptureFixture[str]) -> None:
        rich = answer_row(copy=2, cycles_per_instruction=0.412, energy_per_byte_joules=4.2e-9, outliers=3)
        print_answer(answer(answer_row(algorithm="aes-128-ctr"), rich | {"algorithm": "aes-128-ctr"}))
        text = printed(capsys)
        for part in ("  2  ", "CPI", "0.41", "nJ/byte", "4.2", "3 outliers (marked, kept)"):
            assert part in text
        print_answer(answer(answer_row()))
        assert "CPI" not in printed(capsys)


class TestScaling:
    def test_start_up_cost_per_byte_and_lack_of_fit_are_shown(self, capsys: pytest.CaptureFixture[str]) -> None:
        line = {
            "agent_name": LONG, "provider": "botan", "algorithm": "aes-192-cbc", "variant": "library", "copy": 1,
            "toolchain": "gcc -O2", "start_up_ns": 2.1e6, "per_byte_ns": 1.5, "points": [{}],
            "per_byte_bytes_per_second": 6.6e8, "step_lowest_ns": 1.4, "step_highest_ns": 1.6, "fits": True,
            "sentence": "2.10 ms of start-up, then 1.5 ns per byte.",
        }  # fmt: skip
        stepped = line | {"per_byte_ns": None, "per_byte_bytes_per_second": None, "fits": False, "algorithm": LONG}
        nothing = line | {"points": [], "reason": "it was measured with 1 lengths", "sentence": ""}
        print_scaling(built(ScalingAnswer, {"measure": "pass", "rows": [line, stepped, nothing]}))
        text = printed(capsys)
        for part in ("2.1 ms", "1.5", "629 MiB/s", "1.4 … 1.6", "does not fit", "it was measured with 1 lengths"):
            assert part in text

    def test_calls_are_named_with_key_setup_and_associated_data(self, capsys: pytest.CaptureFixture[str]) -> None:
        call = {"provider": "own", "algorithm": "aes-128-gcm", "variant": "vaes", "copy": 1, "toolchain": "gcc -O2",
                "operation": "encrypt", "reason": "2 lengths"}  # fmt: skip
        rows = [call | {"key_setup": "included", "associated_data_bytes": 0},
                call | {"key_setup": "apart", "associated_data_bytes": 32}]  # fmt: skip
        print_scaling(built(ScalingAnswer, {"measure": "call", "rows": rows}))
        text = printed(capsys)
        assert "encrypt, key set in each call: 2 lengths" in text
        assert "encrypt + 32 B associated data: 2 lengths" in text


class TestAnswerOfCalls:
    def test_names_that_users_type_are_never_shortened(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Regression: at 80 columns `chacha20-poly1305` was printed as `chacha20-poly…`."""
        shared = {"toolchain": "clang 14.0.6 -O3 -march=native", "provider": "rust-binding", "n": 480}
        rows = [
            answer_row(algorithm=name, rank=rank, behind=31.4, vouched_by=by, cycles_per_instruction=0.41) | shared
            for rank, (name, by) in enumerate((("chacha20-poly1305", "service"), ("knot-aead-192-384", "agent pi4")))
        ]
        print_answer(answer(*rows, answer_row(algorithm="speck-128-256-ofb")))
        text = printed(capsys)
        for name in ("chacha20-poly1305", "knot-aead-192-384", "speck-128-256-ofb", "rust-binding", "-march=native"):
            assert name in text
        assert "poly…" not in text
        left_out = "Left out in this width: 95 % interval, CPI, n, output vouched for by; --json has all."
        assert left_out in " ".join(text.split())


UNKNOWN: dict[str, Any] = {
    "expected_repetitions": 10, "inputs": 4, "repetitions_for_difference": [{"difference": 0.01}],
    "reason": "This agent has no noise floor yet.",
}  # fmt: skip


class TestPreview:
    def test_toolchains_to_be_built_are_listed(self, capsys: pytest.CaptureFixture[str]) -> None:
        build = {"toolchain_words": "clang -O3", "estimated_seconds": 58.0, "basis": "An earlier build.",
                 "obstacle": "clang is not in the agent's inventory",
                 "earlier_failure": "one\nclang: error: no such file\n"}  # fmt: skip
        agent = {"agent_name": "pi4", "health": "quarantined", "health_reason": "too hot", "cases": 84,
                 "executions": 840, "builds": [build], "expectation": UNKNOWN}  # fmt: skip
        shown = {"name": "tinyjambu-compilers", "agents": [agent], "estimated_build_seconds": 58.0}
        submit.print_preview(built(PlanPreview, shown))
        text = printed(capsys)
        assert "builds first" in text
        assert "pi4 was quarantined: too hot; its executions wait" in text
        assert "pi4, clang -O3: clang is not in the agent's inventory" in text
        assert "clang -O3 failed on pi4 in the last build: clang: error: no such file" in text
        assert "This agent has no noise floor yet." in text

    MAKING: dict[str, Any] = {
        "chunks": 3, "total_bytes": 9_568_256, "estimated_seconds": 8.2, "basis": "Assumed for audio.",
    }  # fmt: skip
    NEEDS_CHUNKS: dict[str, Any] = {
        "chunk_estimate": MAKING,
        "missing_chunks": [{"kind": "audio", "length_bytes": size} for size in (131_072, 1_048_576, 8_388_608)],
    }

    def test_chunks_to_be_made_are_listed_with_bytes_and_duration(self, capsys: pytest.CaptureFixture[str]) -> None:
        submit.print_preview(built(PlanPreview, self.NEEDS_CHUNKS))
        text = printed(capsys)
        assert "3, 9.12 MiB, 8.2 s" in text
        assert "128 KiB, 1 MiB, 8 MiB" in text
        assert "Duration: Assumed for audio." in text

    def test_chunks_that_cannot_be_made_are_listed_with_one_command(self, capsys: pytest.CaptureFixture[str]) -> None:
        making = self.MAKING | {"obstacle": "No material for audio.", "remedy": "Execute: apt-get install -y ffmpeg"}
        submit.print_preview(built(PlanPreview, self.NEEDS_CHUNKS | {"chunk_estimate": making}))
        text = printed(capsys)
        assert "3, 9.12 MiB, cannot be made" in text
        assert "The plan cannot be submitted: No material for audio." in text
        assert text.count("apt-get install -y ffmpeg") == 1

    def test_expected_precision_is_shown(self, capsys: pytest.CaptureFixture[str]) -> None:
        known = {"single_execution_spread": 0.02, "expected_repetitions": 37, "expected_relative_interval": 0.00987,
                 "inputs": 4, "detectable_difference": 0.0102, "cases_at_budget": 3, "reason": "",
                 "repetitions_for_difference": [{"difference": 0.01, "repetitions": 39},
                                                {"difference": 0.05, "repetitions": None}]}  # fmt: skip
        agents = [{"agent_name": name, "expectation": one} for name, one in (("pi4", known), ("pi5", UNKNOWN))]
        preview = {"agents": agents, "plan": {"precision": {"seconds_per_case": 60.0}}}
        print_expectations(built(PlanPreview, preview))
        text = printed(capsys)
        for part in ("37", "± 0.987 %", "1.02 %", "for 5 %", "39", "pi5: This agent has no noise floor yet.",
                     "pi4: 3 cases will stop at the budget of 60 s, before the required precision."):  # fmt: skip
            assert part in text


class TestRuns:
    RUN: dict[str, Any] = {
        "id": "rrrrrrrrrrrr", "name": LONG, "state": "running",
        "activity": {"name": "waiting for agent", "cause": "pi-in-the-cellar: silent; pi4: silent"},
        "waiting_for": ["pi-in-the-cellar", "pi-under-the-roof"], "executions_done": 999_999,
        "executions_total": 1_000_000, "wrong": 1, "disputed": 2, "failed": 3, "submitted_at": "2026-11-20T12:00:00Z",
    }  # fmt: skip

    def test_state_names_awaited_chunks_and_their_progress(self) -> None:
        video = {"kind": "video", "chunks": 6, "longest_bytes": 8_388_608, "done_bytes": 2_097_152}
        text = {"kind": "text", "chunks": 1, "longest_bytes": 131_072, "done_bytes": None}
        activity = {"name": "waiting for chunks", "since": None, "cause": "video up to 8 MiB"}
        waiting = self.RUN | {"state": "planned", "activity": activity, "waiting_for_chunks": [video, text]}
        assert state_label(built(RunSummary, waiting)) == "waiting for chunks: video up to 8 MiB (25 %), text 128 KiB"

    def test_the_list_fits(self, capsys: pytest.CaptureFixture[str]) -> None:
        print_rows(runs.COLUMNS, [built(RunSummary, self.RUN)])
        text = printed(capsys)
        assert "999999/1000000" in text
        assert "rrrrrrrrrrrr" in text


class TestAgents:
    def test_the_list_fits(self, capsys: pytest.CaptureFixture[str]) -> None:
        at = "2026-11-20T12:00:00Z"
        agent = {
            "id": "aaaaaaaaaaaa", "name": LONG[:63], "approved_at": at, "liveness": "silent", "state": "ready",
            "last_heartbeat_at": at, "processor": "Intel(R) Xeon(R) Platinum 8488C CPU @ 2.40 GHz",
            "health": "quarantined", "health_checked_at": at,
        }  # fmt: skip
        print_rows(agents.COLUMNS, [built(AgentSummary, agent)])
        assert "silent" in printed(capsys)

    def test_builds_are_named_by_their_toolchains(self, capsys: pytest.CaptureFixture[str]) -> None:
        made = {
            "build_key": "b" * 64, "toolchain_words": "gcc -O2", "compiler_version": "g++ (Debian 12.2.0-14) 12.2.0",
            "providers": {"botan": "2.19", "own": ""}, "proofs_passed": 380, "is_default": True, "current": True,
        }  # fmt: skip
        failed = made | {"toolchain_words": "icpx -O3", "failure": "searched in PATH\nicpx is not installed\n"}
        other = made | {"toolchain_words": "clang 14 -Ofast -march=native static"}
        agents.print_builds([built(BuildSummary, one) for one in (made, other, failed)])
        text = printed(capsys)
        assert "default" in text
        assert "No runners with icpx -O3: icpx is not installed" in text


class TestDoctor:
    def test_the_line_names_each_missing_package(self, capsys: pytest.CaptureFixture[str]) -> None:
        findings = [
            doctor.MachineCheck("Redis", "server", False, "no redis-server", package="redis-server"),
            doctor.MachineCheck("ffmpeg", "corpus", False, "no ffmpeg", package="ffmpeg"),
            doctor.MachineCheck("CMake", "device", True, "/usr/bin/cmake"),
        ]
        line = doctor.install_line(findings)
        assert line is not None
        assert line.endswith("apt-get install -y --no-install-recommends redis-server ffmpeg")
        assert doctor.install_line(findings[2:]) is None

    def test_plan_is_named_with_what_this_machine_lacks_for_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        matrix = {"providers": ["openssl"], "algorithms": ["aes-128-ctr"], "inputs": {"kinds": ["text"], "sizes": [16]}}
        plan = {"version": 1, "name": "x", "repetitions": 6, "toolchains": [{"compiler": "clang"}], "matrix": [matrix]}
        (tmp_path / "plan.json").write_text(json.dumps(plan))
        monkeypatch.setenv("PATH", str(tmp_path))
        lacks, packages = plan_lacks(plan_from(tmp_path / "plan.json"), ["library openssl", "prose: Bible", "ffmpeg"])
        assert lacks == ["clang", "library openssl", "prose: Bible"]
        assert packages == ["clang", "libssl-dev"]

    def test_headers_of_another_package_are_not_a_library(self, tmp_path: Path) -> None:
        for header in ("node/openssl/evp.h", "wolfssl/openssl/evp.h", "botan-2/botan/version.h",
                       "aarch64-linux-gnu/gcrypt.h"):  # fmt: skip
            path = tmp_path / "usr" / "include" / header
            path.parent.mkdir(parents=True)
            path.touch()

        libraries = {one.name: one for one in doctor.examine(tmp_path) if one.name.startswith("library ")}

        assert {name for name, one in libraries.items() if one.present} == {"library botan", "library libgcrypt"}
        assert libraries["library openssl"].detail == "no openssl/evp.h"
        assert not libraries["library openssl"].needed


class TestPrintTable:
    def test_untrusted_text_is_neither_markup_nor_control_characters(self, capsys: pytest.CaptureFixture[str]) -> None:
        print_table([Column("name"), number("n")], [("[red]x[/red]\x1b[31m\r\n", 0)])
        text = printed(capsys)
        assert "[red]x[/red]" in text
        assert "\x1b" not in text
        assert text.rstrip().endswith("0")
