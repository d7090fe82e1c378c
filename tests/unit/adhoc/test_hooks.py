import pytest

from orchestrator.cli.adhoc.command_lines import read_shell
from orchestrator.cli.adhoc.hooks import execute_hook
from orchestrator.shared.errors import CommandFailed

SH = read_shell("sh")


def test_hook_has_no_input_and_its_output_is_discarded(capfd: pytest.CaptureFixture[str]) -> None:
    execute_hook("--prepare", SH.line("cat; echo out; echo err >&2"), shown=False)

    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("shown", [True, False])
def test_failing_hook_is_reported_with_the_end_of_its_output(shown: bool) -> None:
    with pytest.raises(CommandFailed) as failed:
        execute_hook("--setup", SH.line("echo no such thing >&2; exit 3"), shown=shown)

    assert "--setup 'echo no such thing >&2; exit 3' ended with 3." in failed.value.detail
    assert ("no such thing\n" in failed.value.detail + "\n") != shown
    assert failed.value.facts["exit_code"] == 3
