"""The one reader of the event log in this process, which feeds every open event stream.

It reads while there is a stream. A stream costs no query of its own after its first messages. All methods are called
in the event loop; the database is read in a thread.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Collection, Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.service.events import repository
from orchestrator.service.events.stream import RunReader, StreamMessage, messages_after, present_state
from orchestrator.shared.errors import CiphermarkError, Overloaded, TooManyRequests

POLL_SECONDS = 0.4
ACCESS_SECONDS = 2.0
"""Interval in which the permissions of all streams are checked."""
MAX_WAITING = 1_000
"""Messages that wait for a slow client. At more its stream ends; it reconnects and reads them from the log."""
RETRY_AFTER_SECONDS = 10

_log = structlog.get_logger(__name__)

Permitted = Callable[[Session, Collection[Any]], Collection[Any]]
"""Returns those of some callers that may still read."""


@dataclass(frozen=True)
class StreamLimits:
    """Maximum numbers of open event streams."""

    total: int = 1_000
    of_owner: int = 32
    """Streams of one token or session, or of one address without either."""


@dataclass(eq=False)
class Subscription:
    """One open stream."""

    run_id: str | None
    """None: all runs."""
    owner: Hashable
    """Whose limit it counts for."""
    caller: Hashable
    start_id: int | None = None
    """Last event before the subscription; None until the hub knows its position in the log."""
    _waiting: deque[StreamMessage] = field(default_factory=deque, init=False)
    _changed: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _ended: bool = field(default=False, init=False)

    def put(self, message: StreamMessage) -> None:
        """Queue a message, or end the stream of a client that is too slow."""
        if len(self._waiting) >= MAX_WAITING:
            self._waiting.clear()
            self._ended = True
        elif not self._ended:
            self._waiting.append(message)
        self._changed.set()

    def end(self) -> None:
        """End the stream after its queued messages."""
        self._ended = True
        self._changed.set()

    def revoke(self) -> None:
        """End the stream without its queued messages."""
        self._waiting.clear()
        self.end()

    async def messages(self) -> AsyncIterator[StreamMessage]:
        """Yield the queued messages until the end of the stream."""
        while True:
            while self._waiting:
                yield self._waiting.popleft()
            if self._ended:
                return
            self._changed.clear()
            await self._changed.wait()


@dataclass(frozen=True)
class _Poll:
    """Result of one look at the database."""

    messages: list[StreamMessage]
    first_id: int
    """Last event before the messages."""
    last_id: int
    more: bool
    ended: list[str]
    revoked: set[Any]


class Hub:
    """The open streams of this process, and the task that reads the log for them."""

    def __init__(
        self, database: Database, runs: RunReader, permitted: Permitted, limits: StreamLimits = StreamLimits()
    ) -> None:
        """Prepare; the log is read from the first subscription on."""
        self._database = database
        self._runs = runs
        self._permitted = permitted
        self._limits = limits
        self._subscriptions: set[Subscription] = set()
        self._owners: Counter[Hashable] = Counter()
        self._unchecked: set[str] = set()
        """Runs that may have ended: with a new stream, or with events in the last poll."""
        self._last_id: int | None = None
        self._positioned = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="events")

    @property
    def streams(self) -> int:
        """Number of open streams."""
        return len(self._subscriptions)

    def subscribe(self, run_id: str | None, owner: Hashable, caller: Hashable) -> Subscription:
        """Open a stream, which `unsubscribe` closes; raise TooManyRequests or Overloaded beyond the limits."""
        remedy = "Close other streams, or poll the run; try again later."
        if self._owners[owner] >= self._limits.of_owner:
            raise TooManyRequests(
                f"You have {self._owners[owner]} open event streams, the maximum.",
                remedy=remedy,
                retry_after_seconds=RETRY_AFTER_SECONDS,
            )
        if len(self._subscriptions) >= self._limits.total:
            raise Overloaded(
                f"The service has {self._limits.total} open event streams, the maximum.",
                remedy=remedy,
                retry_after_seconds=RETRY_AFTER_SECONDS,
            )
        position = self._last_id if self._positioned.is_set() else None
        subscription = Subscription(run_id, owner, caller, position)
        self._subscriptions.add(subscription)
        self._owners[owner] += 1
        if run_id is not None:
            self._unchecked.add(run_id)
        if self._task is None or self._task.done():
            self._positioned.clear()
            self._task = asyncio.create_task(self._read_log())
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """Close a stream."""
        self._subscriptions.discard(subscription)
        self._owners[subscription.owner] -= 1
        if not self._owners[subscription.owner]:
            del self._owners[subscription.owner]

    async def stream(self, subscription: Subscription, last_id: int | None) -> AsyncIterator[bytes]:
        """Yield the encoded messages of a stream.

        last_id: last event that the client received; None for a new client, which receives the present state first.
        """
        # From this position on the subscription receives every event, so that none is between the log and the queue.
        await self._positioned.wait()
        run_id = subscription.run_id
        more = last_id is not None
        if last_id is None and run_id is None:
            last_id = subscription.start_id or 0
        elif last_id is None:
            messages, last_id = await self._in_thread(lambda session: present_state(session, self._runs, run_id))
            for message in messages:
                yield message.data
        run_ids = None if run_id is None else {run_id}
        while more:
            messages, last_id, more = await self._in_thread(
                partial(messages_after, runs=self._runs, event_id=last_id, run_ids=run_ids)
            )
            for message in messages:
                yield message.data
        async for message in subscription.messages():
            if message.event_id > last_id:
                yield message.data

    async def _read_log(self) -> None:
        checked_at = 0.0
        while self._subscriptions:
            callers: set[Any] = set()
            if monotonic() - checked_at >= ACCESS_SECONDS:
                checked_at = monotonic()
                callers = {subscription.caller for subscription in self._subscriptions}
                self._unchecked |= {one.run_id for one in self._subscriptions if one.run_id is not None}
            try:
                poll = await self._in_thread(self._look(callers))
            except (SQLAlchemyError, CiphermarkError) as error:
                # The streams stay open: their clients need not reconnect when the database is back.
                _log.error("event log not read", error=str(error).splitlines()[0])
            else:
                self._deliver(poll)
                self._positioned.set()
                if poll.more:
                    continue
            await asyncio.sleep(POLL_SECONDS)

    def _look(self, callers: set[Any]) -> Callable[[Session], _Poll]:
        """Return the function that reads what is new, for a thread; it uses copies of what the event loop changes."""
        unchecked, self._unchecked = self._unchecked, set()
        everything = any(one.run_id is None for one in self._subscriptions)
        run_ids = None if everything else {one.run_id for one in self._subscriptions if one.run_id is not None}
        last_id = self._last_id if self._positioned.is_set() else None

        def _read(session: Session) -> _Poll:
            start = repository.last_id(session) if last_id is None else last_id
            messages, end, more = messages_after(session, self._runs, start, run_ids)
            with_events = {message.run_id for message in messages}
            quiet = unchecked - with_events
            ended = [run_id for run_id in quiet if self._runs.has_ended(session, run_id)]
            revoked = callers - set(self._permitted(session, callers)) if callers else set()
            return _Poll(messages, start, end, more, ended, revoked)

        return _read

    def _deliver(self, poll: _Poll) -> None:
        self._last_id = poll.last_id
        by_run: dict[str | None, list[StreamMessage]] = {}
        for message in poll.messages:
            by_run.setdefault(message.run_id, []).append(message)
        ended = set(poll.ended)
        for subscription in self._subscriptions:
            if subscription.start_id is None:
                subscription.start_id = poll.first_id
            if subscription.caller in poll.revoked:
                subscription.revoke()
                continue
            received: Iterable[StreamMessage] = (
                poll.messages if subscription.run_id is None else by_run.get(subscription.run_id, ())
            )
            for message in received:
                subscription.put(message)
            if subscription.run_id in ended:
                subscription.end()
        watched = {one.run_id for one in self._subscriptions}
        self._unchecked |= {run_id for run_id in by_run if run_id is not None and run_id in watched}

    async def _in_thread(self, read: Callable[[Session], Any]) -> Any:
        def _call() -> Any:
            with self._database.read() as session:
                return read(session)

        return await asyncio.get_running_loop().run_in_executor(self._reader, _call)
