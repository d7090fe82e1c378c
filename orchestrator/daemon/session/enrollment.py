"""Enrollment: this machine becomes an agent by exchanging a join token for an identity, once."""

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
    """Address and token for joining a service."""

    server: str
    token: str
    name: str | None  # readable name of the agent; default: the host name
    insecure_lan: bool  # secrets may cross the network unencrypted


def is_enrolled(settings: DaemonSettings) -> bool:
    """Return whether the data folder contains an identity."""
    return (settings.data_folder / IDENTITY_FILE).exists()


def enroll(settings: DaemonSettings, invitation: Invitation) -> tuple[EnrollmentResponse, Path]:
    """Exchange the join token; return the identity and the file it is stored in.

    Raises SetupError, before the token is used, if the data folder has an identity already or if a secret would cross
    the network unencrypted.
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
    """Return the host name without the characters that are not allowed in the name of an agent."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname()).lstrip("._-")[:63] or "agent"
