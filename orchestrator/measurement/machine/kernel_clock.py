"""State of the kernel's clock: whether a time service adjusts it, and its distance from the time since boot."""

import ctypes
from dataclasses import dataclass

from orchestrator.measurement.machine.clocks import read_clocks

_TIME_ERROR = 5
_STA_UNSYNC = 0x0040
# Source: adjtimex(2). The C library's plain symbol has longs of the machine's width, on 32 bits too.
_LONG, _INT = ctypes.c_long, ctypes.c_int


class _Timex(ctypes.Structure):
    _fields_ = [
        ("modes", ctypes.c_uint),
        ("offset", _LONG),
        ("freq", _LONG),
        ("maxerror", _LONG),
        ("esterror", _LONG),
        ("status", _INT),
        # The remaining fields are not read, but the kernel writes them.
        ("rest", ctypes.c_byte * 256),
    ]


@dataclass(frozen=True)
class KernelClock:
    """The kernel's clock at one moment."""

    synchronized: bool
    """Whether a time service (NTP, PTP) adjusts the clock."""
    frequency_ppm: float
    """Correction of the clock's rate by the time service; it applies to CLOCK_MONOTONIC, too."""
    wall_minus_boot_ns: int
    """CLOCK_REALTIME less CLOCK_BOOTTIME. Both are slewed alike, so that only a jump of the wall clock changes it."""


def read_kernel_clock() -> KernelClock | None:
    """Return the state of the clock, or None if adjtimex(2) is missing or not permitted.

    With modes 0, adjtimex(2) changes nothing.
    """
    timex = _Timex()
    try:
        state = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex))
    except (OSError, AttributeError):
        return None
    if state < 0:
        return None
    # The kernel's frequency has 16 binary places.
    synchronized = state != _TIME_ERROR and not timex.status & _STA_UNSYNC
    offsets = read_clocks()
    return KernelClock(synchronized, timex.freq / 65536, offsets.realtime_ns - offsets.boottime_ns)
