"""What was typed as the programs to measure: one after ``--``, or several command lines. Never through a shell."""

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import InvalidRequest, NotFound

MOST_ARGUMENTS = 256
"""Of the launcher, the program included."""
MOST_TEXT_BYTES = 60_000
"""Of one argument; a line of the launcher has 64 KiB."""

_PROTECTED = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"""")
_OF_A_SHELL = re.compile(r"[|&;<>()$`*?]|(?<!\S)~")


@dataclass(frozen=True)
class CommandLine:
    """One program with its arguments, found on this machine."""

    text: str
    """As it can be typed again."""
    words: tuple[str, ...]
    """The first is the program's absolute path as it was found; links are not followed."""

    @property
    def program(self) -> Path:
        """The file that the kernel executes, links followed."""
        return Path(self.words[0]).resolve()


def read_command_lines(before: Sequence[str], after: Sequence[str] | None) -> list[CommandLine]:
    """Return the programs to measure.

    before: the words before ``--``, each one a whole command line. after: those behind it, one program with its
    arguments; None where there is no ``--``.
    Raises InvalidRequest for what is ambiguous or needs a shell, NotFound for a program that is not there.
    """
    if after is not None and before:
        raise InvalidRequest(
            f"There are commands before '--' ({shlex.join(before)}) and behind it ({shlex.join(after)}).",
            remedy=f"One program: ciphermark measure -- {shlex.join([*before, *after])}. "
            f"Several: ciphermark measure {_unmistakable([*before, shlex.join(after)])}.",
        )
    if not (after or before):
        raise InvalidRequest(
            "No program to measure was named.",
            remedy="One: ciphermark measure -- PROGRAM ARG…. Several: ciphermark measure 'PROGRAM ARG' 'OTHER ARG'.",
        )
    if after:
        return [_found(shlex.join(after), after)]
    _refuse_one_in_pieces(before)
    return [read_command_line(line) for line in before]


def read_command_line(line: str) -> CommandLine:
    """Return one command line, of which only the words count; raises as read_command_lines does."""
    return _found(line.strip(), split_line(line))


def split_line(line: str) -> list[str]:
    """Split a command line at its spaces, quotes respected; raises InvalidRequest where it needs a shell."""
    operator = _OF_A_SHELL.search(_PROTECTED.sub(lambda quoted: "_" * len(quoted[0]), line))
    if operator is not None:
        raise InvalidRequest(
            f"{operator[0]!r} in {line!r} means something to a shell, and there is none between us and the program.",
            remedy="Put it in quotes if it is meant as it stands, or measure a shell with it: "
            f"ciphermark measure -- sh -c {shlex.quote(line)}.",
        )
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise InvalidRequest(f"{line!r} cannot be split: {error}.", remedy="Close every quote.") from None
    if not words or not words[0]:
        raise InvalidRequest(f"{line!r} names no program.")
    return words


def _refuse_one_in_pieces(lines: Sequence[str]) -> None:
    """Refuse several words that may as well be one program and its arguments: ``env ls``, ``sleep 1``, ``ls -l``."""
    option = next((line for line in lines if line.startswith("-")), None)
    if option is None and (len(lines) == 1 or not any(map(_is_unsure, lines))):
        return
    seen = f"{option!r} is no option of measure" if option else f"{shlex.join(lines)} may be one command or several"
    remedy = f"One program with arguments: ciphermark measure -- {shlex.join(lines)}."
    if option is None:
        remedy += f" Several programs: ciphermark measure {_unmistakable(lines)}."
    raise InvalidRequest(f"{seen}.", remedy=remedy)


def _is_unsure(line: str) -> bool:
    """Tell whether a word may be an argument of the one before it: it has neither arguments nor a folder."""
    return not any(sign in line for sign in " /")


def _unmistakable(lines: Sequence[str]) -> str:
    return shlex.join((shutil.which(line) or f"./{line}") if _is_unsure(line) else line for line in lines)


def _found(text: str, words: Sequence[str]) -> CommandLine:
    found = shutil.which(words[0])
    if found is None:
        raise _missing(words[0])
    if len(words) > MOST_ARGUMENTS:
        raise InvalidRequest(
            f"{text[:60]} … has {len(words)} words, at most {MOST_ARGUMENTS} can be passed on.",
            remedy="Let the program read them from a file, or put them into a script.",
        )
    for word in words:
        if "\n" in word or len(os.fsencode(word)) > MOST_TEXT_BYTES:
            raise InvalidRequest(
                f"The argument {word[:60]!r} … has a line feed or more than {MOST_TEXT_BYTES} bytes.",
                remedy="It cannot be passed on: put the command into a script, and measure that.",
            )
    return CommandLine(text, (os.path.abspath(found), *words[1:]))  # noqa: PTH100 - links must stay as they are


def _missing(name: str) -> NotFound:
    if "/" in name and Path(name).exists():
        return NotFound(f"{name} cannot be executed.", remedy=f"chmod +x {shlex.quote(name)}, or name its interpreter.")
    where = "there is no such file" if "/" in name else "no folder of PATH has it"
    if " " not in name:
        return NotFound(f"The program {name} was not found: {where}.")
    remedy = f"A command line stands before '--', or without it: ciphermark measure {shlex.quote(name)}."
    return NotFound(f"The program {name!r} was not found: {where}.", remedy=remedy)
