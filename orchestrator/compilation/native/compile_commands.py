"""The complete command lines that made a build, as reported by CMake and Ninja."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from orchestrator.compilation.folders import LAUNCHER, PROGRAM_PREFIX
from orchestrator.compilation.native.compilers import command_output

_CIPHERS_TARGET = "ciphermark_own_ciphers.dir/"
"""CMake's name of the folder with the object files of the own ciphers."""
_MAX_CHARACTERS = 20_000


def compile_commands(target: Path, programs: Iterable[str], folders: Mapping[str, Path]) -> dict[str, str]:
    """Return ``ciphers`` and each provider → the command line that compiled or linked it.

    target: the build folder of CMake. programs: names of the programs in it. folders: folders that are replaced, by
    name (``<source>``, ``<build>``); file names are replaced by ``<file>``. Cipher files normally share one command
    line; otherwise every distinct line is returned. Programs whose command line is unknown are omitted.
    """
    commands = {"ciphers": "\n".join(_cipher_lines(target))}
    for program in programs:
        if program != LAUNCHER:
            commands[program.removeprefix(PROGRAM_PREFIX)] = _link_line(target, program)
    return {name: _shortened(line, folders)[:_MAX_CHARACTERS] for name, line in commands.items() if line}


def _shortened(line: str, folders: Mapping[str, Path]) -> str:
    for name, folder in folders.items():
        line = line.replace(str(folder.resolve()), name)
    return line


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
    """Return the link command of a program without the shell line that Ninja wraps around it."""
    output = command_output("ninja", "-C", str(target), "-t", "commands", "-s", program) or ""
    steps = output.splitlines()[-1].split(" && ") if output else []
    return next((step for step in steps if f"-o {program}" in step), "")
