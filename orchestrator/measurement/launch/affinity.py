"""Which core is measured, and that everything of ours stays off it."""

import os
from contextlib import suppress
from pathlib import Path

from orchestrator.errors import SetupError


def choose_measured_core(wanted: int | None) -> int:
    """Return the wanted core, or the highest-numbered one that this process may use.

    Raises SetupError when the wanted core is not there. The highest-numbered core is the one that boot code,
    interrupts and desktop programs use least.
    """
    allowed = sorted(os.sched_getaffinity(0))
    if wanted is None:
        return allowed[-1]
    if wanted not in allowed:
        raise SetupError(
            f"Core {wanted} cannot be measured: this process may use {allowed}.",
            remedy="Set CIPHERMARK_MEASURED_CORE to one of these.",
        )
    return wanted


def leave_core(measured_core: int) -> bool:
    """Move every thread of this process, and the threads and children they start later, to the other cores.

    Returns False on a machine with one core: there the monitor shares it with the runner.
    """
    others = os.sched_getaffinity(0) - {measured_core}
    if not others:
        return False
    for thread in Path("/proc/self/task").iterdir():
        with suppress(ProcessLookupError):  # it ended meanwhile
            os.sched_setaffinity(int(thread.name), others)
    return True
