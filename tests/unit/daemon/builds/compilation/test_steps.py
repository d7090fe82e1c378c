from pathlib import Path

import pytest

from orchestrator.compilation.native.steps import BuildObserver, Interrupted, execute
from orchestrator.shared.errors import BuildFailed
from tests.support.processes import is_alive
from tests.support.waiting import until


def state_of(pid: int) -> str:
    """Return the state of a process: R, S, T (stopped)."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


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

        until(lambda: not is_alive(int(pid_file.read_text())), "the end of the killed process")

    def test_step_is_killed_at_its_timeout(self) -> None:
        with pytest.raises(BuildFailed, match=r"sh did not finish within 1 s:\nbusy"):
            execute(["sh", "-c", "echo busy; sleep 60"], BuildObserver(lambda _: None), step_seconds=1)


class TestPause:
    """A shell, its child and its grandchild write their ids and then sleep in short steps until a file appears."""

    SCRIPT = """
        sleeper() { echo $BASHPID >> $1/pids; until [ -e $1/end ]; do sleep 0.02; done; }
        (sleeper $1 & sleeper $1; wait) & sleeper $1; wait; echo ended
    """

    def start(self, folder: Path, observer: BuildObserver, **options: int) -> list[str]:
        return execute(["bash", "-c", self.SCRIPT, "step", str(folder)], observer, **options)

    def pids(self, folder: Path) -> list[int]:
        file = folder / "pids"
        return [int(line) for line in file.read_text().split()] if file.exists() else []

    def test_pause_that_begins_between_two_looks_finds_the_step_stopped(self, tmp_path: Path) -> None:
        """Regression: the second look of a round waited for the job, whose measurement the compiler then disturbed."""
        looks, pauses = list[int](), list[list[str]]()

        def is_paused() -> bool:
            looks.append(len(self.pids(tmp_path)))
            return not pauses and looks.count(3) == 2

        def wait() -> None:
            pauses.append([state_of(pid) for pid in self.pids(tmp_path)])
            (tmp_path / "end").touch()

        observer = BuildObserver(lambda _: None, is_paused=is_paused, wait=wait)
        assert self.start(tmp_path, observer) == ["ended"]
        assert pauses == [["T", "T", "T"]]

    def test_pause_without_memory_kills_the_step_and_repeats_it(self, tmp_path: Path) -> None:
        pauses = list[list[bool]]()

        def wait() -> None:
            pauses.append([is_alive(pid) for pid in self.pids(tmp_path)])
            (tmp_path / "end").touch()

        observer = BuildObserver(
            lambda _: None, is_paused=lambda: not pauses and len(self.pids(tmp_path)) == 3, wait=wait
        )
        assert self.start(tmp_path, observer, min_available_bytes=2**62) == ["ended"]
        assert pauses == [[False, False, False]]
        assert len(self.pids(tmp_path)) == 6

    def test_pause_does_not_count_for_the_timeout(self) -> None:
        seconds, pauses = [0.0], [0]

        def wait() -> None:
            pauses[0] += 1

        def clock() -> float:
            # Moves only while the step works: one second with each look.
            seconds[0] += 0 if pauses[0] < 3 else 1
            return seconds[0]

        observer = BuildObserver(lambda _: None, is_paused=lambda: pauses[0] < 3, wait=wait, clock=clock)
        with pytest.raises(BuildFailed, match="did not finish within 5 s"):
            execute(["sleep", "60"], observer, step_seconds=5)
        assert pauses[0] >= 3

    def test_interruption_during_a_pause_kills_the_stopped_step(self, tmp_path: Path) -> None:
        def wait() -> None:
            raise Interrupted

        observer = BuildObserver(lambda _: None, is_paused=lambda: len(self.pids(tmp_path)) == 3, wait=wait)
        with pytest.raises(Interrupted):
            self.start(tmp_path, observer)
        until(lambda: not any(is_alive(pid) for pid in self.pids(tmp_path)), "the end of the stopped processes")
