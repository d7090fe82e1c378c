"""Heartbeats are bounded, and an agent stays live for several missed heartbeats."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from orchestrator.wire.heartbeats import INTERVAL_SECONDS, LIVE_SECONDS, Heartbeat, HeldJob, StopOrder
from tests.support.wire_messages import COUNTS, SHA256, returned

JOBS = st.builds(HeldJob, job_id=st.integers(1, 2**63 - 1), attempt=COUNTS, done=COUNTS)
HEARTBEATS = st.builds(
    Heartbeat,
    session_id=st.text("0123456789abcdef", min_size=32, max_size=32),
    state=st.sampled_from(["preparing", "ready", "executing", "refusing"]),
    inventory_sha256=st.none() | SHA256,
    jobs=st.lists(JOBS, max_size=5),
    undelivered_records=COUNTS,
)


@given(HEARTBEATS)
def test_heartbeat_survives_json(heartbeat: Heartbeat) -> None:
    assert returned(heartbeat) == heartbeat


def test_two_lost_heartbeats_do_not_make_an_agent_silent() -> None:
    assert LIVE_SECONDS > 3 * INTERVAL_SECONDS


@pytest.mark.parametrize(
    "change",
    [{"state": "enrolled"}, {"session_id": "x"}, {"activity": "x" * 201}, {"jobs": [{"job_id": 0, "attempt": 0}]},
     {"jobs": [{"job_id": 1, "attempt": 0}] * 1001}, {"undelivered_records": -1}, {"agent_id": "other"}],
)  # fmt: skip
def test_values_beyond_the_limits_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Heartbeat.model_validate({"session_id": "0" * 32, "state": "ready"} | change)


def test_stop_order_has_a_known_reason() -> None:
    with pytest.raises(ValidationError):
        StopOrder.model_validate({"job_id": 1, "reason": "tired"})
