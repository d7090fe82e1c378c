"""Whether the kernel grants hardware cycle counters, asked by opening one."""

import ctypes
import os
import platform
import struct

# perf_event_open(2) has no wrapper in the C library. Source: the kernel's system call tables.
_SYSTEM_CALLS = {"x86_64": 298, "i686": 336, "aarch64": 241, "armv7l": 364, "armv6l": 364, "armv8l": 364}
_ATTRIBUTE_BYTES = 64  # PERF_ATTR_SIZE_VER0
_DISABLED_EXCLUDE_KERNEL_AND_HYPERVISOR = 0b1100001


def counters_refusal() -> str | None:
    """Open and close a counter of user-mode cycles; return None when that works, else the kernel's words."""
    number = _SYSTEM_CALLS.get(platform.machine())
    if number is None:
        return f"no system call number is known for {platform.machine()}"
    # type PERF_TYPE_HARDWARE, size, config PERF_COUNT_HW_CPU_CYCLES, period, sample_type, read_format, flags
    attributes = struct.pack("=IIQQQQQ", 0, _ATTRIBUTE_BYTES, 0, 0, 0, 0, _DISABLED_EXCLUDE_KERNEL_AND_HYPERVISOR)
    buffer = ctypes.create_string_buffer(attributes.ljust(_ATTRIBUTE_BYTES, b"\0"), _ATTRIBUTE_BYTES)
    library = ctypes.CDLL(None, use_errno=True)
    descriptor = library.syscall(number, buffer, 0, -1, -1, 0)
    if descriptor < 0:
        return f"perf_event_open: {os.strerror(ctypes.get_errno())}"
    os.close(descriptor)
    return None
