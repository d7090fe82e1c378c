"""Queries over builds, proofs and calibrations."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Build, Calibration, Proof


def agent_exists(session: Session, agent_id: str) -> bool:
    """Tell whether there is such an agent."""
    return session.scalar(select(Agent.id).where(Agent.id == agent_id)) is not None


def by_key(session: Session, agent_id: str, build_key: str) -> Build | None:
    """Return the agent's build of that key."""
    return session.scalar(select(Build).where(Build.agent_id == agent_id, Build.build_key == build_key))


def by_id(session: Session, build_id: int) -> Build | None:
    """Return a build."""
    return session.get(Build, build_id)


def current_builds(session: Session, agent_id: str) -> Sequence[Build]:
    """Return the builds that new runs on this agent use."""
    return session.scalars(select(Build).where(Build.agent_id == agent_id, Build.current)).all()


def retire(session: Session, build_ids: Iterable[int]) -> None:
    """Mark builds as replaced by newer ones."""
    session.execute(
        update(Build).where(Build.id.in_(list(build_ids))).values(current=False),
        execution_options={"synchronize_session": False},
    )


def list_builds(session: Session, agent_id: str | None, before_id: int | None, limit: int) -> Sequence[Build]:
    """Return up to limit + 1 builds, newest first."""
    query = select(Build).order_by(Build.id.desc()).limit(limit + 1)
    if agent_id is not None:
        query = query.where(Build.agent_id == agent_id)
    if before_id is not None:
        query = query.where(Build.id < before_id)
    return session.scalars(query).all()


def proofs(session: Session, build_id: int) -> Sequence[Proof]:
    """Return the proofs of a build."""
    order = (Proof.provider, Proof.algorithm, Proof.variant)
    return session.scalars(select(Proof).where(Proof.build_id == build_id).order_by(*order)).all()


def proof_counts(session: Session, build_ids: Iterable[int]) -> dict[tuple[int, bool], int]:
    """Return how many proofs of each build passed and failed."""
    query = (
        select(Proof.build_id, Proof.passed, func.count())
        .where(Proof.build_id.in_(list(build_ids)))
        .group_by(Proof.build_id, Proof.passed)
    )
    return {(build_id, passed): count for build_id, passed, count in session.execute(query)}


def add_calibration(session: Session, values: dict[str, Any]) -> Calibration:
    """Store a calibration."""
    calibration = Calibration(**values)
    session.add(calibration)
    session.flush()
    return calibration
