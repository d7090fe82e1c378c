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
    return is_live(agent, at) and agent.approved_at is not None and agent.health != "quarantined"


def serving(at: datetime) -> ColumnElement[bool]:
    """Return the condition of `is_serving` for a query on agents."""
    return and_(live(at), Agent.approved_at.is_not(None), Agent.health != "quarantined")
