"""Jobs with their executions into the database, in transactions of at most 1000 rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy import insert
from sqlalchemy.orm import Session

from orchestrator.database.models import Execution, Job
from orchestrator.runs.scheduling.lease import Hold
from orchestrator.runs.scheduling.order import Placement
from orchestrator.runs.state import JobState

ROWS_A_TRANSACTION = 1000

Row = TypeVar("Row")


@dataclass(frozen=True)
class JobPlace:
    """Where jobs belong."""

    agent_id: str
    case_ids: Mapping[int, int]
    """Case number → id."""
    first_number: int = 0
    state: JobState = JobState.WAITING


def write_jobs(hold: Hold, place: JobPlace, jobs: Iterable[list[Placement]]) -> None:
    """Write the jobs one after the other; raises NotOurs where the run is taken away in between."""
    number = place.first_number
    for group in _groups_of_jobs(jobs):
        with hold.batch() as session:
            _write(session, hold.run_id, place, number, group)
        number += len(group)


def groups(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Yield the rows in parts that fit one transaction."""
    for start in range(0, len(rows), ROWS_A_TRANSACTION):
        yield rows[start : start + ROWS_A_TRANSACTION]


def _write(session: Session, run_id: str, place: JobPlace, number: int, group: Sequence[list[Placement]]) -> None:
    rows = [
        {
            "run_id": run_id,
            "agent_id": place.agent_id,
            "number": number + offset,
            "state": place.state,
            "executions_total": len(job),
        }
        for offset, job in enumerate(group)
    ]
    inserted = session.scalars(insert(Job).returning(Job.id, sort_by_parameter_order=True), rows).all()
    session.execute(
        insert(Execution),
        [
            {
                "run_id": run_id,
                "case_id": place.case_ids[placement.case_number],
                "job_id": job_id,
                "repetition": placement.repetition,
                "purpose": placement.purpose,
                "position": placement.position,
            }
            for job_id, job in zip(inserted, group, strict=True)
            for placement in job
        ],
    )


def _groups_of_jobs(jobs: Iterable[list[Placement]]) -> Iterator[list[list[Placement]]]:
    """Yield jobs together as long as their rows fit one transaction."""
    group: list[list[Placement]] = []
    rows = 0
    for job in jobs:
        if group and rows + len(job) + 1 > ROWS_A_TRANSACTION:
            yield group
            group, rows = [], 0
        group.append(job)
        rows += len(job) + 1
    if group:
        yield group
