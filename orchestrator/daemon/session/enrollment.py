"""How this machine becomes an agent: a join token is traded, once, for an identity."""

import re
import socket
from dataclasses import dataclass
from pathlib import Path

from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.identity import (
    IDENTITY_FILE,
    Identity,
    require_no_identity,
    require_private_channel,
    save_identity,
)
from orchestrator.settings import DaemonSettings
from orchestrator.wire.agents import EnrollmentRequest, EnrollmentResponse


@dataclass(frozen=True)
class Invitation:
    """What a machine needs to join a service."""

    server: str
    token: str
    name: str | None  # for people; default: the host name
    insecure_lan: bool  # everybody on this network may read the secrets


def is_enrolled(settings: DaemonSettings) -> bool:
    """Tell whether this data folder holds an identity."""
    return (settings.data_folder / IDENTITY_FILE).exists()


def enroll(settings: DaemonSettings, invitation: Invitation) -> tuple[EnrollmentResponse, Path]:
    """Trade the join token; return the identity and the file that keeps it.

    Raises Conflict where this data folder has an identity already, before the token is spent, and InvalidRequest where
    a secret would cross the network unprotected.
    """
    require_private_channel(invitation.server, insecure_lan=invitation.insecure_lan)
    require_no_identity(settings.data_folder)
    client = ServiceClient(ServiceAddress(invitation.server, invitation.token, settings.service_timeout_seconds))
    enrollment = client.enroll(EnrollmentRequest(name=invitation.name or default_name()))
    client.close()
    require_private_channel(enrollment.broker_url, insecure_lan=invitation.insecure_lan)
    identity = Identity(service_url=invitation.server, enrollment=enrollment)
    return enrollment, save_identity(settings.data_folder, identity)


def default_name() -> str:
    """Return the host name, without what a name of an agent may not hold."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname()).lstrip("._-")[:63] or "agent"
