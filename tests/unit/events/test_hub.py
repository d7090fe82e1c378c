"""The hub limits the streams of all callers, and ends the stream of a client that is too slow."""

import asyncio
from pathlib import Path

import pytest

from orchestrator.database.engine import Database
from orchestrator.service.events.hub import MAX_WAITING, Hub, StreamLimits, Subscription
from orchestrator.service.events.stream import RunReader, StreamMessage
from orchestrator.shared.errors import Overloaded, TooManyRequests

NO_RUNS = RunReader(status=lambda _session, _run_id: None, progress=lambda _session, _run_id: None)


def message(number: int) -> StreamMessage:
    return StreamMessage(number, None, b"data")


async def received(subscription: Subscription) -> list[int]:
    return [one.event_id async for one in subscription.messages()]


class TestSubscription:
    def test_queued_messages_precede_the_end(self) -> None:
        subscription = Subscription(None, "owner", "caller")
        subscription.put(message(1))
        subscription.end()
        subscription.put(message(2))
        assert asyncio.run(received(subscription)) == [1]

    def test_revoked_caller_receives_nothing_more(self) -> None:
        subscription = Subscription(None, "owner", "caller")
        subscription.put(message(1))
        subscription.revoke()
        assert asyncio.run(received(subscription)) == []

    def test_stream_of_a_slow_client_ends(self) -> None:
        subscription = Subscription(None, "owner", "caller")
        for number in range(MAX_WAITING + 5):
            subscription.put(message(number))
        assert asyncio.run(received(subscription)) == []


class TestLimits:
    def test_each_owner_and_all_together_are_limited(self, database: Database) -> None:
        async def subscribe() -> None:
            hub = Hub(database, NO_RUNS, lambda _session, callers: callers, StreamLimits(total=3, of_owner=2))
            first = hub.subscribe(None, "one", "caller")
            hub.subscribe(None, "one", "caller")
            with pytest.raises(TooManyRequests, match="2 open event streams"):
                hub.subscribe(None, "one", "caller")
            hub.subscribe(None, "other", "caller")
            with pytest.raises(Overloaded, match="3 open event streams"):
                hub.subscribe(None, "third", "caller")
            hub.unsubscribe(first)
            hub.subscribe(None, "third", "caller")
            assert hub.streams == 3

        asyncio.run(subscribe())

    def test_stream_of_an_unknown_run_ends(self, database: Database) -> None:
        async def listen() -> list[bytes]:
            hub = Hub(database, NO_RUNS, lambda _session, callers: callers)
            return [data async for data in hub.stream(hub.subscribe("nosuchrun000", "one", "caller"), None)]

        assert asyncio.run(listen()) == []

    def test_streams_stay_open_while_the_database_cannot_be_read(self, tmp_path: Path) -> None:
        async def listen() -> None:
            hub = Hub(Database(f"sqlite:///{tmp_path}/none/none.sqlite"), NO_RUNS, lambda _session, callers: callers)
            stream = hub.stream(hub.subscribe(None, "one", "caller"), None)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(anext(stream), timeout=1)

        asyncio.run(listen())
