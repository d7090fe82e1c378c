"""Rotation of the agent's token and of its password for Redis, when the service orders it.

The old token remains valid until the new one is used, so a crash or a lost answer at any point leaves a valid token in
the identity file; the service then repeats its order. The running worker keeps the old password, which the service
ends when a new session of the daemon, which has read the new one, uses the token that came with it.
"""

from collections.abc import Callable
from pathlib import Path

import structlog

from orchestrator.daemon.session.client import ServiceClient
from orchestrator.daemon.session.identity import IDENTITY_FILE, load_identity
from orchestrator.shared.files.private import write_private

_log = structlog.get_logger(__name__)


def token_rotation(client: ServiceClient, data_folder: Path) -> Callable[[], None]:
    """Return a function that replaces the agent's token in the identity file, then in the client.

    It raises Unreachable and the other errors of a request, and OSError if the file cannot be written.
    """

    def rotate() -> None:
        rotated = client.rotate_token()
        identity = load_identity(data_folder)
        changes = {"agent_token": rotated.token}
        if rotated.broker_password is not None:
            changes["broker_password"] = rotated.broker_password
        enrollment = identity.enrollment.model_copy(update=changes)
        replaced = identity.model_copy(update={"enrollment": enrollment})
        write_private(data_folder / IDENTITY_FILE, replaced.model_dump_json(indent=1))
        client.use_token(rotated.token)
        _log.info("token rotated")

    return rotate
