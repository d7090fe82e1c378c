"""Host and Origin of every request: no web page may use a visitor's browser to talk to this service.

A page can make its own name point here (DNS rebinding), so the Host must be a name or address of ours; and a browser
says in Origin and Sec-Fetch-Site whose page started a request, so that must be ours too.
"""

import ipaddress
import socket
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from orchestrator.problems import ProblemResponse, plain
from orchestrator.security.binding import is_loopback
from orchestrator.settings import ServiceSettings

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class HostRules:
    """Which Host headers name this service."""

    names: frozenset[str]
    any_address: bool
    """IP addresses cannot be rebound, so a service that listens on a network takes every one of its own."""
    origins: frozenset[str] = field(default=frozenset())
    """Origins that are ours beside that of the Host header (behind a proxy)."""

    def allows_host(self, host: str) -> bool:
        """Tell whether this Host header, port left off, names this service."""
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
    """Return the rules that follow from where this service listens and what it calls itself."""
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
    """Refuses requests whose Host is not ours (421) or whose Origin is not ours (403)."""

    def __init__(self, app: ASGIApp, rules: HostRules) -> None:
        """Stand in front of this application."""
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then pass on."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await refusal(scope, receive, send)

    def _refusal(self, scope: Scope) -> ProblemResponse | None:
        headers = Headers(scope=scope)
        path = str(scope["path"])
        host = headers.get("host", "")
        if not self._rules.allows_host(_without_port(host)):
            remedy = "Use this service's own address; where it has another name, set CIPHERMARK_PUBLIC_URL."
            detail = f"The Host header {host[:100]!r} does not name this service."
            return ProblemResponse.of(plain(421, path, detail, remedy))
        origin = headers.get("origin")
        if origin is not None and not self._is_own(origin, host):
            detail = f"A page of {origin[:100]!r} may not use this service through a visitor's browser."
            return ProblemResponse.of(plain(403, path, detail, "Use the dashboard of this service, or the API."))
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            detail = "A page of another site may not use this service through a visitor's browser."
            return ProblemResponse.of(plain(403, path, detail, "Use the dashboard of this service, or the API."))
        return None

    def _is_own(self, origin: str, host: str) -> bool:
        origin = origin.lower()
        return origin in self._rules.origins or origin in (f"http://{host.lower()}", f"https://{host.lower()}")


def _without_port(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""
