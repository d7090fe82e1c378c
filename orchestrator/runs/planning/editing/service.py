"""Keys of plans with the names that an editor completes."""

from orchestrator.database.engine import Database
from orchestrator.runs.planning.editing.names import plan_keys
from orchestrator.runs.planning.repository import read_offers
from orchestrator.runs.schemas import PlanKeySummary


def list_plan_keys(database: Database) -> list[PlanKeySummary]:
    """Return the keys of plans, with the names that agents, corpus and languages offer as their values now."""
    with database.read() as session:
        offers, chunks = read_offers(session)
    return plan_keys(offers, chunks)
