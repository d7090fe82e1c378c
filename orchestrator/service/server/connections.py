"""The open connections of the server: how many there may be, and which one makes room for a new one. Pure."""

from collections import Counter, OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

Connection = TypeVar("Connection", bound=Hashable)


@dataclass(frozen=True)
class ConnectionLimits:
    """Numbers of open connections, and the times after which one is closed."""

    total: int = 12_000
    of_address: int = 2_000
    """Many agents can share the address of a router."""
    head_seconds: float = 10.0
    """For the request line and the headers, from the connection or from their first byte."""
    discard_seconds: float = 10.0
    """For the rest of a refused body, after the response: a reset would destroy the response on its way."""
    discard_bytes: int = 128 * 1024 * 1024
    write_seconds: float = 30.0
    """For a client that does not read what it requested."""


class ConnectionTable(Generic[Connection]):
    """Open connections by address, and the idle ones in the order in which they became idle.

    Idle is a connection without a request: one that has sent nothing yet, or waits for the next request.
    """

    def __init__(self, limits: ConnectionLimits) -> None:
        """Start without connections."""
        self._limits = limits
        self._address_of: dict[Connection, str] = {}
        self._count_of: Counter[str] = Counter()
        self._idle: OrderedDict[Connection, None] = OrderedDict()
        self._idle_of: dict[str, OrderedDict[Connection, None]] = {}

    def __len__(self) -> int:
        """Return the number of open connections."""
        return len(self._address_of)

    def __contains__(self, connection: Connection) -> bool:
        """Return whether a connection is open."""
        return connection in self._address_of

    def connections(self) -> list[Connection]:
        """Return all open connections."""
        return list(self._address_of)

    def full(self, address: str) -> str | None:
        """Return which limit a new connection of this address would break: ``address``, ``total`` or None."""
        if self._count_of[address] >= self._limits.of_address:
            return "address"
        return "total" if len(self) >= self._limits.total else None

    def replaceable(self, address: str, limit: str) -> Connection | None:
        """Return the connection that has been idle for longest, within this address if its own limit is reached."""
        among = self._idle_of.get(address) if limit == "address" else self._idle
        return next(iter(among), None) if among else None

    def add(self, connection: Connection, address: str) -> None:
        """Add a connection, which is idle at first."""
        self._address_of[connection] = address
        self._count_of[address] += 1
        self.set_idle(connection)

    def remove(self, connection: Connection) -> None:
        """Remove a connection; repeating this is not an error."""
        self.set_busy(connection)
        address = self._address_of.pop(connection, None)
        if address is not None:
            self._count_of[address] -= 1
            if not self._count_of[address]:
                del self._count_of[address]

    def set_idle(self, connection: Connection) -> None:
        """Note that a connection has no request any more."""
        address = self._address_of.get(connection)
        if address is not None and connection not in self._idle:
            self._idle[connection] = None
            self._idle_of.setdefault(address, OrderedDict())[connection] = None

    def set_busy(self, connection: Connection) -> None:
        """Note that a connection has a request."""
        if connection not in self._idle:
            return
        del self._idle[connection]
        address = self._address_of[connection]
        del self._idle_of[address][connection]
        if not self._idle_of[address]:
            del self._idle_of[address]
