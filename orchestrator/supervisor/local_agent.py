"""The local agent of ``up``: enrolled once, and given the present addresses at each start."""

import subprocess
from collections.abc import Mapping, Sequence
from datetime import timedelta

from orchestrator.daemon.session.identity import IDENTITY_FILE, load_identity
from orchestrator.database.engine import Database
from orchestrator.errors import SetupError
from orchestrator.files.private import write_private
from orchestrator.security import tokens
from orchestrator.supervisor.layout import Layout

_ENROL_SECONDS = 60


def enroll(
    layout: Layout, database: Database, url: str, ciphermark: Sequence[str], environment: Mapping[str, str]
) -> None:
    """Enroll this machine as an agent of its own service, unless it is one; raises SetupError if that fails."""
    if (layout.agent_folder / IDENTITY_FILE).exists():
        return
    with database.write() as session:
        _, token = tokens.create(session, "join", "local agent of up", expires_in=timedelta(minutes=5))
    command = [*ciphermark, "daemon", "enroll", "--server", url, "--insecure-lan"]
    # On standard input, not as an argument: every user of the machine can read the arguments of a process.
    done = subprocess.run(
        command, env=dict(environment), input=f"{token}\n", capture_output=True, text=True, timeout=_ENROL_SECONDS,
        check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise SetupError(f"The local agent could not be enrolled: {(done.stderr or done.stdout).strip()[-2000:]}")


def refresh_addresses(layout: Layout, service_url: str, broker_url: str) -> None:
    """Write the present addresses of the service and Redis into the agent's identity; ports may have changed."""
    identity = load_identity(layout.agent_folder)
    enrollment = identity.enrollment.model_copy(update={"broker_url": broker_url})
    current = identity.model_copy(update={"service_url": service_url, "enrollment": enrollment})
    if current != identity:
        write_private(layout.agent_folder / IDENTITY_FILE, current.model_dump_json(indent=1))
