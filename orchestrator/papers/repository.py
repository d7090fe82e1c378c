"""Queries on the conditions of a run: builds, inventories, executions by state, omissions."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Build, Case, Execution, Omission, RunAgent
from orchestrator.papers.schemas import OmissionsOfRun


def agents_of_run(session: Session, run_id: str) -> Sequence[str]:
    """Return the ids of the agents of a run, by name."""
    query = select(Agent.id).join(RunAgent, RunAgent.agent_id == Agent.id).where(RunAgent.run_id == run_id)
    return session.scalars(query.order_by(Agent.name)).all()


def builds_of_run(session: Session, run_id: str, agent_id: str) -> Sequence[Build]:
    """Return the builds that execute the cases of a run on an agent."""
    used = select(Case.build_id).where(Case.run_id == run_id, Case.agent_id == agent_id).distinct()
    return session.scalars(select(Build).where(Build.id.in_(used)).order_by(Build.id)).all()


def executions_by_state(session: Session, run_id: str, agent_id: str) -> dict[str, int]:
    """Return the number of executions of a run on an agent in each state."""
    query = (
        select(Execution.state, func.count())
        .join(Case, Case.id == Execution.case_id)
        .where(Execution.run_id == run_id, Case.agent_id == agent_id)
        .group_by(Execution.state)
        .order_by(Execution.state)
    )
    return {row[0]: row[1] for row in session.execute(query)}


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
