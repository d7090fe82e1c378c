import os
from dataclasses import replace
from pathlib import Path

from orchestrator.cli.supervisor.children import LOG_BYTES, Child, ChildProgram
from tests.support.processes import is_alive
from tests.support.waiting import until


def shell(script: str, folder: Path, stop_seconds: float = 5.0) -> ChildProgram:
    return ChildProgram(
        "part", ("/bin/sh", "-c", script), dict(os.environ), folder / "part.log", stop_seconds=stop_seconds
    )


class TestChild:
    def test_child_is_restarted_after_a_growing_backoff(self, tmp_path: Path) -> None:
        clock = [0.0]
        child = Child(shell("echo lived; exit 3", tmp_path), clock=lambda: clock[0])
        child.start()
        for backoff in (0.2, 0.4, 0.8):
            until(lambda: child.pid is None, "the end of the program")
            assert not child.keep_alive()
            clock[0] += backoff - 0.01
            assert not child.keep_alive()
            clock[0] += 0.02
            assert child.keep_alive()
        assert child.starts == 4
        until(lambda: (tmp_path / "part.log").read_text() == "lived\n" * 4, "the output of all four")
        child.stop()

    def test_child_with_a_final_exit_code_is_not_restarted(self, tmp_path: Path) -> None:
        child = Child(replace(shell("echo lived; exit 7", tmp_path), final_exit_codes=frozenset({3, 7})))
        child.start()
        until(lambda: not child.keep_alive() and child.final_exit_code == 7, "the end for good")
        assert not child.keep_alive()
        assert child.starts == 1
        child.stop()

    def test_killed_child_is_restarted(self, tmp_path: Path) -> None:
        child = Child(shell("echo lived; sleep 100", tmp_path))
        child.start()
        child.kill()
        until(child.keep_alive, "the restart")
        assert child.starts == 2
        child.stop()

    def test_stop_ends_the_whole_process_group(self, tmp_path: Path) -> None:
        child = Child(shell("sleep 100 & echo $!; trap '' TERM; while :; do sleep 0.1; done", tmp_path, 0.3))
        child.start()
        until(lambda: (tmp_path / "part.log").read_text().endswith("\n"), "the grandchild's number")
        grandchild = int((tmp_path / "part.log").read_text())
        child.stop()
        assert child.pid is None
        until(lambda: not is_alive(grandchild), "the end of the grandchild")

    def test_one_old_log_file_is_kept(self, tmp_path: Path) -> None:
        (tmp_path / "part.log").write_bytes(b"x" * (LOG_BYTES + 1))
        child = Child(shell("echo new", tmp_path))
        child.start()
        until(lambda: (tmp_path / "part.log").read_text() == "new\n", "the output of the new child")
        assert (tmp_path / "part.log.1").stat().st_size == LOG_BYTES + 1
        child.stop()
