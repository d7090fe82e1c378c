"""Command lines of the programs to measure: one after ``--``, or several in quotes, by default without a shell."""

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.cli.adhoc.parameters import Assignment, filled
from orchestrator.shared.errors import InvalidRequest, NotFound

MAX_ARGUMENTS = 256
"""Limit of the launcher, including the program."""
MAX_TEXT_BYTES = 60_000
"""Limit of one argument; a line of the launcher has at most 64 KiB."""

_PROTECTED = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"""")
_OF_A_SHELL = re.compile(r"[|&;<>()$`*?]|(?<!\S)~")


@dataclass(frozen=True)
class CommandLine:
    """Program of this machine with its arguments."""

    text: str
    """Text of the command line, quoted for a shell."""
    words: tuple[str, ...]
    """Absolute path of the program, with links not followed, and the arguments."""

    @property
    def program(self) -> Path:
        """File that the kernel executes, with links followed."""
        return Path(self.words[0]).resolve()


@dataclass(frozen=True)
class Shell:
    """Shell that executes command lines."""

    words: tuple[str, ...]
    """Absolute path of the shell and its options."""

    def line(self, text: str) -> CommandLine:
        """Return a command line that the shell executes."""
        return _checked(text, (*self.words, "-c", text))


def read_shell(text: str) -> Shell:
    """Return a shell by its name and options: ``sh``, ``bash --norc``; raises as read_command_line."""
    return Shell(_found(text, split_line(text)).words)


@dataclass(frozen=True)
class GivenCommand:
    """Command line as given, with the placeholders of parameters."""

    text: str
    words: tuple[str, ...] | None = None
    """Words after ``--``, which are not split again; None for a command line in quotes."""

    def line(self, values: Assignment, shell: Shell | None = None) -> CommandLine:
        """Return the command line with these values; raises the same exceptions as read_command_line."""
        if self.words is not None:
            words = [filled(word, values) for word in self.words]
            return _found(shlex.join(words), words)
        text = filled(self.text, values)
        return read_command_line(text) if shell is None else shell.line(text)


def given_commands(before: Sequence[str], after: Sequence[str] | None) -> list[GivenCommand]:
    """Return the command lines of the programs to measure.

    before: the arguments before ``--``, each a complete command line. after: the arguments after it, one program with
    its arguments; None without ``--``.
    Raises InvalidRequest for an ambiguous command line or one that needs a shell, NotFound for a missing program.
    """
    if after is not None and before:
        raise InvalidRequest(
            f"There are commands before '--' ({shlex.join(before)}) and after it ({shlex.join(after)}).",
            remedy=f"One program: ciphermark measure -- {shlex.join([*before, *after])}. "
            f"Several: ciphermark measure {_unambiguous([*before, shlex.join(after)])}.",
        )
    if not (after or before):
        raise InvalidRequest(
            "No program to measure was given.",
            remedy="One: ciphermark measure -- PROGRAM ARG…. Several: ciphermark measure 'PROGRAM ARG' 'OTHER ARG'.",
        )
    if after:
        return [GivenCommand(shlex.join(after), tuple(after))]
    _refuse_split_command(before)
    return [GivenCommand(line.strip()) for line in before]


def read_command_line(line: str) -> CommandLine:
    """Return one command line; raises InvalidRequest if it needs a shell, NotFound for a missing program."""
    return _found(line.strip(), split_line(line))


def split_line(line: str) -> list[str]:
    """Return the words of a command line, respecting quotes; raises InvalidRequest if it needs a shell."""
    operator = _OF_A_SHELL.search(_PROTECTED.sub(lambda quoted: "_" * len(quoted[0]), line))
    if operator is not None:
        raise InvalidRequest(
            f"{operator[0]!r} in {line!r} needs a shell, and programs are started without one.",
            remedy="Quote it to pass it on literally, use a shell with --shell sh, or measure one with it: "
            f"ciphermark measure -- sh -c {shlex.quote(line)}.",
        )
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise InvalidRequest(f"{line!r} cannot be split: {error}.", remedy="Close every quote.") from None
    if not words or not words[0]:
        raise InvalidRequest(f"{line!r} contains no program.")
    return words


def _refuse_split_command(lines: Sequence[str]) -> None:
    """Raise InvalidRequest for words that may be one program with arguments: ``env ls``, ``sleep 1``, ``ls -l``."""
    option = next((line for line in lines if line.startswith("-")), None)
    if option is None and (len(lines) == 1 or not any(map(_is_ambiguous, lines))):
        return
    problem = (
        f"{option!r} is not an option of measure" if option else f"{shlex.join(lines)} may be one command or several"
    )
    remedy = f"One program with arguments: ciphermark measure -- {shlex.join(lines)}."
    if option is None:
        remedy += f" Several programs: ciphermark measure {_unambiguous(lines)}."
    raise InvalidRequest(f"{problem}.", remedy=remedy)


def _is_ambiguous(line: str) -> bool:
    """Return whether a word may be an argument of the previous one: it has no space and no folder."""
    return not any(sign in line for sign in " /")


def _unambiguous(lines: Sequence[str]) -> str:
    return shlex.join((shutil.which(line) or f"./{line}") if _is_ambiguous(line) else line for line in lines)


def _found(text: str, words: Sequence[str]) -> CommandLine:
    found = shutil.which(words[0])
    if found is None:
        raise _missing(words[0])
    return _checked(text, (os.path.abspath(found), *words[1:]))  # noqa: PTH100 - links must stay as they are


def _checked(text: str, words: tuple[str, ...]) -> CommandLine:
    """Return the command line if the launcher can pass it on."""
    if len(words) > MAX_ARGUMENTS:
        raise InvalidRequest(
            f"{text[:60]} … has {len(words)} words, at most {MAX_ARGUMENTS} are possible.",
            remedy="Pass them in a file, or put the command into a script.",
        )
    for word in words:
        if len(os.fsencode(word)) > MAX_TEXT_BYTES:
            raise InvalidRequest(
                f"The argument {word[:60]!r} … has more than {MAX_TEXT_BYTES} bytes.",
                remedy="Put the command into a script and measure that.",
            )
    return CommandLine(text, words)


def _missing(name: str) -> NotFound:
    if "/" in name and Path(name).exists():
        return NotFound(
            f"{name} cannot be executed.", remedy=f"chmod +x {shlex.quote(name)}, or start it with its interpreter."
        )
    where = "the file does not exist" if "/" in name else "it is in no folder of PATH"
    if " " not in name:
        return NotFound(f"The program {name} was not found: {where}.")
    remedy = f"A quoted command line comes before '--' or without it: ciphermark measure {shlex.quote(name)}."
    return NotFound(f"The program {name!r} was not found: {where}.", remedy=remedy)
