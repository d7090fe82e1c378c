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


@pytest.fixture
def message() -> Message:
    return Message(RecordingChannel())


def test_undecodable_body_is_dead_lettered_and_acknowledged(consumer: ReconnectingConsumer, message: Message) -> None:
    consumer.on_decode_error(message, ValueError("no JSON"))
    assert message.channel.reasons == ["body cannot be decoded: no JSON"]
    assert message.acknowledged


def test_message_that_is_no_task_is_dead_lettered_and_rejected(
    consumer: ReconnectingConsumer, message: Message
) -> None:
    consumer.on_unknown_message({"no": "task"}, message)
    assert message.channel.reasons == ["not a task"]
    assert message.rejected


def test_unknown_task_without_an_id_is_dead_lettered_and_acknowledged(
    consumer: ReconnectingConsumer, message: Message
) -> None:
    consumer.on_unknown_task({}, message, KeyError("ciphermark.unknown"))
    assert message.channel.reasons == ["unknown task 'ciphermark.unknown'"]
    assert message.acknowledged


def test_invalid_task_is_dead_lettered_and_rejected(consumer: ReconnectingConsumer, message: Message) -> None:
    consumer.on_invalid_task({}, message, ValueError("no arguments"))
    assert message.channel.reasons == ["invalid task: no arguments"]
    assert message.rejected
