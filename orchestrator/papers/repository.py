"""Queries on the conditions of a run: its omissions."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Omission
from orchestrator.papers.schemas import OmissionsOfRun


def omissions(session: Session, run_id: str) -> list[OmissionsOfRun]:
    """Return the omitted combinations of a run by agent and reason."""
    query = (
        select(Agent.name, Omission.reason, func.count(), func.sum(Omission.executions))
        .outerjoin(Agent, Agent.id == Omission.agent_id)
        .where(Omission.run_id == run_id)
        .group_by(Agent.name, Omission.reason)
        .order_by(Agent.name, Omission.reason)
    )
    return [
        OmissionsOfRun(agent_name=name, reason=reason, combinations=combinations, executions=executions)
        for name, reason, combinations, executions in session.execute(query)
    ]
