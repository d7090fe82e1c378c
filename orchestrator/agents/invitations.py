"""Invitations: a join code with a name and labels, and the command that a device executes with it.

The code is no part of the command, which stays in the history of the device's shell: the script prompts for it.
"""

import shlex
from datetime import timedelta
from urllib.parse import urlsplit

from orchestrator.agents.schemas import InvitationCreated, InvitationRequest
from orchestrator.builds.downloads import FOLDER, JOIN_SCRIPT, DownloadShelf
from orchestrator.builds.join_script import script_sha256
from orchestrator.database.engine import Database
from orchestrator.service.security import tokens
from orchestrator.service.security.binding import is_loopback
from orchestrator.service.security.service import JOIN_SECONDS
from orchestrator.shared.settings import ServiceSettings


def invite(
    database: Database, settings: ServiceSettings, shelf: DownloadShelf, url: str, request: InvitationRequest
) -> InvitationCreated:
    """Create a join code and the command for a device; waits until the wheel is made.

    url: address of the service in the caller's request, for a service without a public address of its own.
    Raises Unavailable with the reason, before a code is created, if there is no wheel for devices.
    """
    script = shelf.join_script()
    expires_in = timedelta(seconds=min(request.expires_in_seconds or JOIN_SECONDS, JOIN_SECONDS))
    with database.write() as session:
        token, code = tokens.create(
            session,
            "join",
            f"invitation of {request.name}" if request.name else "invitation",
            expires_in=expires_in,
            agent_name=request.name,
            agent_labels=request.labels,
        )
    server = (settings.public_url or url).rstrip("/")
    return InvitationCreated(
        id=token.id,
        name=request.name,
        labels=request.labels,
        expires_at=token.created_at + expires_in,
        server=server,
        this_machine_only=is_loopback(urlsplit(server).hostname or ""),
        code=code,
        script_sha256=script_sha256(script),
        service_key=shelf.signer.public_key,
        command=join_command(
            server, script_sha256(script), own_authority=shelf.has_own_authority, systemd=request.systemd
        ),
    )


def join_command(server: str, sha256: str, *, own_authority: bool, systemd: bool) -> str:
    """Return the command line for the device, which executes the script in a folder that no other user can write.

    own_authority: the device knows the service's certificate only from the script, so curl does not verify it for the
    script; the SHA-256 does.
    """
    options = ["--server", shlex.quote(server)]
    if not server.startswith("https://"):
        options.append("--insecure-lan")
    if systemd:
        options.append("--systemd")
    fetch = f"curl -fsS{'k' if own_authority else ''} --retry 5 {shlex.quote(server + FOLDER)}/{JOIN_SCRIPT}"
    script = f'"$folder/{JOIN_SCRIPT}"'
    check = f'echo "{sha256}  $folder/{JOIN_SCRIPT}" | sha256sum -c -'
    return f"folder=$(mktemp -d) && {fetch} -o {script} && {check} && sh {script} {' '.join(options)}"
