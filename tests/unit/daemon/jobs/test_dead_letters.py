import json
from pathlib import Path

from orchestrator.daemon.jobs.dead_letters import MAX_BYTES, DeadLetters


class TestDeadLetters:
    def test_message_is_stored_with_its_reason(self, tmp_path: Path) -> None:
        DeadLetters(tmp_path / "letters.jsonl").keep({"a": 1}, "not a job")

        (line,) = (tmp_path / "letters.jsonl").read_text().splitlines()
        assert json.loads(line)["reason"] == "not a job"
        assert json.loads(line)["body"] == "{'a': 1}"

    def test_file_is_bounded_and_keeps_the_newest_messages(self, tmp_path: Path) -> None:
        letters = DeadLetters(tmp_path / "letters.jsonl")
        for number in range(700):
            letters.keep(f"{number} {'x' * 5000}", "too much")

        lines = (tmp_path / "letters.jsonl").read_text().splitlines()
        assert (tmp_path / "letters.jsonl").stat().st_size < MAX_BYTES + 10_000
        assert json.loads(lines[-1])["body"].startswith("'699 ")

    def test_unwritable_folder_raises_no_error(self, tmp_path: Path) -> None:
        DeadLetters(tmp_path / "missing" / "letters.jsonl").keep("x", "no folder")
