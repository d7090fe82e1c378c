"""A port for a service that is started again on it."""

import os
import socket
from pathlib import Path

_FIRST = 20_000
_DIFFERENT = 10_000
"""Number of ports at which the searches of different processes begin."""


def lasting_port() -> int:
    """Return a free port of this machine that the kernel assigns to no program by itself.

    A port that the kernel chose and that was closed again may belong to another program before the service binds it, or
    while the service is restarted.
    """
    automatic = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for port in range(_FIRST + os.getpid() % _DIFFERENT, automatic):
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
    raise AssertionError(f"no port from {_FIRST} to {automatic - 1} is free")
