import json
from pathlib import Path

from orchestrator.daemon.jobs.dead_letters import MAXIMUM_BYTES, SetAside


class TestSetAside:
    def test_the_message_is_kept_with_its_reason(self, tmp_path: Path) -> None:
        SetAside(tmp_path / "aside.jsonl").keep({"a": 1}, "not a job")

        (line,) = (tmp_path / "aside.jsonl").read_text().splitlines()
        assert json.loads(line)["reason"] == "not a job"
        assert json.loads(line)["body"] == "{'a': 1}"

    def test_the_file_stays_bounded_and_keeps_the_newest(self, tmp_path: Path) -> None:
        aside = SetAside(tmp_path / "aside.jsonl")
        for number in range(700):
            aside.keep(f"{number} {'x' * 5000}", "too much")

        lines = (tmp_path / "aside.jsonl").read_text().splitlines()
        assert (tmp_path / "aside.jsonl").stat().st_size < MAXIMUM_BYTES + 10_000
        assert json.loads(lines[-1])["body"].startswith("'699 ")

    def test_a_place_that_cannot_be_written_costs_no_traceback(self, tmp_path: Path) -> None:
        SetAside(tmp_path / "missing" / "aside.jsonl").keep("x", "nowhere to go")
