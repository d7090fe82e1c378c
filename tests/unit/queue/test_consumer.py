"""The consumer dead-letters what its transport let through and Celery cannot execute."""

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from orchestrator.queue.consumer import ReconnectingConsumer


@dataclass
class RecordingChannel:
    """A channel that keeps the reasons of its dead letters."""

    reasons: list[str] = field(default_factory=list)

    def dead_letter(self, _entry: str, reason: str) -> None:
        self.reasons.append(reason)


@dataclass
class Message:
    """A message of the queue, with what Celery reads of it."""

    channel: RecordingChannel
    headers: dict[str, Any] = field(default_factory=dict)
    properties: dict[str, Any] = field(default_factory=dict)
    delivery_info: dict[str, Any] = field(default_factory=dict)
    body: bytes = b"{}"
    content_type: str = "application/json"
    content_encoding: str = "utf-8"
    acknowledged: bool = False
    rejected: bool = False

    def ack(self) -> None:
        self.acknowledged = True

    def reject_log_error(self, *_: object, **__: object) -> None:
        self.rejected = True


@pytest.fixture
def consumer() -> ReconnectingConsumer:
    # Without a worker: the handlers need nothing of it but the errors of a lost connection.
    consumer = ReconnectingConsumer.__new__(ReconnectingConsumer)
    cast(Any, consumer).connection_errors = (ConnectionError,)
    return consumer


@pytest.mark.parametrize(
    ("refusal", "arguments", "reason", "acknowledged"),
    [
        ("on_decode_error", [ValueError("no JSON")], "body cannot be decoded: no JSON", True),
        ("on_unknown_message", [], "not a task", False),
        ("on_unknown_task", [KeyError("ciphermark.unknown")], "unknown task 'ciphermark.unknown'", True),
        ("on_invalid_task", [ValueError("no arguments")], "invalid task: no arguments", False),
    ],
)
def test_refused_message_is_dead_lettered_and_acknowledged_or_rejected(
    consumer: ReconnectingConsumer, refusal: str, arguments: list[Exception], reason: str, acknowledged: bool
) -> None:
    message = Message(RecordingChannel())
    body = [] if refusal == "on_decode_error" else [{}]
    getattr(consumer, refusal)(*body, message, *arguments)
    assert message.channel.reasons == [reason]
    assert (message.acknowledged, message.rejected) == (acknowledged, not acknowledged)
