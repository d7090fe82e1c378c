"""Bounded work: what cannot begin in time is refused immediately, with the pause after which it may be repeated."""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from orchestrator.shared.errors import Overloaded, TooManyRequests
from orchestrator.shared.units import MIB

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
Block = TypeVar("Block")

STREAM_THREADS = 4
"""Threads that make blocks of downloads at the same time. With those of the gate, less than half of all threads."""


class WorkSlots:
    """Slots for expensive work in threads; a caller waits for one for a short time only."""

    def __init__(self, slots: int, wait_seconds: float, retry_after_seconds: int, work: str) -> None:
        """Allow this many pieces of work at the same time.

        work: noun phrase for messages, in the plural.
        """
        self._semaphore = threading.BoundedSemaphore(slots)
        self._wait_seconds = wait_seconds
        self._retry_after_seconds = retry_after_seconds
        self._work = work

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Hold a slot during the block; raise Overloaded if none becomes free in time."""
        if not self._semaphore.acquire(timeout=self._wait_seconds):
            raise Overloaded(
                f"The service is busy with other {self._work}.",
                remedy=f"Send the request again in {self._retry_after_seconds} s.",
                retry_after_seconds=self._retry_after_seconds,
            )
        try:
            yield
        finally:
            self._semaphore.release()


def never_refused(endpoint: Endpoint) -> Endpoint:
    """Mark an endpoint that costs nothing itself and is executed in the event loop, so that it passes the gate."""
    endpoint.__never_refused__ = True  # type: ignore[attr-defined]
    return endpoint


def is_never_refused(endpoint: Callable[..., Any]) -> bool:
    """Return whether an endpoint is marked with `never_refused`."""
    return bool(getattr(endpoint, "__never_refused__", False))


@dataclass(frozen=True)
class GateLimits:
    """Requests that are processed, and that wait, at the same time."""

    running: int = 14
    """One less than the connections to the database: none waits for one. The last is that of the event streams."""
    reserved: int = 4
    """Among them for daemons: an overload by pages must not make agents appear dead."""
    waiting: int = 100
    wait_seconds: float = 2.0
    """The deadline: a longer wait ends with a refusal, while its client is still there."""
    retry_after_seconds: int = 2


@dataclass(frozen=True)
class CallerLimits:
    """Requests of one caller that are processed, and that wait for a place, at the same time; daemons have no limit."""

    running: int = 3
    """Answers compute with Python's lock held: more at the same time finish no earlier, and slow the event loop."""
    waiting: int = 20
    wait_seconds: float = 30.0
    """A waiting request holds no thread, and a browser has six at the most. On a small server, a chart of a large run
    takes ten seconds."""
    retry_after_seconds: int = 2


@dataclass(frozen=True)
class BodyLimits:
    """Bytes of request bodies in memory at the same time."""

    total_bytes: int = 64 * MIB
    """The longest record and some batches of daemons. Parsed bodies take a multiple; few are parsed at a time."""
    reserved_bytes: int = 16 * MIB
    """Among them for short bodies: records and plans must not stop heartbeats and claims."""
    retry_after_seconds: int = 5


class BodyBudget:
    """Bytes of all request bodies that are in memory. Used in one event loop."""

    def __init__(self, limits: BodyLimits | None = None) -> None:
        """Start without bodies."""
        self._limits = limits or BodyLimits()
        self._held_bytes = 0

    @contextmanager
    def share(self, *, is_short: bool) -> Iterator[Callable[[int], None]]:
        """Yield a function to call with the length of each arriving part of one body; it raises Overloaded.

        The bytes count until the end of the block. is_short: whether the body may use what is reserved for short ones.
        """
        limit = self._limits.total_bytes - (0 if is_short else self._limits.reserved_bytes)
        taken_bytes = 0

        def take(part_bytes: int) -> None:
            nonlocal taken_bytes
            if self._held_bytes + part_bytes > limit:
                seconds = self._limits.retry_after_seconds
                raise Overloaded(
                    "The service has more bytes of requests in memory than it allows.",
                    remedy=f"Send the request again in {seconds} s, or send less at the same time.",
                    retry_after_seconds=seconds,
                )
            self._held_bytes += part_bytes
            taken_bytes += part_bytes

        try:
            yield take
        finally:
            self._held_bytes -= taken_bytes


