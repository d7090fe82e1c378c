"""Live and serving agents: each rule as a function on a row and as the same condition in SQL.

live     not revoked, and the last heartbeat arrived within LIVE_SECONDS
serving  live, approved and not quarantined: the scheduler sends it jobs
"""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_

from orchestrator.database.models import Agent
from orchestrator.wire.heartbeats import LIVE_SECONDS

_LIVE = timedelta(seconds=LIVE_SECONDS)


def is_live(agent: Agent, at: datetime) -> bool:
    """Return whether the agent is not revoked and its last heartbeat is within `LIVE_SECONDS`."""
    return agent.revoked_at is None and agent.last_heartbeat_at is not None and agent.last_heartbeat_at >= at - _LIVE


def live(at: datetime) -> ColumnElement[bool]:
    """Return the condition of `is_live` for a query on agents."""
    return and_(Agent.revoked_at.is_(None), Agent.last_heartbeat_at >= at - _LIVE)


def is_serving(agent: Agent, at: datetime) -> bool:
    """Return whether the scheduler sends this agent jobs."""
    return not absence(agent, at)[0]


def absence(agent: Agent, at: datetime) -> tuple[str, datetime | None]:
    """Return why the scheduler sends an agent no jobs (``silent``), and since when; an empty text if it sends some."""
    if agent.revoked_at is not None:
        return "revoked", agent.revoked_at
    if not is_live(agent, at):
        return "silent", agent.last_heartbeat_at
    if agent.queue_closed_reason is not None:
        return f"cut off from the queue: {agent.queue_closed_reason}", None
    if agent.approved_at is None:
        return "not approved", agent.enrolled_at
    if agent.health == "quarantined":
        return f"quarantined: {agent.health_reason}", agent.health_checked_at
    return "", None


def serving(at: datetime) -> ColumnElement[bool]:
    """Return the condition of `is_serving` for a query on agents."""
    return and_(live(at), Agent.approved_at.is_not(None), Agent.health != "quarantined")
