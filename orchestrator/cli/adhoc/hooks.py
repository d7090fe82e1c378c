"""Command lines that are executed around the measurements of a program, never while its time is taken."""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orchestrator.cli.adhoc.command_lines import CommandLine
from orchestrator.shared.errors import CommandFailed

_STDERR_LINES = 12


@dataclass(frozen=True)
class Hooks:
    """Command lines around the measurements of one program; None: nothing is executed."""

    setup: CommandLine | None = None
    """Executed before the first execution of any program."""
    prepare: CommandLine | None = None
    """Executed before each execution of the program."""
    conclude: CommandLine | None = None
    """Executed after each execution of the program."""
    cleanup: CommandLine | None = None
    """Executed after the last execution of any program."""


HookRunner = Callable[[str, CommandLine], None]
"""Executes a hook, given by its option and its command line; raises CommandFailed if it fails."""


def run_each(option: str, lines: Sequence[CommandLine | None], run: HookRunner) -> None:
    """Execute each different command line once, in their order."""
    for line in dict.fromkeys(line for line in lines if line is not None):
        run(option, line)


def execute_hook(option: str, line: CommandLine, *, shown: bool) -> None:
    """Execute a command line without input; raises CommandFailed with the end of its standard error if it fails.

    shown: pass its output on instead of discarding it.
    """
    done = subprocess.run(
        line.words,
        stdin=subprocess.DEVNULL,
        stdout=None if shown else subprocess.DEVNULL,
        stderr=None if shown else subprocess.PIPE,
        check=False,
    )
    if done.returncode != 0:
        output = last_lines((done.stderr or b"").decode(errors="replace"))
        tail = f" Its output:\n{output}" if output else ""
        raise CommandFailed(
            f"{option} {line.text!r} ended with {done.returncode}.{tail}",
            exit_code=done.returncode,
        )


def last_lines(text: str) -> str:
    """Return the last lines of a program's output, with unprintable characters replaced."""
    lines = [line[:500] for line in text.splitlines() if line.strip()][-_STDERR_LINES:]
    return "\n".join(f"  {''.join(c if c.isprintable() else ' ' for c in line)}" for line in lines)
