"""Tokens that the service on this machine grants: to its command line, and for one login to the dashboard."""

from pathlib import Path

from orchestrator.cli.supervisor.access import ServiceAccess
from orchestrator.database.engine import Database
from orchestrator.service.security import sessions, tokens

LABEL = "command line on this machine"


def grant_access(path: Path, database: Database, url: str, certificate: Path | None) -> ServiceAccess:
    """Write the file with the present address and a valid token: the former one, or a new one."""
    former = ServiceAccess.read(path)
    token = former.token if former else None
    with database.write() as session:
        if not token or tokens.find(session, token) is None:
            _, token = tokens.create(session, "admin", LABEL)
    access = ServiceAccess(url=url, token=token, certificate=certificate)
    access.write(path)
    return access


def login_url(database: Database, access: ServiceAccess) -> str:
    """Return the dashboard's address with a one-time code that logs the visitor in."""
    with database.write() as session:
        token = tokens.find(session, access.token or "")
        code = sessions.create_code(session, "admin", token.id if token else None)
    return f"{access.url}/login?code={code}"
