"""Replacement of a command's process by one without the packages of the command line.

Typer and Rich with Pygments, which structlog and httpx import where they are installed, have no use in a program
without a terminal: with others that a process does not need they take 8 MiB of a daemon and 12 MiB of the service.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from orchestrator.cli.exit_codes import ExitCode, exit_code
from orchestrator.errors import CiphermarkError

COMMAND_LINE = ("rich", "pygments", "typer")
"""Packages of the command line."""


def become(
    module: str, *arguments: str, python: tuple[str, ...] = (), variables: Mapping[str, str] | None = None
) -> None:
    """Replace this process by ``python -m module arguments``; returns only if the system cannot execute Python again.

    That is an emulated device without binfmt_misc, where the caller continues in this process.
    arguments: those of the command, by which the process is recognized in lists. python: options of the interpreter.
    variables: added to the environment, unless they are set.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    environment = {**(variables or {}), **os.environ}
    try:
        os.execve(sys.executable, [sys.executable, *python, "-m", module, *arguments], environment)  # noqa: S606
    except OSError:
        return


def run(program: Callable[[], None], unused: Sequence[str] = COMMAND_LINE) -> NoReturn:
    """Execute a program and exit with the code of ``ciphermark``.

    unused: packages that others import if they are installed; None in ``sys.modules`` makes them look absent.
    """
    for name in unused:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        program()
    except CiphermarkError as error:
        sys.stderr.write(f"error: {error.detail}\n" + (f"{error.remedy}\n" if error.remedy else ""))
        sys.exit(exit_code(error))
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    sys.exit(ExitCode.OK)
