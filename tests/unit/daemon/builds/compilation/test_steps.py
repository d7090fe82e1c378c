import os
from pathlib import Path

import pytest

from orchestrator.daemon.builds.compilation.steps import BuildObserver, Interrupted, execute
from orchestrator.errors import BuildFailed
from tests.support.waiting import until


def is_running(pid: int) -> bool:
    """Return whether a process is running; a zombie is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def is_written(file: Path) -> bool:
    return file.exists() and file.read_text().endswith("\n")


class TestExecute:
    def test_progress_receives_each_line(self) -> None:
        seen: list[str] = []

        lines = execute(["sh", "-c", "echo one; echo two >&2; printf three"], BuildObserver(seen.append))
        assert lines == seen == ["one", "two", "three"]

    def test_failure_contains_the_last_25_lines(self) -> None:
        seen: list[str] = []
        with pytest.raises(BuildFailed, match=r"exited with 3:\nline 5\n(.|\n)*line 29$"):
            execute(["bash", "-c", "for i in $(seq 0 29); do echo line $i; done; exit 3"], BuildObserver(seen.append))
        assert len(seen) == 30

    def test_interruption_kills_a_silent_compiler_and_its_children(self, tmp_path: Path) -> None:
        """Regression: the stop order was checked only when the compiler printed a line."""
        pid_file = tmp_path / "pid"
        script = f"sleep 600 & echo $! > {pid_file}; wait"

        with pytest.raises(Interrupted):
            execute(["sh", "-c", script], BuildObserver(lambda _: None, lambda: is_written(pid_file)))

        until(lambda: not is_running(int(pid_file.read_text())), "the end of the killed process")

    def test_step_is_killed_at_its_timeout(self) -> None:
        with pytest.raises(BuildFailed, match=r"sh did not finish within 1 s:\nbusy"):
            execute(["sh", "-c", "echo busy; sleep 60"], BuildObserver(lambda _: None), step_seconds=1)

    def test_invalid_utf8_is_replaced(self) -> None:
        assert execute(["printf", r"\377\n"], BuildObserver(lambda _: None)) == [os.fsdecode(b"\xef\xbf\xbd")]
