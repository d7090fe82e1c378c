"""Celery's Redis transport, hardened against malformed entries in a queue, and without scripts.

kombu's transport raises in its event loop when an entry is not JSON or lacks its envelope, which ends the worker and
loses the entry. This one logs every entry that is not a valid task (see envelope.py), and drops it.

kombu restores unacknowledged messages under a lock, whose release is a script. An agent's user may not execute scripts:
one that has written and does not end stops Redis for all, until it is killed. The lock is not needed here.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis
import structlog
from kombu.transport import TRANSPORT_ALIASES, virtual
from kombu.transport import redis as original
from kombu.transport.virtual import Empty

from orchestrator.queue.envelope import envelope_fault
from orchestrator.wire.base import JOB_QUEUE

PRIORITY_STEPS = [0]
"""One list for each queue: the scheduler sends jobs in their order, so kombu's four lists are not needed."""
QUEUE_KEYS = (JOB_QUEUE, "unacked", "unacked_index")
"""Names of all keys of an agent's queue, under its key prefix."""

_ALIAS = "ciphermark"
_CANNOT_WRITE = "MISCONF"
"""Code of the refusal of a Redis that cannot write its append-only file. It refuses PING as well."""
_log = structlog.get_logger(__name__)


@contextmanager
def unwritable_is_unreachable() -> Iterator[None]:
    """Raise redis.ConnectionError in the block if Redis refuses a command because its disk is full.

    Celery reconnects after it, until Redis can write again; any other refusal ends the worker.
    """
    try:
        yield
    except redis.ResponseError as error:
        if _CANNOT_WRITE not in str(error):
            raise
        raise redis.ConnectionError(str(error)) from error


class QoS(original.QoS):
    """Counts unacknowledged messages, also when Redis fails, and restores them without a lock.

    kombu's class never removes a message from its count if Redis was unreachable at its acknowledgment. With a
    prefetch of one, the worker then requests no more messages, does not notice the lost connection, and sleeps until
    it is killed. The message itself stays unacknowledged in Redis; if it is redelivered, its claim is refused.
    """

    _calls = 0  # of restore_visible

    def append(self, message: Any, delivery_tag: str) -> None:
        """Note a message as unacknowledged, also when the memory of Redis is full.

        The message has left its queue already. Without the note in Redis, it would not be restored after a crash, but
        the scheduler sends its job again. kombu's class would end the worker.
        """
        try:
            super().append(message, delivery_tag)
        except redis.OutOfMemoryError as error:
            _log.warning("redis is full; the message is kept in memory only", error=str(error))
            virtual.QoS.append(self, message, delivery_tag)

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message and remove it from the count, also when Redis does not answer."""
        channel: Any = self.channel
        try:
            with channel.conn_or_acquire() as client:
                # No transaction, because a full Redis refuses it. After a crash between the two commands, the index has
                # an entry without a message, which the next restoration removes.
                pipe = client.pipeline(transaction=False)
                pipe.hdel(self.unacked_key, delivery_tag).zrem(self.unacked_index_key, delivery_tag).execute()
        finally:
            virtual.QoS.ack(self, delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Requeue a message, or drop it like an acknowledged one."""
        if requeue:
            super().reject(delivery_tag, requeue)
        else:
            self.ack(delivery_tag)

    def restore_by_tag(self, tag: str, client: Any = None, leftmost: bool = False) -> None:
        """Requeue an unacknowledged message; it stays unacknowledged while the memory of Redis is full."""
        try:
            super().restore_by_tag(tag, client, leftmost)
        except redis.OutOfMemoryError as error:
            _log.warning("redis is full; the message is not requeued yet", error=str(error))

    def restore_visible(self, start: int = 0, num: int | None = 10, interval: int = 10) -> None:
        """Requeue the messages that were delivered longer ago than the visibility timeout.

        Every `interval`-th call has an effect; `num` limits the messages of one call, None does not. Each message moves
        in one transaction that ends without effect if another worker moved or acknowledged the message first.
        """
        self._calls += 1
        if (self._calls - 1) % interval:
            return
        channel: Any = self.channel
        latest = time.time() - self.visibility_timeout
        with channel.conn_or_acquire() as client:
            offset = None if num is None else start
            tags = client.zrange(self.unacked_index_key, latest, 0, desc=True, byscore=True, offset=offset, num=num)
            for tag in tags:
                self.restore_by_tag(tag, client)


class InvalidEntry(Exception):
    """An entry of a queue that is JSON and no valid task; its arguments are the entry and the reason."""


class TaskMessage(virtual.Message):
    """A message that exists only if its entry is a valid task."""

    def __init__(self, payload: Any, channel: Any = None, **named: Any) -> None:
        """Read the entry; raises InvalidEntry."""
        reason = envelope_fault(payload)
        if reason is not None:
            raise InvalidEntry(payload, reason)
        super().__init__(payload, channel, **named)


class Channel(original.Channel):
    """A channel that drops entries that are no valid task."""

    QoS = QoS
    Message = TaskMessage

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Connect to Redis, with a PING."""
        with unwritable_is_unreachable():
            super().__init__(*arguments, **named)
        self.handlers["BRPOP"] = self.dropping()(self.handlers["BRPOP"])

    def queue_bind(self, *_: object, **__: object) -> None:
        """Store no binding: senders address a queue by its name, so that a worker starts without a write."""

    def close(self) -> None:
        """Close the connections; an entry that arrives at that moment is read like any other."""
        try:
            with self.dropping():
                super().close()
        except Empty:
            super().close()

    @contextmanager
    def dropping(self) -> Iterator[None]:
        """Log the entry that the block reads, if it is no valid task, and raise Empty in its place."""
        try:
            yield
        except InvalidEntry as error:
            entry, reason = error.args
            _log_dropped(entry, reason)
            raise Empty from error
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
            seen = getattr(error, "doc", None) or getattr(error, "object", b"")
            _log_dropped(seen, f"not JSON: {type(error).__name__}")
            raise Empty from error


def _log_dropped(entry: object, reason: str) -> None:
    text = entry if isinstance(entry, str) else repr(entry)
    _log.error("queue entry dropped", reason=reason, characters=len(text), begins=text[:200])


class Transport(original.Transport):
    """The Redis transport with the hardened channel."""

    Channel = Channel


def register() -> str:
    """Register the transport with kombu and return its name for the configuration."""
    TRANSPORT_ALIASES[_ALIAS] = f"{__name__}:Transport"
    return _ALIAS
