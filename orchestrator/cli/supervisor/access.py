"""The command line's access to the service on this machine: an admin token in a file with mode 0600."""

from pathlib import Path

from pydantic import ValidationError

from orchestrator.database.engine import Database
from orchestrator.service.security import sessions, tokens
from orchestrator.shared.files.private import write_private
from orchestrator.shared.values.models import LazyModel

LABEL = "command line on this machine"


class Access(LazyModel):
    """Contents of the file ``cli.json``."""

    url: str
    token: str
    certificate: Path | None = None  # to trust, if the service has its own


def read_access(path: Path) -> Access | None:
    """Return the contents of the file, or None if it is missing or damaged."""
    try:
        return Access.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def grant_access(path: Path, database: Database, url: str, certificate: Path | None) -> Access:
    """Write the file with the present address and a valid token: the former one, or a new one."""
    former = read_access(path)
    token = former.token if former else ""
    with database.write() as session:
        if not token or tokens.find(session, token) is None:
            _, token = tokens.create(session, "admin", LABEL)
    access = Access(url=url, token=token, certificate=certificate)
    write_private(path, access.model_dump_json(indent=1) + "\n")
    return access


def login_url(database: Database, access: Access) -> str:
    """Return the dashboard's address with a one-time code that logs the visitor in."""
    with database.write() as session:
        token = tokens.find(session, access.token)
        code = sessions.create_code(session, "admin", token.id if token else None)
    return f"{access.url}/login?code={code}"
