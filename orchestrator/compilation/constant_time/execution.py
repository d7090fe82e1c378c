"""Execution of ``constant-time`` for a batch of implementations, which may end a program early."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from orchestrator.compilation.installed import Program
from orchestrator.compilation.native.compilers import command_output
from orchestrator.compilation.native.steps import BuildObserver, execute
from orchestrator.shared.errors import BuildFailed
from orchestrator.wire.runners import ErrorLine, RunnerConstantTime

Name = tuple[str, str]
"""Algorithm and variant."""

BATCH_SECONDS = 300.0
"""Time limit of one program, without pauses."""
_MAX_FAILURES = 3
"""Failed programs of a batch, after which its other implementations are not tried."""
_REASON_CHARACTERS = 300
_OPTIONS = ("--tool=memcheck", "--quiet", "--error-limit=no", "--num-callers=2")
"""Without the limit, later implementations of a process would have no errors."""
_END = "Process terminating"
"""Part of valgrind's line about a signal."""


@dataclass(frozen=True)
class Valgrind:
    """Valgrind of this machine."""

    path: str
    version: str

    @property
    def command(self) -> tuple[str, ...]:
        """The words before a program."""
        return self.path, *_OPTIONS


def find_valgrind() -> Valgrind | str:
    """Return the valgrind of this machine, or the reason why there is none."""
    path = shutil.which("valgrind")
    if path is None:
        return "valgrind is not installed; install the package valgrind"
    version = command_output(path, "--version")
    return Valgrind(path, version[:_REASON_CHARACTERS]) if version else "valgrind --version failed"


def examine(
    program: Program,
    names: Sequence[Name],
    observer: BuildObserver,
    under: Sequence[str] = (),
    seconds: float = BATCH_SECONDS,
) -> Mapping[Name, RunnerConstantTime | str]:
    """Return the report of each implementation, or the reason why there is none.

    under: command before the program. A program that ends early is executed again without the implementation at which
    it ended. Raises Interrupted.
    """
    found: dict[Name, RunnerConstantTime | str] = {}
    left, failures = list(names), 0
    while left:
        reports, reason = _execute(program, left, observer, under, seconds)
        found |= reports
        left = [name for name in left if name not in reports]
        if left:
            failures += 1
            ended = left if failures == _MAX_FAILURES else left[:1]
            found |= dict.fromkeys(ended, reason or "the program ended without a report")
            left = left[len(ended) :]
    return found


def _execute(
    program: Program, names: Sequence[Name], observer: BuildObserver, under: Sequence[str], seconds: float
) -> tuple[dict[Name, RunnerConstantTime], str]:
    """Return the reports of one process, and why it failed; empty if it did not."""
    lines: list[str] = []
    listed = ",".join(f"{algorithm}/{variant}" for algorithm, variant in names)
    command = [*under, *program.command, "constant-time", "--implementations", listed]
    reason = ""
    try:
        execute([*_tied_to_this_process(command[0]), *command], replace(observer, progress=lines.append), seconds)
    except (BuildFailed, OSError) as error:
        reason = _reason(lines, f"{program.name} constant-time failed: {error}")
        if under:
            # Valgrind simulates a processor with fewer features than the one that executed the same code.
            reason = reason.replace("this processor lacks", "the processor that valgrind simulates lacks")
    return {(one.algorithm, one.variant): one for line in lines if (one := _report(line)) is not None}, reason


def _tied_to_this_process(program: str) -> Sequence[str]:
    """Return words before a command that let the kernel kill it with this process: a paused one would stay forever.

    They are of util-linux, which every Debian has. Nothing without it, and before a program that cannot be executed,
    whose error is clearer.
    """
    path = shutil.which("setpriv")
    return (path, "--pdeathsig", "KILL") if path and shutil.which(program) else ()


def _report(line: str) -> RunnerConstantTime | None:
    try:
        return RunnerConstantTime.model_validate_json(line)
    except ValidationError:
        return None


def _reason(lines: Sequence[str], otherwise: str) -> str:
    """Return why a program failed: the sentence of its error, or the signal that valgrind names."""
    for line in reversed(lines):
        try:
            return ErrorLine.model_validate_json(line).detail[:_REASON_CHARACTERS]
        except ValidationError:
            if _END in line:
                return f"valgrind: {line[line.index(_END) :]}"[:_REASON_CHARACTERS]
    return otherwise.splitlines()[0][:_REASON_CHARACTERS]
