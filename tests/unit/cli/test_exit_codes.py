from orchestrator.cli.exit_codes import ExitCode, exit_code
from orchestrator.cli.supervisor.up import DAEMON_FINAL_EXIT_CODES
from orchestrator.daemon.jobs.journal.file import DiskFull


class TestExitCode:
    def test_full_disk_of_a_daemon_ends_with_a_code_after_which_it_is_restarted(self) -> None:
        """Regression: a journal that found its disk full ended the daemon with 3, which nothing restarts."""
        code = exit_code(DiskFull("x"))
        assert code is ExitCode.UNREACHABLE
        assert code not in DAEMON_FINAL_EXIT_CODES
