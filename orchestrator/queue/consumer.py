"""The part of a Celery worker that keeps the connection: the same as the original, but back within two seconds."""

from typing import Any

import structlog
from celery.worker import state
from celery.worker.consumer import Consumer
from kombu.exceptions import KombuError

from orchestrator.queue.transport import Channel

FIRST_RETRY_SECONDS = 0.2
RETRY_STEP_SECONDS = 0.3
LONGEST_RETRY_SECONDS = 2.0
"""Celery waits up to 30 s between two tries, as long as a run may take to go on after Redis is back."""

_log = structlog.get_logger(__name__)


class ReconnectingConsumer(Consumer):
    """Reconnects quickly, for ever, and sets aside what it cannot read."""

    def ensure_connected(self, conn: Any) -> Any:
        """Return the connection once it stands; try until the worker is told to end."""
        conn.ensure_connection(
            self._tell_of_retry,
            None,
            FIRST_RETRY_SECONDS,
            RETRY_STEP_SECONDS,
            LONGEST_RETRY_SECONDS,
            callback=state.maybe_shutdown,
        )
        self.first_connection_attempt = False
        self.broker_connection_retry_attempt = 0
        return conn

    def _tell_of_retry(self, error: Exception, interval_seconds: float) -> None:
        self.broker_connection_retry_attempt += 1
        if self.broker_connection_retry_attempt in {1, 10, 100} or self.broker_connection_retry_attempt % 1000 == 0:
            _log.warning("redis does not answer", error=str(error), tries=self.broker_connection_retry_attempt)

    def on_decode_error(self, message: Any, exc: Exception) -> None:
        """Set aside a message whose body is not what its headers say, and acknowledge it."""
        _dead_letter(message, f"body cannot be decoded: {exc}")
        message.ack()

    def on_unknown_message(self, body: Any, message: Any) -> None:
        """Set aside a message that is no task."""
        _dead_letter(message, "no task")
        super().on_unknown_message(body, message)

    def on_unknown_task(self, body: Any, message: Any, exc: Exception) -> None:
        """Set aside a task of another name."""
        _dead_letter(message, f"unknown task {exc}")
        try:
            super().on_unknown_task(body, message, exc)
        except (KeyError, TypeError, AttributeError, KombuError) as error:
            # The original reads an id that a forged message need not have; the message may be rejected by then.
            _log.warning("unknown task was malformed too", error=repr(error))
            if not message.acknowledged:
                message.ack()

    def on_invalid_task(self, body: Any, message: Any, exc: Exception) -> None:
        """Set aside a task whose headers or arguments cannot be read."""
        _dead_letter(message, f"invalid task: {exc}")
        super().on_invalid_task(body, message, exc)


def _dead_letter(message: Any, reason: str) -> None:
    channel: Channel = message.channel
    channel.dead_letter(repr({"headers": message.headers, "body": message.body}), reason)
