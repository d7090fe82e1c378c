"""Addresses that webhooks may reach: public ones, and the hosts that the operator allows.

A webhook is a request of the service from inside its network. Without this check a submitter could reach devices and
metadata services that trust that network.
"""

import ipaddress
import socket
from collections.abc import Collection

from orchestrator.errors import InvalidRequest

SETTING = "CIPHERMARK_WEBHOOK_HOSTS"
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""Addresses that a gateway translates to IPv4, RFC 6052."""


def allowed_hosts(setting: str | None) -> frozenset[str]:
    """Return the hosts of a setting, in lower case: ``ci.lan, 192.168.1.5``."""
    return frozenset(host.strip().lower() for host in (setting or "").split(",") if host.strip())


def reachable_addresses(host: str, port: int, allowed: Collection[str]) -> list[str]:
    """Return the addresses of a host that a webhook may connect to.

    The connection must use one of them: a second resolution of the name could return another one (DNS rebinding).
    Raises InvalidRequest for a host without addresses, and for a private one that the operator does not allow.
    """
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
    private = [one for one in addresses if not _is_public(one)]
    if private or not addresses:
        raise InvalidRequest(
            f"The host of the webhook, {host[:80]!r}, has the address {', '.join(private[:3]) or 'none'}, which is not "
            "public. Webhooks to private addresses are refused.",
            remedy=f"Let the operator of the service allow it: {SETTING}={host[:80]}.",
        )
    return addresses


def _is_public(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    embedded = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
    if address in _NAT64:
        embedded = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return (embedded or address).is_global and not address.is_multicast
