"""Which ports to listen on."""

import errno
import socket
from dataclasses import dataclass

from orchestrator.errors import SetupError


@dataclass(frozen=True)
class Port:
    """A port that was free a moment ago."""

    number: int
    wanted_was_taken: bool = False


def choose_port(host: str, wanted: int) -> Port:
    """Return the wanted port, or a free one when it is taken; 0 asks for any free one.

    Raises SetupError when this machine has no such address.
    """
    try:
        return Port(_try(host, wanted))
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise SetupError(
                f"Nothing can listen on {host} port {wanted}: {error.strerror}.",
                remedy="Name an address of this machine and a port above 1023.",
            ) from error
    return Port(_try(host, 0), wanted_was_taken=True)


def _try(host: str, port: int) -> int:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        # As uvicorn and Redis do: connections of a former listener that linger do not make the port taken.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        number: int = listener.getsockname()[1]
        return number


def address_for_others(host: str) -> str:
    """Return the address under which other machines reach a listener on this host (0.0.0.0 is none)."""
    if host not in {"0.0.0.0", "::"}:  # noqa: S104 - compared, not bound
        return host
    family, target = (socket.AF_INET6, "2001:db8::1") if host == "::" else (socket.AF_INET, "192.0.2.1")
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            # Choosing a route for a datagram sends nothing; the targets are documentation addresses (RFC 5737, 3849).
            probe.connect((target, 9))
        except OSError:
            return socket.gethostname()
        address: str = probe.getsockname()[0]
        return address
