"""Statements over false reports and over the trust in agents."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import literal, select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Case, FalseReport, PendingDigest
from orchestrator.database.rows import changed, upsert
from orchestrator.service.trust.kinds import Finding, Kind
from orchestrator.wire.base import NOOP


def list_false_reports(session: Session, agent_ids: Iterable[str]) -> Sequence[FalseReport]:
    """Return the false reports of these agents, proven ones first, then the oldest."""
    query = select(FalseReport).where(FalseReport.agent_id.in_(list(agent_ids)))
    return session.scalars(query.order_by(FalseReport.proven.desc(), FalseReport.first_at, FalseReport.id)).all()


def contradicted_agents(session: Session, agent_ids: Iterable[str]) -> set[str]:
    """Return those of these agents with times that their own health checks contradict, until they are trusted again."""
    kind: Kind = "faster-than-control"
    found = list_false_reports(session, agent_ids)
    return {one.agent_id for one in found if one.kind == kind and one.lifted_at is None}


def distrusted_agents(session: Session) -> set[str]:
    """Return the agents whose results are withdrawn until an operator trusts them again."""
    return set(session.scalars(select(Agent.id).where(Agent.distrusted_at.is_not(None))))


def note_false_report(session: Session, agent_id: str, finding: Finding, at: datetime) -> None:
    """Count a false report; the first of its kind since the agent was last trusted keeps its evidence."""
    values = {"proven": finding.proven, "detail": finding.detail, "evidence": finding.evidence}
    statement = upsert(session, FalseReport).values(
        agent_id=agent_id, kind=finding.kind, times=0, first_at=at, last_at=at, lifted_at=None, **values
    )
    session.execute(statement.on_conflict_do_nothing(index_elements=["agent_id", "kind"]))
    known = update(FalseReport).where(FalseReport.agent_id == agent_id, FalseReport.kind == finding.kind)
    changed(session, known.where(FalseReport.lifted_at.is_not(None)).values(lifted_at=None, **values))
    changed(session, known.values(times=FalseReport.times + 1, last_at=at))


def distrust(session: Session, agent_id: str, reason: str, at: datetime) -> bool:
    """Quarantine an agent; return False if it is distrusted already."""
    trusted = update(Agent).where(Agent.id == agent_id, Agent.distrusted_at.is_(None))
    return bool(changed(session, trusted.values(distrusted_at=at, health="quarantined", health_reason=reason)))


def trust(session: Session, agent_id: str, at: datetime) -> bool:
    """End the distrust of an agent and request a health check; return False if it is trusted already."""
    distrusted = update(Agent).where(Agent.id == agent_id, Agent.distrusted_at.is_not(None))
    values = {"distrusted_at": None, "health": "unchecked", "health_reason": "", "health_check_requested": True}
    if not changed(session, distrusted.values(**values)):
        return False
    open_reports = update(FalseReport).where(FalseReport.agent_id == agent_id, FalseReport.lifted_at.is_(None))
    changed(session, open_reports.values(lifted_at=at))
    return True


def judge_again(session: Session, agent_id: str) -> None:
    """Request the judgment of every input that this agent has encrypted, because its voice counts differently now."""
    pairs = (
        select(Case.algorithm, Case.input_sha256, literal(1))
        .where(Case.agent_id == agent_id, Case.input_sha256.is_not(None), Case.algorithm != NOOP)
        .distinct()
    )
    statement = upsert(session, PendingDigest).from_select(["algorithm", "input_sha256", "requests"], pairs)
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["algorithm", "input_sha256"], set_={"requests": PendingDigest.requests + 1}
        )
    )
