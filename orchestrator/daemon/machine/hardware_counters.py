"""Hardware and software counters that the kernel grants, found by opening one of each kind."""

import ctypes
import os
import platform
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.wire.agents import GRANTED

# perf_event_open(2) has no wrapper in the C library. Source: the kernel's system call tables.
_SYSTEM_CALLS = {"x86_64": 298, "i686": 336, "aarch64": 241, "armv7l": 364, "armv6l": 364, "armv8l": 364}
_ATTRIBUTE_BYTES = 64  # PERF_ATTR_SIZE_VER0
_DISABLED_EXCLUDE_HYPERVISOR = 0b1000001
_EXCLUDE_KERNEL = 0b0100000
_HARDWARE, _SOFTWARE = 0, 1


@dataclass(frozen=True)
class _Event:
    """Type and configuration of a counter. Source: <linux/perf_event.h>."""

    type: int
    config: int
    user_mode_alone: bool = True


# As in runners/src/measure/counters/counter_group.cpp. Context switches and migrations happen inside the kernel;
# counted in user mode alone, both are always 0.
_EVENTS: Mapping[str, _Event] = {
    "cycles": _Event(_HARDWARE, 0),
    "instructions": _Event(_HARDWARE, 1),
    "branch-misses": _Event(_HARDWARE, 5),
    "cache-misses": _Event(_HARDWARE, 3),
    "task-clock": _Event(_SOFTWARE, 1),
    "page-faults": _Event(_SOFTWARE, 2),
    "context-switches": _Event(_SOFTWARE, 3, user_mode_alone=False),
    "cpu-migrations": _Event(_SOFTWARE, 4, user_mode_alone=False),
}


def find_counters() -> dict[str, str]:
    """Return, for each counter, GRANTED or the kernel's error message."""
    return {name: _open_error(event) or GRANTED for name, event in _EVENTS.items()}


def _open_error(event: _Event) -> str | None:
    number = _SYSTEM_CALLS.get(platform.machine())
    if number is None:
        return f"the number of the system call perf_event_open is unknown for {platform.machine()}"
    flags = _DISABLED_EXCLUDE_HYPERVISOR | (_EXCLUDE_KERNEL if event.user_mode_alone else 0)
    # type, size, config, period, sample_type, read_format, flags
    attributes = struct.pack("=IIQQQQQ", event.type, _ATTRIBUTE_BYTES, event.config, 0, 0, 0, flags)
    buffer = ctypes.create_string_buffer(attributes.ljust(_ATTRIBUTE_BYTES, b"\0"), _ATTRIBUTE_BYTES)
    library = ctypes.CDLL(None, use_errno=True)
    descriptor = library.syscall(number, buffer, 0, -1, -1, 0)
    if descriptor < 0:
        return f"perf_event_open: {os.strerror(ctypes.get_errno())}"
    os.close(descriptor)
    return None
