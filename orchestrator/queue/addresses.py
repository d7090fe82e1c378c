"""Addresses of Redis, converted to the URL formats of the settings, redis-py, and Celery.

The three formats are ``redis://host:port/0``, ``rediss://host:port/0`` (TLS), and ``redis+socket:///path`` (a Unix
socket); each may contain ``user:password@``.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Self
from urllib.parse import quote, unquote, urlsplit

from orchestrator.shared.errors import SetupError

if TYPE_CHECKING:
    import redis

Scheme = Literal["redis", "rediss", "redis+socket"]
DEFAULT_PORT = 6379
SOCKET_SECONDS = 3.0
"""Timeout of a Redis command, so that a network that drops packets does not block a tick."""
_NETWORK = ("redis", "rediss")
_SOCKET = ("redis+socket", "unix")


@dataclass(frozen=True, repr=False)
class BrokerAddress:
    """Address of a Redis server, with credentials."""

    scheme: Scheme
    host: str = ""
    port: int = DEFAULT_PORT
    path: str = ""  # of the Unix socket
    database: int = 0
    username: str = ""
    password: str = ""

    @classmethod
    def parse(cls, url: str) -> Self:
        """Return the address in a URL; raises SetupError if it has none of the three formats."""
        try:
            parts = urlsplit(url)
            port = parts.port or DEFAULT_PORT
            database = int(parts.path.strip("/") or 0) if parts.scheme in _NETWORK else 0
        except ValueError as error:
            raise _invalid_address(url) from error
        login = unquote(parts.username or ""), unquote(parts.password or "")
        if parts.scheme in _NETWORK and parts.hostname:
            scheme: Scheme = "redis" if parts.scheme == "redis" else "rediss"
            return cls(scheme, parts.hostname, port, database=database).logged_in(*login)
        if parts.scheme in _SOCKET and parts.path.startswith("/"):
            return cls("redis+socket", path=unquote(parts.path)).logged_in(*login)
        raise _invalid_address(url)

    def logged_in(self, username: str, password: str) -> Self:
        """Return the same address with other credentials."""
        return replace(self, username=username, password=password)

    def public(self) -> Self:
        """Return the same address without credentials, for logs and for agents."""
        return replace(self, username="", password="")

    @property
    def is_socket(self) -> bool:
        """True for a Unix socket, which only this machine can reach."""
        return self.scheme == "redis+socket"

    @property
    def url(self) -> str:
        """URL in settings and messages."""
        return f"{self.scheme}://{self._place}"

    @property
    def redis_url(self) -> str:
        """URL for redis-py."""
        return f"unix://{self._place}" if self.is_socket else self.url

    @property
    def celery_url(self) -> str:
        """URL for Celery with the transport of this package (see transport.py)."""
        return f"ciphermark+socket://{self._place}" if self.is_socket else self.url

    def client(self, timeout_seconds: float = SOCKET_SECONDS) -> "redis.Redis":
        """Return a client with these credentials; nothing is sent yet."""
        import redis  # noqa: PLC0415 - it takes 9 MiB, and most programs that have an address need no client

        # redis-py has no timeout for connecting to a Unix socket, and connecting to one does not block.
        connecting = {} if self.is_socket else {"socket_connect_timeout": timeout_seconds}
        return redis.Redis.from_url(self.redis_url, socket_timeout=timeout_seconds, **connecting)

    @property
    def _place(self) -> str:
        login = f"{quote(self.username, safe='')}:{quote(self.password, safe='')}@" if self.password else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{login}{quote(self.path)}" if self.is_socket else f"{login}{host}:{self.port}/{self.database}"

    def __repr__(self) -> str:
        return f"BrokerAddress({self.public().url!r})"


def _invalid_address(url: str) -> SetupError:
    # An invalid URL may contain a password, so only its scheme is repeated.
    scheme, separator, _ = url.partition("://")
    return SetupError(
        f"The URL with the scheme {scheme[:20] if separator else ''!r} is not an address of Redis.",
        remedy="Write redis://host:port/0, rediss://host:port/0 or redis+socket:///path.",
        field="redis_url",
    )
