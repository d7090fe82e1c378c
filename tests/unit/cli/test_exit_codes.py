import pytest

from orchestrator import errors
from orchestrator.cli.exit_codes import ExitCode, exit_code


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

    def test_numbers_are_used_once(self) -> None:
        assert len({code.value for code in ExitCode}) == len(ExitCode.__members__)
