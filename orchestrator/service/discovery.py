"""Announcement of a service on the local network (DNS-SD over multicast DNS), and the search for announced services.

An announcement is a convenience, not an identity: every machine of the network can send one.
"""

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from orchestrator.shared.errors import SetupError
from orchestrator.shared.extras import not_installed

if TYPE_CHECKING:
    from zeroconf import Zeroconf

SERVICE_TYPE = "_ciphermark._tcp.local."
_URL = "url"
_MAX_URL_BYTES = 200
_REQUEST_MS = 1000


def require_zeroconf() -> None:
    """Raise SetupError if the package zeroconf is not installed."""
    if find_spec("zeroconf") is None:
        raise not_installed("Announcing a service and finding one", "zeroconf", "discovery")


@contextmanager
def announced(url: str, interfaces: Sequence[str] = ()) -> Iterator[None]:
    """Announce the service at this URL until the end of the block.

    interfaces: addresses of the interfaces to use, by default all. Raises SetupError without zeroconf or a network.
    """
    require_zeroconf()
    from zeroconf import Error, ServiceInfo  # noqa: PLC0415 - an optional package

    parts = urlsplit(url)
    host = socket.gethostname().partition(".")[0]
    info = ServiceInfo(
        SERVICE_TYPE,
        f"Ciphermark on {host}.{SERVICE_TYPE}",
        port=parts.port or (443 if parts.scheme == "https" else 80),
        properties={_URL: url},
        server=f"{host}.local.",
        parsed_addresses=[_address(parts.hostname or "")],
    )
    try:
        network = _network(interfaces)
        network.register_service(info, allow_name_change=True)
    except (OSError, Error) as error:
        raise SetupError(
            f"The service cannot be announced: {error}.", remedy="Check the network, or start without --announce."
        ) from error
    try:
        yield
    finally:
        network.unregister_service(info)
        network.close()


def find_services(seconds: float, interfaces: Sequence[str] = ()) -> list[str]:
    """Return the URLs of the services that announce themselves within some seconds, sorted."""
    require_zeroconf()
    from zeroconf import ServiceBrowser, ServiceStateChange  # noqa: PLC0415 - an optional package

    found: set[str] = set()

    def note(zeroconf: "Zeroconf", service_type: str, name: str, state_change: Any) -> None:
        if state_change is not ServiceStateChange.Removed:
            info = zeroconf.get_service_info(service_type, name, _REQUEST_MS)
            url = _valid_url((info.properties or {}).get(_URL.encode())) if info else None
            if url is not None:
                found.add(url)

    try:
        network = _network(interfaces)
    except OSError as error:
        raise SetupError(f"This network cannot be searched: {error}.", remedy="Name the service: --server.") from error
    browser = ServiceBrowser(network, SERVICE_TYPE, handlers=[note])
    # Services answer when they like: several can be on one network, so the first answer does not end the search.
    threading.Event().wait(seconds)
    browser.cancel()
    network.close()
    return sorted(found)


def _network(interfaces: Sequence[str]) -> "Zeroconf":
    from zeroconf import InterfaceChoice, Zeroconf  # noqa: PLC0415 - an optional package

    return Zeroconf(interfaces=list(interfaces) or InterfaceChoice.All)


def _valid_url(value: bytes | None) -> str | None:
    """Return an announced URL if it is one; other machines of the network decide what it contains."""
    if value is None or len(value) > _MAX_URL_BYTES:
        return None
    try:
        url = value.decode("ascii")
        parts = urlsplit(url)
    except ValueError:
        return None
    plain = url.isprintable() and " " not in url
    return url if plain and parts.scheme in ("http", "https") and parts.hostname else None


def _address(host: str) -> str:
    """Return an address for the announcement, which requires one; clients use the URL."""
    for name in (host, socket.gethostname()):
        with suppress(OSError):
            return str(socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)[0][4][0])
    return "127.0.0.1"
