"""Celery's consumer with quick reconnection, which survives forged messages."""

from typing import Any

import structlog
from celery.worker import state
from celery.worker.consumer import Consumer
from kombu.exceptions import KombuError

from orchestrator.queue.transport import unwritable_is_unreachable

FIRST_RETRY_SECONDS = 0.2
RETRY_STEP_SECONDS = 0.3
MAX_RETRY_SECONDS = 2.0
"""Maximum pause between two attempts; Celery's own is 30 s, which would delay runs after a restart of Redis."""

_log = structlog.get_logger(__name__)


class ReconnectingConsumer(Consumer):
    """Reconnects quickly and without a limit, and survives forged messages."""

    loop: Any

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Create the consumer; nothing is connected yet."""
        super().__init__(*arguments, **named)
        self.loop = unwritable_is_unreachable()(self.loop)

    def ensure_connected(self, conn: Any) -> Any:
        """Return the connection when it is established; retry until the worker shuts down."""
        conn.ensure_connection(
            self._log_retry,
            None,
            FIRST_RETRY_SECONDS,
            RETRY_STEP_SECONDS,
            MAX_RETRY_SECONDS,
            callback=state.maybe_shutdown,
        )
        self.first_connection_attempt = False
        self.broker_connection_retry_attempt = 0
        return conn

    def _log_retry(self, error: Exception, interval_seconds: float) -> None:
        self.broker_connection_retry_attempt += 1
        if self.broker_connection_retry_attempt in {1, 10, 100} or self.broker_connection_retry_attempt % 1000 == 0:
            _log.warning("redis does not answer", error=str(error), attempts=self.broker_connection_retry_attempt)

    def on_unknown_task(self, body: Any, message: Any, exc: Exception) -> None:
        """Reject a task with an unknown name, which is logged."""
        try:
            super().on_unknown_task(body, message, exc)
        except (KeyError, TypeError, AttributeError, KombuError) as error:
            # The base class reads an id that a forged message may lack; it may have rejected the message before.
            _log.warning("unknown task malformed", error=repr(error))
            if not message.acknowledged:
                message.ack()
