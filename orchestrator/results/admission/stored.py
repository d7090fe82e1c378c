"""The bounds of times, for executions that another service admitted."""

from orchestrator.database.engine import Database
from orchestrator.results.admission.bounds import broken_bound
from orchestrator.results.admission.least_work import work_of
from orchestrator.results.admission.repository import stored_times


def broken_times(database: Database) -> list[str]:
    """Return a sentence for each stored execution whose time breaks a bound: its case, repetition and the bound."""
    found = []
    with database.read() as session:
        for case, repetition, times, machine in stored_times(session):
            broken = broken_bound(times, work_of(case.algorithm, case.operation, case.message_bytes), machine)
            if broken is not None:
                name = f"{case.provider} {case.algorithm} {case.variant}"
                found.append(f"{name}, repetition {repetition}: {broken}")
    return found
