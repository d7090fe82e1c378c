"""The local agent of ``up``: enrolled once, and given the present addresses at each start."""

from datetime import datetime, timedelta

from orchestrator.cli.supervisor.access import ServiceAccess
from orchestrator.cli.supervisor.layout import Layout
from orchestrator.daemon.session import enrollment
from orchestrator.daemon.session.enrollment import Invitation
from orchestrator.daemon.session.identity import IDENTITY_FILE, load_identity
from orchestrator.database.engine import Database
from orchestrator.database.models import Agent
from orchestrator.service.security import tokens
from orchestrator.shared.errors import CiphermarkError, SetupError
from orchestrator.shared.files.private import write_private
from orchestrator.shared.settings import DaemonSettings


def enroll(layout: Layout, database: Database, access: ServiceAccess) -> None:
    """Enroll this machine as an agent of its own service, unless it is one; raises SetupError if that fails."""
    settings = DaemonSettings(data_folder=layout.agent_folder)
    if enrollment.is_enrolled(settings):
        return
    with database.write() as session:
        _, token = tokens.create(session, "join", "local agent of up", expires_in=timedelta(minutes=5))
    invitation = Invitation(access.url, token, None, insecure_lan=True, certificate=access.certificate)
    try:
        enrollment.enroll(settings, invitation)
    except CiphermarkError as error:
        raise SetupError(f"The local agent could not be enrolled: {error.detail}", remedy=error.remedy) from error


def is_ready(layout: Layout, database: Database, since: datetime) -> bool:
    """Return whether the agent has its runners and takes runs, by a heartbeat after this time."""
    return _reported(layout, database, since)[0] in ("ready", "executing")


def refusal(layout: Layout, database: Database, since: datetime) -> str:
    """Return why the agent takes no runs, by a heartbeat after this time; empty in any other state."""
    state, activity = _reported(layout, database, since)
    return activity if state == "refusing" else ""


def _reported(layout: Layout, database: Database, since: datetime) -> tuple[str, str]:
    """Return state and activity of the latest heartbeat; both are empty before the first one after this time."""
    identity = load_identity(layout.agent_folder)
    with database.read() as session:
        agent = session.get(Agent, identity.enrollment.agent_id)
    if agent is None or agent.last_heartbeat_at is None or agent.last_heartbeat_at <= since:
        return "", ""
    return agent.state, agent.activity


def refresh_addresses(layout: Layout, service_url: str, broker_url: str) -> None:
    """Write the present addresses of the service and Redis into the agent's identity; ports may have changed."""
    identity = load_identity(layout.agent_folder)
    addressed = identity.enrollment.model_copy(update={"broker_url": broker_url})
    current = identity.model_copy(update={"service_url": service_url, "enrollment": addressed})
    if current != identity:
        write_private(layout.agent_folder / IDENTITY_FILE, current.model_dump_json(indent=1))
