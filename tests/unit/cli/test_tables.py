"""What the command line prints fits 80 columns, whatever the names are."""

from typing import Any

import pytest

from orchestrator.cli import agents, doctor, runs
from orchestrator.cli.answer import print_answer
from orchestrator.cli.output import Column, number, print_table

LONG = "a-name-that-takes-as-much-room-as-any-name-may-take-in-this-project-63"


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    text = capsys.readouterr().out
    assert max(len(line) for line in text.splitlines()) <= 80
    return text


def answer_row(**changes: Any) -> dict[str, Any]:
    row = {
        "rank": 1,
        "tied": False,
        "undecided": False,
        "reason": "",
        "provider": "cryptopp",
        "algorithm": "chacha20-poly1305",
        "throughput_bytes_per_second": 1.2e9,
        "interval": {"low": 1.1e9, "high": 1.3e9},
        "behind": None,
        "behind_interval": None,
        "ok": 48,
        "failed": 0,
        "wrong": 0,
        "disputed": 0,
    }
    return row | changes


def answer(*rows: dict[str, Any]) -> dict[str, Any]:
    agent = {
        "agent_name": LONG,
        "device": "Raspberry Pi 4 Model B Rev 1.1 (Cortex-A72)",
        "measure": "encrypt",
        "inputs": {"count": 8, "kinds": ["audio", "random", "text", "video"], "lengths_bytes": [131_072, 1_048_576]},
        "blocks": 6,
        "noise_floor": {"relative": 0.013, "reason": ""},
        "sentence": f"On a device, {LONG} by cryptopp is the fastest.",
        "rows": list(rows),
        "rows_total": len(rows),
    }
    return {"agents": [agent]}


class TestAnswer:
    def test_ties_intervals_and_the_noise_floor_are_told(self, capsys: pytest.CaptureFixture[str]) -> None:
        tied = answer_row(rank=2, tied=True, behind=1.4142)
        print_answer(answer(answer_row(), tied, answer_row(rank=2, tied=True, algorithm=LONG, behind=478.4)))
        text = printed(capsys)
        for part in ("=2", "-8.3% +8.3%", "1.41×", "478.40×", "noise floor 1.30%", "marks a tie"):
            assert part in text

    def test_wrong_results_come_first(self, capsys: pytest.CaptureFixture[str]) -> None:
        print_answer(answer(answer_row(wrong=3)))
        text = printed(capsys)
        assert text.index("WRONG: 3 executions of chacha20-poly1305 by cryptopp") < text.index("median")

    def test_absent_values_are_dashes(self, capsys: pytest.CaptureFixture[str]) -> None:
        print_answer(answer(answer_row(rank=None, throughput_bytes_per_second=None, interval=None)))
        assert printed(capsys).count("—") == 4

    def test_nothing_measured(self, capsys: pytest.CaptureFixture[str]) -> None:
        print_answer({"agents": []})
        assert "Nothing was measured." in printed(capsys)


class TestRuns:
    RUN: dict[str, Any] = {
        "id": "rrrrrrrrrrrr",
        "name": LONG,
        "state": "running",
        "waiting_for": ["pi-in-the-cellar", "pi-under-the-roof"],
        "executions_done": 999_999,
        "executions_total": 1_000_000,
        "wrong": 1,
        "disputed": 2,
        "failed": 3,
        "submitted_at": "2026-11-20T12:00:00Z",
    }

    def test_a_silent_agent_is_told(self) -> None:
        assert runs.shown_state(self.RUN) == "waiting for agent pi-in-the-cellar, pi-under-the-roof"
        assert runs.shown_state(self.RUN | {"waiting_for": []}) == "running"

    def test_the_list_fits(self, capsys: pytest.CaptureFixture[str]) -> None:
        print_table([*runs.COLUMNS], [runs.line(self.RUN)])
        text = printed(capsys)
        assert "999999/1000000" in text
        assert "rrrrrrrrrrrr" in text


class TestAgents:
    def test_the_list_fits(self, capsys: pytest.CaptureFixture[str]) -> None:
        agent = {
            "id": "aaaaaaaaaaaa",
            "name": LONG[:63],
            "revoked_at": None,
            "approved_at": "2026-11-20T12:00:00Z",
            "liveness": "silent",
            "state": "ready",
            "heard_at": "2026-11-20T12:00:00Z",
            "device_model": None,
            "processor": "Intel(R) Xeon(R) Platinum 8488C CPU @ 2.40 GHz",
        }
        print_table([*agents.COLUMNS], [agents.line(agent)])
        assert "silent" in printed(capsys)


class TestDoctor:
    def test_the_line_names_each_missing_package(self, capsys: pytest.CaptureFixture[str]) -> None:
        findings = [
            doctor.Finding("Redis", "server", False, "no redis-server", package="redis-server"),
            doctor.Finding("ffmpeg", "corpus", False, "no ffmpeg", package="ffmpeg"),
            doctor.Finding("CMake", "device", True, "/usr/bin/cmake"),
        ]
        line = doctor.install_line(findings)
        assert line is not None
        assert line.endswith("apt-get install -y --no-install-recommends redis-server ffmpeg")
        assert doctor.install_line(findings[2:]) is None


class TestPrintTable:
    def test_what_others_wrote_is_text_and_neither_markup_nor_control(self, capsys: pytest.CaptureFixture[str]) -> None:
        print_table([Column("name"), number("n")], [("[red]x[/red]\x1b[31m\r\n", 0)])
        text = printed(capsys)
        assert "[red]x[/red]" in text
        assert "\x1b" not in text
        assert text.rstrip().endswith("0")
