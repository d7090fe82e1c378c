"""Enrollment, approval and revocation of agents.

The daemon receives its broker password once. The database stores the SHA-256 that Redis stores, too, so that the
scheduler can create the Redis user, also after Redis lost it. Nothing here connects to Redis.
"""

import secrets

from sqlalchemy.orm import Session

from orchestrator.agents import repository
from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, now
from orchestrator.queue.addresses import BrokerAddress
from orchestrator.service.events import repository as events
from orchestrator.service.security import tokens
from orchestrator.service.security.callers import Caller
from orchestrator.service.trust.repository import judge_again
from orchestrator.shared.errors import Conflict, Unauthorized
from orchestrator.shared.settings import ServiceSettings
from orchestrator.wire.agents import EnrollmentRequest, EnrollmentResponse
from orchestrator.wire.base import JOB_QUEUE, broker_username, key_prefix

_NAMES_TRIED = 100


def enroll(
    database: Database,
    settings: ServiceSettings,
    caller: Caller,
    request: EnrollmentRequest,
    device_sha256: str | None = None,
) -> EnrollmentResponse:
    """Create an agent and return its identity; this uses up a join token.

    The name and the labels of an invitation take precedence over what the device sends. A name that is in use is
    extended by a number. A device whose first response was lost gets a new identity of the same agent.
    Raises Unauthorized if another request used the join token first.
    """
    password = secrets.token_urlsafe(32)
    with database.write() as session:
        if caller.role == "join" and caller.agent_id is not None:
            agent = repository.get_agent(session, caller.agent_id)
            repository.revoke_tokens(session, agent.id, now())
        else:
            agent = _create_agent(session, settings, caller, request, device_sha256)
        agent.broker_password_hash = tokens.digest(password)
        _, plain = tokens.create(session, "agent", agent.name, agent_id=agent.id)
        return EnrollmentResponse(
            agent_id=agent.id,
            name=agent.name,
            agent_token=plain,
            broker_url=agent_broker_url(settings),
            broker_username=broker_username(agent.id),
            broker_password=password,
            key_prefix=key_prefix(agent.id),
            queue=JOB_QUEUE,
        )


def _create_agent(
    session: Session,
    settings: ServiceSettings,
    caller: Caller,
    request: EnrollmentRequest,
    device_sha256: str | None,
) -> Agent:
    at = now()
    invitation = repository.find_invitation(session, caller.token_id) if caller.role == "join" else None
    agent = Agent(
        id=tokens.new_id(),
        name=_free_name(session, (invitation and invitation.agent_name) or request.name),
        labels=list((invitation and invitation.agent_labels) or ()),
        enrolled_at=at,
        approved_at=None if settings.approve_agents and caller.role != "admin" else at,
        broker_password_hash="",
    )
    session.add(agent)
    session.flush()
    if invitation is not None and not repository.spend_join_token(session, invitation.id, agent.id, device_sha256, at):
        raise Unauthorized("This join code was already used.", remedy="Create another one: ciphermark agents invite.")
    events.note(session, "agent-state", None, agent.id, state="enrolled", name=agent.name)
    return agent


def approve(database: Database, agent_id: str) -> None:
    """Approve an agent, so that it receives jobs, again after its queue was closed; repeating this is not an error.

    Raises NotFound, and Conflict for a revoked agent.
    """
    with database.write() as session:
        agent = repository.get_agent(session, agent_id)
        if agent.revoked_at is not None:
            raise Conflict(f"Agent {agent.name} was revoked.", remedy="Enroll the machine again with a new join token.")
        if agent.approved_at is None:
            agent.approved_at = now()
            agent.queue_closed_reason = None
            events.note(session, "agent-state", None, agent_id, state="approved", name=agent.name)


def revoke(database: Database, agent_id: str) -> None:
    """Revoke an agent and its tokens; repeating this is not an error. Raises NotFound.

    Its results dispute no others any more, so every input that it has encrypted is judged again.
    The scheduler deletes the agent's Redis user with its next tick.
    """
    with database.write() as session:
        agent = repository.get_agent(session, agent_id)
        if agent.revoked_at is None:
            at = now()
            agent.revoked_at = at
            agent.session_id = None
            repository.revoke_tokens(session, agent_id, at)
            judge_again(session, agent_id)
            events.note(session, "agent-state", None, agent_id, state="revoked", name=agent.name)


def agent_broker_url(settings: ServiceSettings) -> str:
    """Return the URL of Redis for agents: the setting, or the admin's URL without its credentials."""
    return settings.agent_broker_url or BrokerAddress.parse(settings.redis_url.get_secret_value()).public().url


def _free_name(session: Session, name: str) -> str:
    for number in range(1, _NAMES_TRIED):
        suffix = "" if number == 1 else f"-{number}"
        candidate = name[: 63 - len(suffix)] + suffix
        if repository.find_agent_by_name(session, candidate) is None:
            return candidate
    raise Conflict(
        f"The name {name} and {_NAMES_TRIED - 2} numbered forms of it are in use.",
        remedy="Enroll with another name: --name.",
    )
