"""What the pages of agents and builds read, and what the page of a run says of its devices."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session, defer

from orchestrator.database.models import (
    Agent,
    Build,
    BuildRequest,
    Calibration,
    Case,
    Footprint,
    Inventory,
    Job,
    Proof,
    Run,
)

BUILDS_SHOWN = 40


def agents(session: Session) -> Sequence[Agent]:
    """Return all agents by name, revoked ones last."""
    return session.scalars(select(Agent).order_by(Agent.revoked_at.is_not(None), Agent.name)).all()


def agent(session: Session, agent_id: str) -> Agent | None:
    """Return one agent."""
    return session.get(Agent, agent_id)


def agents_by_id(session: Session, agent_ids: Sequence[str]) -> Sequence[Agent]:
    """Return these agents, by name."""
    return session.scalars(select(Agent).where(Agent.id.in_(agent_ids)).order_by(Agent.name)).all()


def builds_of_agent(session: Session, agent_id: str) -> Sequence[Build]:
    """Return an agent's builds that can be executed: the default one first, then current ones, the newest first."""
    return session.scalars(
        select(Build)
        .where(Build.agent_id == agent_id, Build.failure.is_(None))
        .order_by(Build.is_default.desc(), Build.current.desc(), Build.id.desc())
        .limit(BUILDS_SHOWN)
    ).all()


def build(session: Session, build_id: int) -> Build | None:
    """Return one build."""
    return session.get(Build, build_id)


def unmet_requests(session: Session, agent_id: str) -> list[tuple[BuildRequest, str]]:
    """Return the toolchains that an agent has no build for, the latest first, each with why it failed or ''."""
    rows = session.execute(
        select(BuildRequest, Build.failure)
        .outerjoin(Build, Build.id == BuildRequest.build_id)
        .where(BuildRequest.agent_id == agent_id, BuildRequest.state != "ready")
        .order_by(BuildRequest.requested_at.desc(), BuildRequest.id.desc())
    )
    return [(request, failure or "" if request.state == "failed" else "") for request, failure in rows]


def footprints(session: Session, build_id: int) -> Sequence[Footprint]:
    """Return what the implementations of a build take in memory."""
    return session.scalars(
        select(Footprint)
        .where(Footprint.build_id == build_id)
        .order_by(Footprint.provider, Footprint.algorithm, Footprint.variant)
    ).all()


def count_footprints(session: Session, build_ids: Sequence[int]) -> dict[int, int]:
    """Return of how many implementations of each build the size is known."""
    sized = select(Footprint.build_id, func.count().label("number")).where(Footprint.build_id.in_(build_ids))
    return {row.build_id: row.number for row in session.execute(sized.group_by(Footprint.build_id))}


def proofs(session: Session, build_ids: Sequence[int]) -> Sequence[Proof]:
    """Return all proofs of these builds."""
    return session.scalars(
        select(Proof).where(Proof.build_id.in_(build_ids)).order_by(Proof.provider, Proof.algorithm, Proof.variant)
    ).all()


def inventories(session: Session, agents: Sequence[Agent]) -> dict[str, Inventory]:
    """Return the present inventory of each agent, by agent id."""
    ids = [agent.inventory_id for agent in agents if agent.inventory_id is not None]
    return {found.agent_id: found for found in session.scalars(select(Inventory).where(Inventory.id.in_(ids)))}


def calibrations(session: Session, agent_ids: Sequence[str]) -> list[tuple[Calibration, Build]]:
    """Return the latest calibration of each kind on each agent's build."""
    latest = (
        select(func.max(Calibration.id))
        .where(Calibration.agent_id.in_(agent_ids))
        .group_by(Calibration.agent_id, Calibration.build_id, Calibration.kind)
    )
    rows = session.execute(
        select(Calibration, Build)
        .join(Build, Build.id == Calibration.build_id)
        .where(Calibration.id.in_(latest))
        .order_by(Calibration.kind, Calibration.build_id)
        .options(defer(Build.runners))
    )
    return [(calibration, build) for calibration, build in rows]


def builds_of_run(session: Session, run_id: str) -> Sequence[Build]:
    """Return the builds of a run's cases, those that failed included."""
    used = select(Case.build_id).where(Case.run_id == run_id).distinct()
    # What the runners list is long and not shown with a run.
    return session.scalars(
        select(Build).where(Build.id.in_(used)).order_by(Build.id).options(defer(Build.runners))
    ).all()


def runs_of_agent(session: Session, agent_id: str, limit: int) -> Sequence[Run]:
    """Return the latest runs that have a job for this agent."""
    theirs = select(Job.run_id).where(Job.agent_id == agent_id)
    return session.scalars(select(Run).where(Run.id.in_(theirs)).order_by(Run.submitted_at.desc()).limit(limit)).all()
