import base64
import json
from typing import Any

import pytest
from celery import Celery
from hypothesis import given
from hypothesis import strategies as st
from kombu import Connection, Queue

from orchestrator.queue.addresses import BrokerAddress
from orchestrator.queue.agent_app import agent_app
from orchestrator.queue.envelope import envelope_fault
from orchestrator.wire.base import JOB_TASK

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)


def sent_by_us() -> dict[str, Any]:
    """Return the queue entry of a sent job, taken from kombu's in-memory transport."""
    app: Celery = agent_app("aaaaaaaaaaaa", BrokerAddress.parse("redis://unused"))
    message = app.amqp.as_task_v2(
        "job-1", JOB_TASK, args=({"job_id": 1},), argsrepr="", kwargsrepr="", ignore_result=True
    )
    with Connection("memory://") as connection:
        queue = Queue("envelope-test")
        connection.Producer(serializer="json").publish(
            message.body, declare=[queue], routing_key="envelope-test", headers=message.headers, **message.properties
        )
        raw = connection.default_channel._get("envelope-test")
    entry: dict[str, Any] = json.loads(json.dumps(raw))
    return entry


class TestEnvelopeFault:
    def test_messages_of_the_scheduler_are_valid(self) -> None:
        assert envelope_fault(sent_by_us()) is None

    @given(_JSON)
    def test_other_entries_are_rejected_with_a_reason(self, entry: object) -> None:
        assert envelope_fault(entry)

    @pytest.mark.parametrize("body", ["", "{}", "[]", "[[], {}]", '[{}, {}, {"chain": [1]}]', "[1, 2, 3]", "nonsense"])
    def test_bodies_that_are_not_calls_are_rejected(self, body: str) -> None:
        entry = sent_by_us() | {"body": base64.b64encode(body.encode()).decode()}
        assert envelope_fault(entry)

    @pytest.mark.parametrize("body", ["é", "not base64!"])
    def test_body_that_is_not_base64_is_rejected(self, body: str) -> None:
        # A letter outside ASCII raised ValueError, which is not binascii.Error, and ended the worker.
        assert str(envelope_fault(sent_by_us() | {"body": body})).startswith("body: ")
