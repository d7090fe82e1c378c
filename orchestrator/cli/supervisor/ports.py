"""Choice of the ports to listen on, and of the address that other machines use."""

import errno
import socket
from dataclasses import dataclass

from orchestrator.shared.errors import SetupError


@dataclass(frozen=True)
class Port:
    """A port that was free when it was checked."""

    number: int
    requested_was_taken: bool = False


def choose_port(host: str, requested: int) -> Port:
    """Return the requested port, or a free one if it is taken; 0 requests any free port.

    Raises SetupError if this machine does not have the address or the port is not permitted.
    """
    try:
        return Port(_bind(host, requested))
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise SetupError(
                f"Cannot listen on {host} port {requested}: {error.strerror}.",
                remedy="Specify an address of this machine and a port above 1023.",
            ) from error
    return Port(_bind(host, 0), requested_was_taken=True)


def _bind(host: str, port: int) -> int:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        # As uvicorn and Redis do: lingering connections of a former listener do not block the port.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        number: int = listener.getsockname()[1]
        return number


def address_for_others(host: str) -> str:
    """Return the address at which other machines reach a listener on this host; resolves 0.0.0.0 and ::."""
    if host not in {"0.0.0.0", "::"}:  # noqa: S104 - compared, not bound
        return host
    family, target = (socket.AF_INET6, "2001:db8::1") if host == "::" else (socket.AF_INET, "192.0.2.1")
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket only selects a route; the targets are documentation addresses
            # (RFC 5737, RFC 3849).
            probe.connect((target, 9))
        except OSError:
            return socket.gethostname()
        address: str = probe.getsockname()[0]
        return address
