import os
from pathlib import Path

import pytest

from orchestrator.daemon.builds.compilation.steps import BuildObserver, Interrupted, execute
from orchestrator.errors import BuildFailed


def is_running(pid: int) -> bool:
    """Tell whether a process works; a killed one that nobody waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def is_written(file: Path) -> bool:
    return file.exists() and file.read_text().endswith("\n")


class TestExecute:
    def test_its_lines_are_told_as_they_come(self) -> None:
        seen: list[str] = []

        lines = execute(["sh", "-c", "echo one; echo two >&2; printf three"], BuildObserver(seen.append))
        assert lines == seen == ["one", "two", "three"]

    def test_a_failing_step_tells_its_last_25_lines(self) -> None:
        seen: list[str] = []
        with pytest.raises(BuildFailed, match=r"ended with 3:\nline 5\n(.|\n)*line 29$"):
            execute(["bash", "-c", "for i in $(seq 0 29); do echo line $i; done; exit 3"], BuildObserver(seen.append))
        assert len(seen) == 30

    def test_a_stop_ends_a_silent_compiler_and_its_children_at_once(self, tmp_path: Path) -> None:
        """The stop order was once looked at only when the compiler printed a line."""
        pid_file = tmp_path / "pid"
        script = f"sleep 600 & echo $! > {pid_file}; wait"

        with pytest.raises(Interrupted):
            execute(["sh", "-c", script], BuildObserver(lambda _: None, lambda: is_written(pid_file)))

        assert not is_running(int(pid_file.read_text()))

    def test_a_step_that_takes_too_long_is_ended(self) -> None:
        with pytest.raises(BuildFailed, match=r"sh was stopped after 1 s:\nbusy"):
            execute(["sh", "-c", "echo busy; sleep 60"], BuildObserver(lambda _: None), step_seconds=1)

    def test_bytes_that_are_no_text_do_no_harm(self) -> None:
        assert execute(["printf", r"\377\n"], BuildObserver(lambda _: None)) == [os.fsdecode(b"\xef\xbf\xbd")]
