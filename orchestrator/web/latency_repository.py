"""What only the pages of latency runs read: typical executions, and what was skipped for want of a build."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Build, Case, CaseStatistics, Execution


@dataclass(frozen=True)
class TypicalExecution:
    """The verified execution of a case whose call is nearest to the median of the case."""

    execution_id: int
    readings: dict[str, Any]


@dataclass(frozen=True)
class SkippedCases:
    """Cases of one build that were skipped for one reason."""

    agent: str
    toolchain: dict[str, Any]
    error: str | None
    detail: str | None
    cases: int
    executions: int


def typical_executions(session: Session, case_ids: Sequence[int]) -> dict[int, TypicalExecution]:
    """Return the typical execution of each case that has a verified one, by case id."""
    distance = func.abs(Execution.call_wall_ns - CaseStatistics.median_call_wall_ns)
    place = func.row_number().over(partition_by=Execution.case_id, order_by=(distance, Execution.repetition))
    nearest = (
        select(Execution.id, place.label("place"))
        .join(CaseStatistics, CaseStatistics.case_id == Execution.case_id)
        .where(Execution.case_id.in_(case_ids), Execution.state == "ok", Execution.purpose == "timing")
        .subquery()
    )
    rows = session.execute(
        select(Execution.case_id, Execution.id, Execution.readings)
        .join(nearest, nearest.c.id == Execution.id)
        .where(nearest.c.place == 1)
    )
    return {case_id: TypicalExecution(execution_id, readings or {}) for case_id, execution_id, readings in rows}


def skipped_cases(session: Session, run_id: str) -> list[SkippedCases]:
    """Return what a run skipped, by build and reason."""
    error, detail = (Execution.failure[name].as_string() for name in ("error", "detail"))
    rows = session.execute(
        select(Agent.name, Build.toolchain, error, detail, func.count(Case.id.distinct()), func.count())
        .select_from(Execution)
        .join(Case, Case.id == Execution.case_id)
        .join(Agent, Agent.id == Case.agent_id)
        .join(Build, Build.id == Case.build_id)
        .where(Execution.run_id == run_id, Execution.state == "skipped")
        .group_by(Case.agent_id, Case.build_id, error, detail)
        .order_by(Agent.name, Case.build_id)
    )
    return [SkippedCases(*row) for row in rows]
