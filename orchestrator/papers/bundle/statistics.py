"""Statistics of the cases in a bundle: they follow from its executions, so that the archive has none."""

from orchestrator.database.engine import Database
from orchestrator.papers.bundle import repository
from orchestrator.results.freshness.service import include


def compute_statistics(rows: Database) -> None:
    """Compute the statistics of all cases from the executions."""
    include(rows, repository.count_every_execution(rows))
