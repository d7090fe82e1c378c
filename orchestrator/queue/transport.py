"""Celery's Redis transport, hardened: whatever somebody pushed into a queue, the worker goes on.

The original raises in the middle of its event loop when an entry of the list is not JSON or lacks its envelope, which
ends the worker; the entry is gone by then. Here whatever is no task of ours (see envelope.py) is logged and set aside
in a bounded list beside the queue.
"""

import json
from typing import Any

import redis
import structlog
from kombu.transport import TRANSPORT_ALIASES, virtual
from kombu.transport import redis as original
from kombu.transport.virtual import Empty

from orchestrator.queue.envelope import envelope_fault

DEAD_LETTER_KEY = "dead-letters"
"""List of refused entries, newest first, under the key prefix of the queue they came from."""
DEAD_LETTER_ENTRIES = 100
DEAD_LETTER_CHARACTERS = 4096
"""An entry is cut to this length; its full length is noted."""

_ALIAS = "ciphermark"
_log = structlog.get_logger(__name__)


class QoS(original.QoS):
    """Counts what is in work, and forgets it even when Redis cannot be told.

    The original keeps a message whose acknowledgement met a dead Redis in its count for ever. With a prefetch of one
    the worker then asks for nothing more, so it never notices that the connection is gone, and sleeps until somebody
    kills it. The message itself stays unacknowledged in Redis; if it comes again, its claim is refused.
    """

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message; it leaves the count whatever happens."""
        try:
            super().ack(delivery_tag)
        except (redis.RedisError, OSError):
            virtual.QoS.ack(self, delivery_tag)
            raise


class Channel(original.Channel):
    """A channel that sets unreadable entries aside."""

    QoS = QoS

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)  # type: ignore[misc]  # the stubs do not know it
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
            seen = getattr(error, "doc", None) or getattr(error, "object", b"")
            self.dead_letter(seen, f"not JSON: {type(error).__name__}")
            raise Empty from error

    def dead_letter(self, entry: object, reason: str) -> None:
        """Keep the entry for whoever looks into it, and go on."""
        text = entry if isinstance(entry, str) else repr(entry)
        _log.error("queue entry set aside", reason=reason, characters=len(text), begins=text[:200])
        note = {"reason": reason, "characters": len(text), "entry": text[:DEAD_LETTER_CHARACTERS]}
        try:
            with self.conn_or_acquire() as client:
                client.lpush(DEAD_LETTER_KEY, json.dumps(note))
                # There is no grant for LTRIM in an agent's rule, and none is needed to keep a list short.
                while client.llen(DEAD_LETTER_KEY) > DEAD_LETTER_ENTRIES:
                    client.brpop([DEAD_LETTER_KEY], timeout=1)
        except redis.RedisError as error:
            _log.warning("entry could not be kept", reason=str(error))


class Transport(original.Transport):
    """The Redis transport with the channel above."""

    Channel = Channel

    def _deliver(self, message: Any, queue: Any) -> None:
        reason = envelope_fault(message)
        if reason is None:
            super()._deliver(message, queue)
        else:
            channels: list[Any] = list(self.channels or [])
            channels[0].dead_letter(message, reason)


def register() -> str:
    """Make the transport known to kombu and return the name to configure."""
    TRANSPORT_ALIASES[_ALIAS] = f"{__name__}:Transport"
    return _ALIAS
