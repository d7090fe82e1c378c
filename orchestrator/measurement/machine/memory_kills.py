"""Processes that the kernel ended for lack of memory, from the counter ``oom_kill`` in /proc/vmstat (Linux 4.13)."""

from orchestrator.measurement.machine.roots import KERNEL, Roots, read_text


class MemoryKills:
    """The kernel's counter, compared with its value at the last call.

    It is read only at the creation and after a runner was killed, so that executions cost nothing. It counts the kills
    of every control group, so the cause is probable, not certain.
    """

    def __init__(self, roots: Roots = KERNEL) -> None:
        """Read the counter."""
        self._path = roots.proc / "vmstat"
        self._last = self._count()

    def new(self) -> int:
        """Return the number of kills since the creation or the last call; 0 without the counter."""
        before, self._last = self._last, self._count()
        return max(0, self._last - before)

    def _count(self) -> int:
        for line in (read_text(self._path) or "").splitlines():
            name, _, value = line.partition(" ")
            if name == "oom_kill" and value.isdigit():
                return int(value)
        return 0
