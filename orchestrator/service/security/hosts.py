"""Rules for the Host and Origin of requests: pages of other sites must not reach the service through a user's browser.

Another site can resolve its own name to this service's address (DNS rebinding), so the Host header must be a name or
address of this service. The browser reports in Origin and Sec-Fetch-Site which site started a request, so these must
be this service's own.
"""

import ipaddress
import re
import socket
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from orchestrator.service.problems import Problem, ProblemResponse, note_refusal, plain
from orchestrator.service.security.binding import is_loopback
from orchestrator.shared.settings import ServiceSettings

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class HostRules:
    """Host headers and origins that belong to this service."""

    names: frozenset[str]
    any_address: bool
    """Accept every IP address: DNS rebinding requires a name, and a service on a network has several addresses."""
    origins: frozenset[str] = field(default=frozenset())
    """Own origins in addition to that of the Host header (behind a proxy)."""

    def allows_host(self, host: str) -> bool:
        """Return whether a Host header without its port names this service."""
        if host in self.names:
            return True
        if not self.any_address:
            return False
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return False
        return True


def rules_for(settings: ServiceSettings) -> HostRules:
    """Return the rules for the listen address and the public URL of these settings."""
    names = set(_LOOPBACK_NAMES)
    origins: set[str] = set()
    if settings.public_url:
        public = urlsplit(settings.public_url)
        names.add(public.hostname or "")
        origins.add(f"{public.scheme}://{public.netloc}".lower())
    if is_loopback(settings.host):
        return HostRules(frozenset(names | {settings.host.strip("[]")}), any_address=False, origins=frozenset(origins))
    own = socket.gethostname().lower()
    short = own.partition(".")[0]
    names |= {settings.host.lower(), own, short, f"{short}.local"}
    return HostRules(frozenset(names), any_address=True, origins=frozenset(origins))


class HostGuard:
    """ASGI middleware that refuses requests with a foreign Host (421) or a foreign Origin (403)."""

    def __init__(self, app: ASGIApp, rules: HostRules) -> None:
        """Wrap an application."""
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request or pass it to the application."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            note_refusal(scope, refusal.detail)
            await ProblemResponse.of(refusal)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Problem | None:
        headers = Headers(scope=scope)
        path = str(scope["path"])
        host = headers.get("host", "")
        if not self._rules.allows_host(without_port(host)):
            remedy = "Use the service's own address; if it has another name, set CIPHERMARK_PUBLIC_URL."
            detail = f"The Host header {host[:100]!r} does not name this service."
            return plain(421, path, detail, remedy)
        origin = headers.get("origin")
        if origin is not None and not self._is_own(origin, host):
            detail = f"A page of {origin[:100]!r} must not use this service through a user's browser."
            return plain(403, path, detail, "Use the dashboard of this service or its API.")
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            detail = "A page of another site must not use this service through a user's browser."
            return plain(403, path, detail, "Use the dashboard of this service or its API.")
        return None

    def _is_own(self, origin: str, host: str) -> bool:
        origin = origin.lower()
        return origin in self._rules.origins or origin in (f"http://{host.lower()}", f"https://{host.lower()}")


_HOST = re.compile(r"(?P<name>[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?")
"""A name or an address, and a port; RFC 9110 permits no user information in a Host header."""


def without_port(host: str) -> str:
    """Return the name or address in a Host header, in lower case; empty if the header has another form."""
    found = _HOST.fullmatch(host)
    return found["name"].strip("[]").rstrip(".").lower() if found else ""
