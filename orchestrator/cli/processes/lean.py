"""Replacement of a command's process by one that takes less memory.

Typer and Rich with Pygments, which structlog and httpx import where they are installed, have no use in a program
without a terminal: with others that a process does not need they take 8 MiB of a daemon and 12 MiB of the service.
"""

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import cache_from_source
from pathlib import Path
from typing import NoReturn

from orchestrator.cli.exit_codes import ExitCode, exit_code
from orchestrator.shared.errors import CiphermarkError
from orchestrator.shared.processes import module_command

COMMAND_LINE = ("rich", "pygments", "typer")
"""Packages of the command line."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # of <malloc.h>
_THRESHOLD_BYTES = 128 * 1024
"""Default of glibc, which raises it to up to 64 MiB unless it is set."""


def become(module: str, *arguments: str, without_docstrings: bool = False) -> None:
    """Replace this process by ``python -m module arguments``; returns only if the system cannot execute Python again.

    That is an emulated device without binfmt_misc, where the caller continues in this process.
    arguments: those of the command, by which the process is recognized in lists. without_docstrings: leave them out,
    and assertions, if the bytecode is kept (see keeps_bytecode).
    """
    sys.stdout.flush()
    sys.stderr.flush()
    options = ["-OO"] if without_docstrings and keeps_bytecode() else []
    try:
        os.execv(sys.executable, [*module_command(module, *options), *arguments])  # noqa: S606 - no shell
    except OSError:
        return


def keeps_bytecode() -> bool:
    """Return whether bytecode without docstrings exists, or can be written once.

    Otherwise every start would compile all modules, which takes half a minute and more memory than the docstrings.
    """
    kept = Path(cache_from_source(sys.modules[CiphermarkError.__module__].__file__ or "", optimization=2))
    return kept.exists() or (os.access(kept.parent, os.W_OK) and not sys.dont_write_bytecode)


def run(program: Callable[[], None], *, arenas: int, unused: Sequence[str] = COMMAND_LINE) -> NoReturn:
    """Execute a program and exit with the code of ``ciphermark``.

    arenas: see return_memory_to_the_system. unused: packages that others import if they are installed.
    """
    return_memory_to_the_system(arenas)
    leave_out(unused)
    try:
        program()
    except CiphermarkError as error:
        sys.stderr.write(f"error: {error.detail}\n" + (f"{error.remedy}\n" if error.remedy else ""))
        sys.exit(exit_code(error))
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    sys.exit(ExitCode.OK)


def leave_out(packages: Sequence[str]) -> None:
    """Make packages that others import if they are installed look absent."""
    for name in packages:
        sys.modules[name] = None  # type: ignore[assignment]


def return_memory_to_the_system(arenas: int) -> None:
    """Let the C library keep less of the memory that a request or a job has released.

    By default each thread gets an arena of its own, up to 8 per core, and what a large answer leaves in one is never
    used by another. Other C libraries than glibc are left as they are.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(_M_ARENA_MAX, arenas)
        set_option(_M_MMAP_THRESHOLD, _THRESHOLD_BYTES)
        set_option(_M_TRIM_THRESHOLD, _THRESHOLD_BYTES)
