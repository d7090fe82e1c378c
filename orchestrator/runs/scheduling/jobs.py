"""Jobs of a layout: written with their executions, in transactions of a limited number of rows."""

from collections.abc import Iterable, Iterator, Mapping

from orchestrator.runs.scheduling import repository
from orchestrator.runs.scheduling.lease import Lease
from orchestrator.runs.scheduling.order import Placement
from orchestrator.runs.scheduling.repository import ROWS_PER_TRANSACTION


def write_jobs(
    lease: Lease,
    jobs: Iterable[list[Placement]],
    *,
    agent_id: str,
    case_ids: Mapping[int, int],
    first_number: int = 0,
) -> None:
    """Write planned jobs of one agent in their order; raise LeaseLost where the run is no longer this scheduler's.

    case_ids: by case number.
    """
    number = first_number
    for group in _groups(jobs):
        with lease.transaction() as session:
            repository.insert_jobs(
                session,
                group,
                run_id=lease.run_id,
                agent_id=agent_id,
                case_ids=case_ids,
                first_number=number,
            )
        number += len(group)


def _groups(jobs: Iterable[list[Placement]]) -> Iterator[list[list[Placement]]]:
    """Yield consecutive jobs whose rows fit one transaction; a larger job is a group of its own."""
    group: list[list[Placement]] = []
    rows = 0
    for job in jobs:
        if group and rows + len(job) + 1 > ROWS_PER_TRANSACTION:
            yield group
            group, rows = [], 0
        group.append(job)
        rows += len(job) + 1
    if group:
        yield group
