"""What the kernel says about its clock: whether anybody keeps it, and how far wall clock and time since boot differ."""

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
        # The rest is not read: its size is what counts.
        ("rest", ctypes.c_byte * 256),
    ]


@dataclass(frozen=True)
class KernelClock:
    """The kernel's clock at one moment."""

    kept: bool
    """A time service (NTP, PTP) disciplines it."""
    frequency_ppm: float
    """What the time service adds to the clock's rate, CLOCK_MONOTONIC included."""
    wall_minus_boot_ns: int
    """CLOCK_REALTIME less CLOCK_BOOTTIME: both are slewed alike, so only a jump of the wall clock changes it."""


def read_kernel_clock() -> KernelClock | None:
    """Ask adjtimex(2), which changes nothing with modes 0; None where the C library or a sandbox refuses."""
    timex = _Timex()
    try:
        state = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex))
    except (OSError, AttributeError):
        return None
    if state < 0:
        return None
    # The kernel's frequency has 16 binary places.
    kept = state != _TIME_ERROR and not timex.status & _STA_UNSYNC
    offsets = read_clocks()
    return KernelClock(kept, timex.freq / 65536, offsets.realtime_ns - offsets.boottime_ns)
