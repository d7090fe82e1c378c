"""Heartbeats are bounded, and an agent stays live for several missed heartbeats."""

from orchestrator.wire.heartbeats import INTERVAL_SECONDS, LIVE_SECONDS


def test_two_lost_heartbeats_do_not_make_an_agent_silent() -> None:
    assert LIVE_SECONDS > 3 * INTERVAL_SECONDS
