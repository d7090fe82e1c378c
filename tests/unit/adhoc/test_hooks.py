import pytest

from orchestrator.cli.adhoc.command_lines import CommandLine, read_shell
from orchestrator.cli.adhoc.hooks import execute_hook, last_lines, run_each
from orchestrator.shared.errors import CommandFailed

SH = read_shell("sh")


def test_hook_has_no_input_and_its_output_is_discarded(capfd: pytest.CaptureFixture[str]) -> None:
    execute_hook("--prepare", SH.line("cat; echo out; echo err >&2"), shown=False)

    assert capfd.readouterr() == ("", "")


def test_output_of_a_hook_can_be_shown(capfd: pytest.CaptureFixture[str]) -> None:
    execute_hook("--prepare", SH.line("echo out; echo err >&2"), shown=True)

    assert capfd.readouterr() == ("out\n", "err\n")


@pytest.mark.parametrize("shown", [True, False])
def test_failing_hook_is_reported_with_the_end_of_its_output(shown: bool) -> None:
    with pytest.raises(CommandFailed) as failed:
        execute_hook("--setup", SH.line("echo no such thing >&2; exit 3"), shown=shown)

    assert "--setup 'echo no such thing >&2; exit 3' ended with 3." in failed.value.detail
    assert ("no such thing\n" in failed.value.detail + "\n") != shown
    assert failed.value.facts["exit_code"] == 3


def test_equal_command_lines_are_executed_once_in_their_order() -> None:
    first, second = (CommandLine(text, ("/bin/true", text)) for text in "ab")
    done: list[str] = []

    run_each("--setup", [second, None, first, second], lambda option, line: done.append(line.text))

    assert done == ["b", "a"]


def test_last_lines_have_no_control_characters() -> None:
    assert last_lines("one\n\n\x1b[31mtwo\n", 1) == "   [31mtwo"
