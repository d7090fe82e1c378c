import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.cli.adhoc.command_lines import MAX_ARGUMENTS, CommandLine, given_commands, split_line
from orchestrator.shared.errors import InvalidRequest, NotFound


def read_command_lines(before: Sequence[str], after: Sequence[str] | None) -> list[CommandLine]:
    return [given.line({}) for given in given_commands(before, after)]


class TestAfterTheDashes:
    def test_everything_after_the_dashes_is_one_program(self) -> None:
        (line,) = read_command_lines([], ["sh", "-c", "a | b > c; $D *", "--", "-n", ""])

        assert line.words[1:] == ("-c", "a | b > c; $D *", "--", "-n", "")
        assert Path(line.words[0]).is_absolute()

    def test_program_is_started_by_its_link_and_read_from_its_target(self, tmp_path: Path) -> None:
        link = tmp_path / "called-so"
        link.symlink_to("/bin/sh")

        (line,) = read_command_lines([], [str(link)])

        assert line.words == (str(link),)
        assert line.program == Path("/bin/sh").resolve()

    def test_missing_program_is_refused(self) -> None:
        with pytest.raises(InvalidRequest, match="No program"):
            read_command_lines([], [])

    def test_commands_on_both_sides_are_refused_with_a_remedy(self) -> None:
        with pytest.raises(InvalidRequest) as refused:
            read_command_lines(["true"], ["sleep", "1"])

        assert "measure -- true sleep 1" in refused.value.remedy
        (several,) = [part for part in refused.value.remedy.split("Several: ciphermark measure ") if "sleep 1'" in part]
        assert [line.text for line in read_command_lines(shlex.split(several.rstrip(".")), None)][1] == "sleep 1"


class TestCommandLines:
    def test_each_argument_is_a_command_line(self) -> None:
        lines = read_command_lines(["sh -c 'exit 1'", "sleep 0.1 "], None)

        assert [line.words[1:] for line in lines] == [("-c", "exit 1"), ("0.1",)]
        assert [line.text for line in lines] == ["sh -c 'exit 1'", "sleep 0.1"]

    @pytest.mark.parametrize("words", [["sleep", "1"], ["env", "ls"], ["gzip", "my file"], ["ls", "-l"], ["-x", "ls"]])
    def test_ambiguous_words_are_refused_with_a_remedy(self, words: list[str]) -> None:
        with pytest.raises(InvalidRequest) as refused:
            read_command_lines(words, None)

        assert f"ciphermark measure -- {shlex.join(words)}." in refused.value.remedy


class TestWithoutAShell:
    @pytest.mark.parametrize(
        "line", ["a | b", "a>b", "sort < x", "a; b", "a && b", "ls *.c", "echo $HOME", "cat ~/x", "a `b`", "f(x)"]
    )
    def test_shell_syntax_is_refused(self, line: str) -> None:
        with pytest.raises(InvalidRequest, match="shell") as refused:
            split_line(line)

        assert f"ciphermark measure -- sh -c {shlex.quote(line)}." in refused.value.remedy

    def test_quoted_shell_syntax_is_literal(self) -> None:
        assert split_line(r"""grep 'a|b' "c > d" \* x~y""") == ["grep", "a|b", "c > d", "*", "x~y"]

    def test_open_quote_is_refused(self) -> None:
        with pytest.raises(InvalidRequest, match="quot"):
            split_line("echo 'a")

    @given(st.lists(st.text(min_size=1), min_size=1))
    def test_joined_words_are_split_to_the_same_words(self, words: list[str]) -> None:
        assert split_line(shlex.join(words)) == words


class TestPrograms:
    def test_missing_program_is_reported(self) -> None:
        with pytest.raises(NotFound, match="no folder of PATH"):
            read_command_lines([], ["no-such-program", "x"])

    def test_file_that_is_not_executable_is_reported(self, tmp_path: Path) -> None:
        script = tmp_path / "script"
        script.write_text("exit")

        with pytest.raises(NotFound, match="cannot be executed"):
            read_command_lines([str(script)], None)

    def test_quoted_command_line_after_the_dashes_is_reported(self) -> None:
        with pytest.raises(NotFound) as missing:
            read_command_lines([], ["sleep 1"])

        assert "ciphermark measure 'sleep 1'" in missing.value.remedy

    @pytest.mark.parametrize("words", [["true"] * (MAX_ARGUMENTS + 1), ["true", "x" * 70_000]])
    def test_arguments_beyond_the_launchers_limits_are_refused(self, words: list[str]) -> None:
        with pytest.raises(InvalidRequest):
            read_command_lines([], words)
