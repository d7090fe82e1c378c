"""Enrollment: this machine becomes an agent by exchanging a join token for an identity, once."""

import hashlib
import os
import re
import socket
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.identity import (
    IDENTITY_FILE,
    Identity,
    require_private_channel,
    reserved_identity,
)
from orchestrator.measurement.machine.roots import read_text
from orchestrator.shared.errors import Unreachable
from orchestrator.shared.settings import DaemonSettings
from orchestrator.wire.agents import EnrollmentRequest, EnrollmentResponse

_ATTEMPTS = 3
_PAUSE_SECONDS = 1.0


@dataclass(frozen=True)
class Invitation:
    """Address and token for joining a service."""

    server: str
    token: str
    name: str | None  # readable name of the agent; default: the host name
    insecure_lan: bool  # secrets may cross the network unencrypted
    certificate: Path | None = None  # to trust besides the system's authorities


def is_enrolled(settings: DaemonSettings) -> bool:
    """Return whether the data folder contains an identity."""
    return (settings.data_folder / IDENTITY_FILE).exists()


def enroll(settings: DaemonSettings, invitation: Invitation) -> tuple[EnrollmentResponse, Path]:
    """Exchange the join token; return the identity and the file it is stored in.

    Raises SetupError, before the token is used, if the data folder has an identity already or if a secret would cross
    the network unencrypted.
    """
    require_private_channel(invitation.server, insecure_lan=invitation.insecure_lan)
    client = ServiceClient(ServiceAddress(invitation.server, invitation.token, certificate=invitation.certificate))
    request = EnrollmentRequest(name=invitation.name or default_name())
    with closing(client), reserved_identity(settings.data_folder) as save:
        enrollment = _exchange(client, request, device_sha256(invitation.token))
        require_private_channel(enrollment.broker_url, insecure_lan=invitation.insecure_lan)
        return enrollment, save(Identity(service_url=invitation.server, enrollment=enrollment))


def device_sha256(code: str) -> str:
    """Return the SHA-256 by which the service recognizes that this device repeats its enrollment with a code."""
    machine_id = read_text(Path("/etc/machine-id")) or os.uname().nodename
    return hashlib.sha256(f"{code} {machine_id}".encode()).hexdigest()


def _exchange(client: ServiceClient, request: EnrollmentRequest, device: str) -> EnrollmentResponse:
    """Exchange the code; if the response is lost, the repeated request gets an identity of the same agent."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return client.enroll(request, device)
        except Unreachable:
            time.sleep(_PAUSE_SECONDS)
    return client.enroll(request, device)


def default_name() -> str:
    """Return the host name without the characters that are not allowed in the name of an agent."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname()).lstrip("._-")[:63] or "agent"
