import pytest

from orchestrator.cli.exit_codes import ExitCode, exit_code
from orchestrator.cli.supervisor.up import DAEMON_FINAL_EXIT_CODES
from orchestrator.daemon.jobs.journal.file import DiskFull
from orchestrator.shared import errors


class TestExitCode:
    @pytest.mark.parametrize(
        ("error", "code"),
        [
            (errors.AlreadyRunning("x"), ExitCode.ALREADY_RUNNING),
            (errors.SetupError("x"), ExitCode.SETUP),
            (errors.SecondSession("x"), ExitCode.SECOND_SESSION),
            (errors.TransitionRefused("x"), ExitCode.CONFLICT),
            (errors.PlanRefused("x"), ExitCode.REFUSED),
            (errors.NoData("x"), ExitCode.FAILED),
            (errors.CommandFailed("x"), ExitCode.COMMAND_FAILED),
        ],
    )
    def test_the_nearest_class_decides(self, error: errors.CiphermarkError, code: ExitCode) -> None:
        assert exit_code(error) is code

    def test_full_disk_of_a_daemon_ends_with_a_code_after_which_it_is_restarted(self) -> None:
        """Regression: a journal that found its disk full ended the daemon with 3, which nothing restarts."""
        code = exit_code(DiskFull("x"))
        assert code is ExitCode.UNREACHABLE
        assert code not in DAEMON_FINAL_EXIT_CODES

    def test_numbers_are_used_once(self) -> None:
        assert len({code.value for code in ExitCode}) == len(ExitCode.__members__)
