"""Choice of the measured core, and keeping this process off it."""

import os
from contextlib import suppress
from pathlib import Path

from orchestrator.shared.errors import SetupError


def choose_measured_core(requested: int | None) -> int:
    """Return the requested core, or the highest-numbered one that this process may use.

    Raises SetupError if this process may not use the requested core. Boot code, interrupts and desktop programs use the
    highest-numbered core least.
    """
    allowed = sorted(os.sched_getaffinity(0))
    if requested is None:
        return allowed[-1]
    if requested not in allowed:
        raise SetupError(
            f"Core {requested} cannot be measured: this process may use {allowed}.",
            remedy="Select one of these: 'measure' by --core, other commands by CIPHERMARK_MEASURED_CORE.",
        )
    return requested


def leave_core(measured_core: int) -> bool:
    """Move every thread of this process, and threads and children started later, to the other cores.

    Returns False on a machine with one core, where the monitor shares it with the runner.
    """
    others = os.sched_getaffinity(0) - {measured_core}
    if not others:
        return False
    for thread in Path("/proc/self/task").iterdir():
        with suppress(ProcessLookupError):  # The thread has ended.
            os.sched_setaffinity(int(thread.name), others)
    return True
