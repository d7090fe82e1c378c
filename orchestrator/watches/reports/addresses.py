"""Addresses that webhooks may reach: public ones, and the hosts that the operator allows.

A webhook is a request of the service from inside its network. Without this check a submitter could reach devices and
metadata services that trust that network.
"""

import ipaddress
import socket
from collections.abc import Collection

from orchestrator.shared.errors import InvalidRequest

SETTING = "CIPHERMARK_WEBHOOK_HOSTS"
PORTS = (443, 8443)
"""Ports of webhooks; on others an operator's own services listen."""
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""Addresses that a gateway translates to IPv4, RFC 6052."""
_GLOBAL = ipaddress.IPv6Network("2000::/3")
"""Global unicast addresses, RFC 4291. Outside are those that contain an IPv4 address in other ways (RFC 2765, 8215)."""


def allowed_hosts(setting: str | None) -> frozenset[str]:
    """Return the hosts of a setting, in lower case: ``ci.lan, 192.168.1.5``."""
    return frozenset(host.strip().lower() for host in (setting or "").split(",") if host.strip())


def reachable_addresses(host: str, port: int, allowed: Collection[str]) -> list[str]:
    """Return the addresses of a host that a webhook may connect to.

    The connection must use one of them: a second resolution of the name could return another one (DNS rebinding).
    Raises InvalidRequest for a host without addresses, and for a private one or another port that the operator does not
    allow. Its message contains no address, which would reveal what names of the service's network mean.
    """
    if host.lower() not in allowed and port not in PORTS:
        raise InvalidRequest(
            f"Port {port} cannot be that of a webhook; expected is {' or '.join(map(str, PORTS))}.",
            remedy=f"Let the operator of the service allow the host: {SETTING}={host[:80]}.",
        )
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise InvalidRequest(
            f"The host of the webhook, {host[:80]!r}, cannot be resolved: {error}.",
            remedy="Check its name, and the name server of the service's machine.",
        ) from error
    addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
    if host.lower() in allowed:
        return addresses
    if not addresses or not all(map(_is_public, addresses)):
        raise InvalidRequest(
            f"The host of the webhook, {host[:80]!r}, has an address which is not public. Webhooks to private "
            "addresses are refused.",
            remedy=f"Let the operator of the service allow it: {SETTING}={host[:80]}.",
        )
    return addresses


def _is_public(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    embedded = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
    if address in _NAT64:
        embedded = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    if embedded is None and isinstance(address, ipaddress.IPv6Address) and address not in _GLOBAL:
        return False
    return (embedded or address).is_global and not address.is_multicast
