"""Heartbeats: store the state that a daemon reports, return its orders, refuse a second daemon of the same agent."""

from datetime import datetime

from sqlalchemy.orm import Session

from orchestrator.agents import repository
from orchestrator.agents.health import repository as health_repository
from orchestrator.agents.health import service
from orchestrator.agents.liveness import is_live
from orchestrator.builds import requests
from orchestrator.database import generation
from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, now
from orchestrator.service.events import repository as events
from orchestrator.service.security import tokens
from orchestrator.shared.errors import NotFound, SecondSession, Unauthorized
from orchestrator.wire.heartbeats import Heartbeat, HeartbeatResponse


def receive(
    database: Database,
    agent_id: str,
    heartbeat: Heartbeat,
    at: datetime | None = None,
    *,
    token_id: str | None = None,
) -> HeartbeatResponse:
    """Store a heartbeat and return the orders for its daemon.

    at: time of arrival, by default now. token_id: the token of the heartbeat, which the daemon replaces when it is old.
    Raises SecondSession if a heartbeat of another session of this agent arrived within LIVE_SECONDS, which means that
    the data folder was copied.
    """
    at = at or now()
    with database.write() as session:
        agent = repository.find_agent(session, agent_id)
        if agent is None:
            raise NotFound(
                f"There is no agent {agent_id}.", remedy="Enroll this machine again: ciphermark daemon enroll."
            )
        if agent.revoked_at is not None:
            raise Unauthorized(f"Agent {agent.name} was revoked.", remedy="Enroll it again with a new join token.")
        _refuse_second_session(agent, heartbeat, at)
        if agent.session_id != heartbeat.session_id and token_id is not None:
            # It has read the token and the password from the same file, and nothing uses the former password any more.
            agent.broker_password_hash = tokens.broker_password_of(session, token_id) or agent.broker_password_hash
        response = HeartbeatResponse(
            send_inventory=_store(session, agent, heartbeat, at),
            stop=repository.list_stop_orders(session, agent_id, agent.held_jobs),
            approved=agent.approved_at is not None,
            rotate_token=token_id is not None and tokens.is_old(session, token_id, at),
            check_health=service.is_due(session, agent, at),
        )
        health_repository.add_readings(session, agent_id, heartbeat.sensor_readings)
    # These queries follow in a read transaction, so that they do not block other writers.
    with database.read() as session:
        return response.model_copy(
            update={
                "builds": requests.list_orders(session, agent_id) if response.approved else [],
                "database_epoch": generation.current(session).epoch,
                "keep_builds": requests.list_keys_to_keep(session, agent_id),
            }
        )


def _refuse_second_session(agent: Agent, heartbeat: Heartbeat, at: datetime) -> None:
    if agent.session_id in (None, heartbeat.session_id) or not is_live(agent, at):
        return
    raise SecondSession(
        f"Another daemon runs as agent {agent.name}; its last heartbeat arrived at {agent.last_heartbeat_at}.",
        remedy="Stop the other daemon. To add this machine, enroll it with a data folder of its own.",
        agent_id=agent.id,
    )


def _store(session: Session, agent: Agent, heartbeat: Heartbeat, at: datetime) -> bool:
    """Store the reported state; return whether the inventory of the heartbeat is not stored yet."""
    new_session = agent.session_id != heartbeat.session_id
    if new_session or agent.state != heartbeat.state:
        events.note(session, "agent-state", None, agent.id, state=heartbeat.state, name=agent.name)
    if heartbeat.jobs:
        agent.idle_since = None
    elif new_session or agent.idle_since is None:
        agent.idle_since = at
    agent.session_id = heartbeat.session_id
    agent.last_heartbeat_at = at
    agent.state = heartbeat.state
    agent.activity = heartbeat.activity
    agent.notice = heartbeat.notice
    agent.held_jobs = [job.job_id for job in heartbeat.jobs]
    agent.undelivered_records = heartbeat.undelivered_records
    if heartbeat.inventory_sha256 is None:
        return False
    inventory = repository.find_inventory(session, agent.id, heartbeat.inventory_sha256)
    if inventory is not None:
        agent.inventory_id = inventory.id
    return inventory is None
