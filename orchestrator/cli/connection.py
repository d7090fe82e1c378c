"""The client of a command, from the options before the command."""

from pathlib import Path

import typer

from orchestrator.cli.client import APIClient
from orchestrator.cli.supervisor.access import ServiceAccess
from orchestrator.shared.errors import SetupError


def connect(ctx: typer.Context) -> APIClient:
    """Return the client for the service named by the command line, the environment or ``up``."""
    options = ctx.find_root().obj
    token = read_token(options.token_file) if options.token_file is not None else None
    return APIClient(ServiceAccess.find(options.url, token))


def read_token(path: Path) -> str:
    """Return the token in a file; it is never an argument, which every user of the machine can read."""
    try:
        token = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise SetupError(f"The token cannot be read from {path}: {reason}.", remedy="Check --token-file.") from error
    if not token or any(character.isspace() for character in token):
        raise SetupError(f"{path} does not contain one token.", remedy="Write the token alone into the file.")
    return token
