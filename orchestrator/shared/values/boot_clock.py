"""A clock that no change of the wall clock moves: CLOCK_BOOTTIME, which also counts while the machine is suspended."""

import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class BootTime:
    """A moment of one boot of one machine; moments of different boots cannot be compared."""

    boot_id: str
    at_ns: int

    def since(self, earlier_boot_id: str | None, earlier_ns: int | None) -> int | None:
        """Return the nanoseconds since an earlier moment; None if it belongs to another boot or machine."""
        if earlier_ns is None or earlier_boot_id != self.boot_id or not self.boot_id:
            return None
        return self.at_ns - earlier_ns


def boot_time() -> BootTime:
    """Return the present moment."""
    return BootTime(_boot_id(), time.clock_gettime_ns(time.CLOCK_BOOTTIME))


@cache
def _boot_id() -> str:
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""  # Moments are never compared then.
