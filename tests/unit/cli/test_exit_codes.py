import os
import subprocess
import sys
from pathlib import Path

from orchestrator.cli.exit_codes import ExitCode, exit_code
from orchestrator.cli.supervisor.up import DAEMON_FINAL_EXIT_CODES
from orchestrator.daemon.jobs.journal.file import DiskFull
from tests.support.commands import executed


class TestExitCode:
    def test_full_disk_of_a_daemon_ends_with_a_code_after_which_it_is_restarted(self) -> None:
        """Regression: a journal that found its disk full ended the daemon with 3, which nothing restarts."""
        code = exit_code(DiskFull("x"))
        assert code is ExitCode.UNREACHABLE
        assert code not in DAEMON_FINAL_EXIT_CODES

    def test_file_that_does_not_exist_is_not_found(self, tmp_path: Path) -> None:
        """Regression: the code was that of a refused plan."""
        code = executed({"CIPHERMARK_DATA_FOLDER": str(tmp_path)}, "submit", str(tmp_path / "absent.yaml")).returncode
        assert code == ExitCode.NOT_FOUND

    def test_reader_that_closes_the_pipe_is_no_error(self) -> None:
        """Regression: `| head` ended commands with 1."""
        unread, output = os.pipe()
        os.close(unread)
        assert run("--help", output) == (ExitCode.OK, "")

    def test_output_on_a_full_disk_is_reported_without_a_traceback(self) -> None:
        with Path("/dev/full").open("wb") as full:
            code, errors = run("--help", full.fileno())
        assert (code, errors.splitlines()[0]) == (
            ExitCode.UNREACHABLE,
            "error: Standard output: No space left on device.",
        )


def run(argument: str, output: int) -> tuple[int, str]:
    """Return the exit code and the errors of a command that writes to a descriptor."""
    command = [sys.executable, "-m", "orchestrator.cli.main", argument]
    done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stderr
