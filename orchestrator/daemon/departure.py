"""Departure: this device stops being an agent, and what its installation made is removed."""

import fcntl
import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.identity import IDENTITY_FILE, LOCK_FILE, Identity
from orchestrator.daemon.tune.record import TUNING_FILE
from orchestrator.shared.errors import SetupError, Unauthorized
from orchestrator.shared.settings import DaemonSettings

UNIT = Path("/etc/systemd/system/ciphermark-daemon.service")
SYSTEM_PREFIX = Path("/opt/ciphermark-agent")
"""Installation folder of join.sh --systemd."""
SYSTEM_FOLDERS = (Path("/var/lib/ciphermark-agent"), Path("/var/cache/ciphermark-agent"))
"""Data and cache folder of that installation."""
AGENT_USER = "ciphermark-agent"
PREFIX_VARIABLE = "CIPHERMARK_AGENT_PREFIX"
"""Set by the command that join.sh makes."""
_STOP_SECONDS = 90.0
"""Time for the daemon to end its execution, as in the unit."""
_LOOK_SECONDS = 0.1


@dataclass(frozen=True)
class Installation:
    """Folders of an agent that join.sh installed."""

    prefix: Path

    @property
    def has_unit(self) -> bool:
        """Return whether the daemon is a systemd unit."""
        return self.prefix == SYSTEM_PREFIX

    @property
    def folders(self) -> list[Path]:
        """Folders that the departure removes: those that join.sh made, never a folder that a setting names."""
        return [*(SYSTEM_FOLDERS if self.has_unit else ()), self.prefix]


def find_installation() -> Installation | None:
    """Return the installation of join.sh that executes this program; None if it was installed in another way."""
    prefix = Path(os.environ.get(PREFIX_VARIABLE, ""))
    program = prefix / "bin" / "ciphermark"
    if not prefix.is_absolute() or not program.is_file() or "join.sh" not in program.read_text(encoding="utf-8"):
        return None
    return Installation(prefix)


def find_daemon(data_folder: Path) -> int | None:
    """Return the process id of the daemon that uses the data folder, or None if none does."""
    try:
        with (data_folder / LOCK_FILE).open(encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return int(file.read(20).strip() or 0) or None
    except FileNotFoundError:
        pass
    return None


def stop_daemon(data_folder: Path, timeout_seconds: float = _STOP_SECONDS) -> bool:
    """End the daemon that uses the data folder; return whether there was one.

    It finishes its running execution first. Raises SetupError if it belongs to another user or does not end in time.
    """
    pid = find_daemon(data_folder)
    if pid is None:
        return False
    try:
        os.kill(pid, signal.SIGTERM)
    except PermissionError as error:
        raise SetupError(
            f"The daemon is process {pid} of another user.", remedy="Execute this command with sudo."
        ) from error
    deadline = time.monotonic() + timeout_seconds
    while find_daemon(data_folder) is not None:
        if time.monotonic() > deadline:
            raise SetupError(
                f"The daemon (process {pid}) did not end within {timeout_seconds:.0f} s.", remedy=f"kill -9 {pid}"
            )
        time.sleep(_LOOK_SECONDS)
    return True


def require_departure(settings: DaemonSettings, installation: Installation | None) -> None:
    """Raise SetupError, before anything changes, if this user cannot complete the departure."""
    if installation is not None and installation.has_unit and os.geteuid() != 0:
        raise SetupError(
            f"{installation.prefix} and the unit belong to root.",
            remedy=f"Type: sudo {installation.prefix}/bin/ciphermark daemon leave",
        )
    if (settings.data_folder / TUNING_FILE).exists():
        raise SetupError(
            "This machine is tuned for measuring.", remedy="Restore its settings first: ciphermark daemon untune"
        )


def stop(settings: DaemonSettings, installation: Installation | None) -> None:
    """End the daemon, and keep systemd from starting it again."""
    if installation is not None and installation.has_unit and UNIT.exists():
        subprocess.run(["systemctl", "disable", "--now", "--quiet", UNIT.name], check=False)
    stop_daemon(settings.data_folder)


def revoke(settings: DaemonSettings, identity: Identity) -> None:
    """Revoke this agent's token and Redis user at the service; raises Unreachable. A revoked agent is not an error."""
    agent = identity.enrollment
    client = ServiceClient(ServiceAddress(identity.service_url, agent.agent_token))
    try:
        client.leave(agent.agent_id)
    except Unauthorized:
        pass
    finally:
        client.close()


def remove(settings: DaemonSettings, installation: Installation | None) -> list[Path]:
    """Remove the unit, the user and the folders of the installation; return the removed paths.

    Without an installation of join.sh, only the agent's identity is removed: the other files may belong to a service.
    """
    if installation is None:
        path = settings.data_folder / IDENTITY_FILE
        path.unlink(missing_ok=True)
        return [path]
    removed = []
    if installation.has_unit:
        UNIT.unlink(missing_ok=True)
        removed.append(UNIT)
        subprocess.run(["systemctl", "daemon-reload"], check=False)
    # The folder of this program is the last: what it still imports is in it.
    for folder in installation.folders:
        if folder.exists():
            shutil.rmtree(folder)
        removed.append(folder)
    if installation.has_unit:
        subprocess.run(["userdel", AGENT_USER], check=False)
    return removed
