"""The whole command lines that made a build, as CMake and Ninja tell them."""

import json
from collections.abc import Iterable
from pathlib import Path

from orchestrator.daemon.builds.compilation.compilers import command_output
from orchestrator.daemon.builds.folders import LAUNCHER, PROGRAM_PREFIX

_CIPHERS_TARGET = "ciphermark_own_ciphers.dir/"
"""What CMake calls the folder of the objects that our own ciphers become."""
_MOST_CHARACTERS = 20_000


def compile_commands(source: Path, target: Path, programs: Iterable[str]) -> dict[str, str]:
    """Return ``ciphers`` and each provider → the command line that compiled or linked it.

    target: the folder that CMake built in. programs: their names there. Folders are replaced by ``<source>`` and
    ``<build>``. Cipher files are compiled with one and the same line but for their names, which stand as ``<file>``;
    where a file has another one, every distinct line is told. A line that the tools do not tell is left out.
    """
    commands = {"ciphers": "\n".join(_cipher_lines(target))}
    for program in programs:
        if program != LAUNCHER:
            commands[program.removeprefix(PROGRAM_PREFIX)] = _link_line(target, program)
    return {
        name: line.replace(str(target.resolve()), "<build>").replace(str(source.resolve()), "<source>")[
            :_MOST_CHARACTERS
        ]
        for name, line in commands.items()
        if line
    }


def _cipher_lines(target: Path) -> list[str]:
    try:
        entries = json.loads((target / "compile_commands.json").read_bytes())
    except (FileNotFoundError, ValueError):
        return []
    lines: dict[str, None] = {}
    for entry in entries:
        words = str(entry["command"]).split()
        if any(_CIPHERS_TARGET in word for word in words):
            lines[" ".join(_without_names(words, str(entry["file"])))] = None
    return list(lines)


def _without_names(words: list[str], file: str) -> list[str]:
    return ["<file>" if word == file else "<file>.o" if _CIPHERS_TARGET in word else word for word in words]


def _link_line(target: Path, program: str) -> str:
    """Return the command that links a program, out of the shell line that Ninja wraps around it."""
    said = command_output("ninja", "-C", str(target), "-t", "commands", "-s", program) or ""
    steps = said.splitlines()[-1].split(" && ") if said else []
    return next((step for step in steps if f"-o {program}" in step), "")
