"""Revision of the schema: of a database, and of this version. Without Alembic, which only an upgrade needs."""

from sqlalchemy import inspect, text

from orchestrator.database.engine import Database
from orchestrator.shared.errors import SetupError
from orchestrator.shared.resources import shipped


def expected_revision() -> str:
    """Return the revision that this version requires: the number of the last migration."""
    revisions = [path.name.partition("_")[0] for path in (shipped("migrations") / "versions").glob("[0-9]*.py")]
    if not revisions:
        raise SetupError("The migrations are missing from this installation.", remedy="Install Ciphermark again.")
    return max(revisions)


def present_revision(database: Database) -> str | None:
    """Return the revision of a database, or None if it has no Ciphermark schema."""
    with database.read() as session:
        if not inspect(session.connection()).has_table("alembic_version"):
            return None
        revision: str | None = session.scalar(text("SELECT version_num FROM alembic_version"))
        return revision
