"""The consumer survives a task that its transport let through and Celery does not know."""

from typing import Any, cast
from unittest.mock import Mock

from orchestrator.queue.consumer import ReconnectingConsumer


def test_unknown_task_without_an_id_is_acknowledged() -> None:
    # Without a worker: the handler needs nothing of it but the errors of a lost connection.
    consumer = ReconnectingConsumer.__new__(ReconnectingConsumer)
    cast(Any, consumer).connection_errors = (ConnectionError,)
    message = Mock(headers={}, payload=[], acknowledged=False)
    consumer.on_unknown_task({}, message, KeyError("ciphermark.unknown"))
    message.ack.assert_called_once_with()
