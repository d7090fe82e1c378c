"""Enrollment: this machine becomes an agent by exchanging a join token for an identity, once; and its later tokens."""

import hashlib
import os
import re
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import structlog

from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.identity import (
    IDENTITY_FILE,
    Identity,
    load_identity,
    require_private_channel,
    reserved_identity,
)
from orchestrator.measurement.machine.roots import read_text
from orchestrator.shared.errors import Unreachable
from orchestrator.shared.files.private import write_private
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
    with client, reserved_identity(settings.data_folder) as save:
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


_log = structlog.get_logger(__name__)


def token_rotation(client: ServiceClient, data_folder: Path) -> Callable[[], None]:
    """Return a function that replaces the agent's token in the identity file, then in the client.

    The old token remains valid until the new one is used, so a crash or a lost answer at any point leaves a valid token
    in the identity file; the service then repeats its order. The running worker keeps the old password, which the
    service ends when a new session of the daemon, which has read the new one, uses the token that came with it.
    It raises Unreachable and the other errors of a request, and OSError if the file cannot be written.
    """

    def rotate() -> None:
        rotated = client.rotate_token()
        identity = load_identity(data_folder)
        changes = {"agent_token": rotated.token, "broker_password": rotated.broker_password}
        enrollment = identity.enrollment.model_copy(update=changes)
        replaced = identity.model_copy(update={"enrollment": enrollment})
        write_private(data_folder / IDENTITY_FILE, replaced.model_dump_json(indent=1))
        client.use_token(rotated.token)
        _log.info("token rotated")

    return rotate
