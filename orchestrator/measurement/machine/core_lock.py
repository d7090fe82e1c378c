"""Lock of a measured core, so that no two daemons of a machine measure on it without a setting that permits it.

Every daemon binds a Unix socket with an abstract name that contains the core and its process id, and an exclusive one
binds the name without the process id, too. The kernel releases names when a process ends. They need no folder and no
permissions, so that daemons of different users see each other. Network namespaces separate them: a daemon in a
container with a network of its own is not seen.
"""

import errno
import os
import re
import socket
from pathlib import Path

from orchestrator.shared.closable import Closable
from orchestrator.shared.errors import SetupError

_PREFIX = "ciphermark-measured-core-"


class CoreLock(Closable):
    """Lock of one core, released when it is closed or the process ends."""

    def __init__(self, core: int, *, shared: bool = False) -> None:
        """Take the lock; raises SetupError if another process has the exclusive lock.

        shared: take no exclusive lock; other daemons may then measure on the core at the same time.
        """
        self._sockets: list[socket.socket] = []
        try:
            if not shared:
                self._sockets.append(_bound(f"{_PREFIX}{core}"))
            self._sockets.append(_bound(f"{_PREFIX}{core}-{os.getpid()}"))
        except OSError as error:
            self.close()
            if error.errno != errno.EADDRINUSE:
                raise SetupError(f"The measured core {core} cannot be locked: {error.strerror}.") from error
            holders = lock_holders(core, _unix_sockets())
            others = ", ".join(f"process {pid}" for pid in holders) or "its process is not visible here"
            raise SetupError(
                f"Core {core} is measured by another daemon of this machine ({others}).",
                remedy="Stop that daemon, select another core with CIPHERMARK_MEASURED_CORE, or share the core and "
                "accept disturbed results with CIPHERMARK_SHARE_CORE=true.",
            ) from error

    def close(self) -> None:
        """Release the lock."""
        for each in self._sockets:
            each.close()


def lock_holders(core: int, unix_sockets: str) -> list[int]:
    """Return the process ids of the daemons that measure on a core.

    unix_sockets: text of /proc/net/unix, in which a name of the abstract namespace begins with ``@``.
    """
    return sorted({int(pid) for pid in re.findall(rf"@{_PREFIX}{core}-(\d+)$", unix_sockets, re.MULTILINE)})


def _bound(name: str) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        bound.bind(f"\0{name}")
    except OSError:
        bound.close()
        raise
    return bound


def _unix_sockets() -> str:
    try:
        return Path("/proc/net/unix").read_text(errors="replace")
    except OSError:
        return ""