class CallerShares:
    """Places of each caller, so that one with many requests does not hold up the others. Used in one event loop."""

    def __init__(self, limits: CallerLimits | None = None) -> None:
        """Start without requests."""
        self._limits = limits or CallerLimits()
        self._shares: dict[str, _Share] = {}

    def requests(self, owner: str) -> int:
        """Return how many requests of a caller run or wait."""
        return self._shares[owner].requests if owner in self._shares else 0

    @asynccontextmanager
    async def taken(self, owner: str) -> AsyncIterator[None]:
        """Hold one of the caller's places during the block; raise TooManyRequests if none becomes free in time.

        owner: token, session or address.
        """
        limits = self._limits
        share = self._shares.setdefault(owner, _Share(asyncio.Semaphore(limits.running)))
        if share.requests >= limits.running + limits.waiting:
            raise self._refusal(f"{limits.waiting} more are waiting")
        share.requests += 1
        try:
            try:
                async with asyncio.timeout(limits.wait_seconds):
                    await share.places.acquire()
            except TimeoutError:
                raise self._refusal(f"none of them ended within {limits.wait_seconds:g} s") from None
            try:
                yield
            finally:
                share.places.release()
        finally:
            share.requests -= 1
            if not share.requests:
                del self._shares[owner]

    def _refusal(self, state: str) -> TooManyRequests:
        seconds = self._limits.retry_after_seconds
        return TooManyRequests(
            f"The service processes {self._limits.running} requests of one caller at the same time, and {state}.",
            remedy=f"Send the request again in {seconds} s, or send fewer at the same time.",
            retry_after_seconds=seconds,
        )


@dataclass
class _Share:
    places: asyncio.Semaphore
    requests: int = 0


class RequestGate:
    """Admission of requests to the threads and the database. Used in one event loop."""

    def __init__(self, limits: GateLimits | None = None) -> None:
        """Start without requests."""
        self.bodies = BodyBudget()
        self.callers = CallerShares()
        self._streams = asyncio.Semaphore(STREAM_THREADS)
        self._limits = limits or GateLimits()
        self._running = 0
        self._waiting_daemons: deque[asyncio.Future[None]] = deque()
        self._waiting_others: deque[asyncio.Future[None]] = deque()

    @property
    def running(self) -> int:
        """Number of requests inside."""
        return self._running

    @asynccontextmanager
    async def entered(self, of_daemon: bool) -> AsyncIterator[None]:
        """Process a request during the block; raise Overloaded if it cannot begin in time.

        of_daemon: whether it is a request of an agent's daemon, which precedes all others.
        """
        if self._is_open(of_daemon):
            self._running += 1
        else:
            await self._wait(of_daemon)
        try:
            yield
        finally:
            self._running -= 1
            self._admit()

    async def streamed(self, blocks: AsyncIterable[Block]) -> AsyncIterator[Block]:
        """Yield the blocks of a download, which threads make while it is sent; few downloads make one together."""
        parts = aiter(blocks)
        while True:
            async with self._streams:
                try:
                    block = await anext(parts)
                except StopAsyncIteration:
                    return
            yield block

    def _is_open(self, of_daemon: bool) -> bool:
        return self._running < self._limits.running - (0 if of_daemon else self._limits.reserved)

    async def _wait(self, of_daemon: bool) -> None:
        """Wait until `_admit` has counted this request as running."""
        queue = self._waiting_daemons if of_daemon else self._waiting_others
        if len(queue) >= self._limits.waiting:
            raise self._overloaded()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await asyncio.wait_for(asyncio.shield(turn), self._limits.wait_seconds)
        except BaseException as error:
            if turn.done():
                self._running -= 1
                self._admit()
            else:
                queue.remove(turn)
            if isinstance(error, TimeoutError):
                raise self._overloaded() from None
            raise

    def _admit(self) -> None:
        for queue, of_daemon in ((self._waiting_daemons, True), (self._waiting_others, False)):
            while queue and self._is_open(of_daemon):
                self._running += 1
                queue.popleft().set_result(None)

    def _overloaded(self) -> Overloaded:
        seconds = self._limits.retry_after_seconds
        return Overloaded(
            "The service has more requests than it can process in time.",
            remedy=f"Send the request again in {seconds} s.",
            retry_after_seconds=seconds,
        )
