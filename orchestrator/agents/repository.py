"""Queries over agents and their inventories, builds, calibrations, tokens and jobs."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import and_, case, false, func, or_, select, true, update
from sqlalchemy.orm import Session, defer

from orchestrator.database.models import Agent, APIToken, Build, Calibration, Inventory, Job, Run
from orchestrator.service.keyset import Rows, rows_after
from orchestrator.shared.errors import NotFound
from orchestrator.wire.heartbeats import StopOrder


def find_agent(session: Session, agent_id: str) -> Agent | None:
    """Return the agent with this id."""
    return session.get(Agent, agent_id)


def get_agent(session: Session, agent_id: str) -> Agent:
    """Return the agent with this id; raise NotFound if there is none."""
    agent = find_agent(session, agent_id)
    if agent is None:
        raise NotFound(f"There is no agent {agent_id[:40]!r}.", remedy="List them: ciphermark agents list.")
    return agent


def find_agent_by_name(session: Session, name: str) -> Agent | None:
    """Return the agent with this name."""
    return session.scalar(select(Agent).where(Agent.name == name))


def list_agents(session: Session, after: tuple[str] | None, limit: int) -> Sequence[Agent]:
    """Return up to limit + 1 agents after this name, in the order of their names."""
    query = select(Agent).order_by(Agent.name).limit(limit + 1)
    return session.scalars(query if after is None else query.where(Agent.name > after[0])).all()


def get_inventories(session: Session, inventory_ids: Iterable[int | None]) -> dict[int, Inventory]:
    """Return inventories by id."""
    ids = [inventory_id for inventory_id in inventory_ids if inventory_id is not None]
    return {one.id: one for one in session.scalars(select(Inventory).where(Inventory.id.in_(ids)))}


def find_inventory(session: Session, agent_id: str, sha256: str) -> Inventory | None:
    """Return the agent's inventory with this SHA-256."""
    return session.scalar(select(Inventory).where(Inventory.agent_id == agent_id, Inventory.sha256 == sha256))


def list_inventories(session: Session, agent_id: str, cursor: str | None, limit: int) -> Rows[Inventory]:
    """Return a page of an agent's inventories, newest first."""
    query = select(Inventory).where(Inventory.agent_id == agent_id)
    return rows_after(session, query, (Inventory.id.desc(),), cursor, limit)


def list_builds(session: Session, agent_id: str) -> Sequence[Build]:
    """Return all builds of an agent, newest first."""
    return session.scalars(select(Build).where(Build.agent_id == agent_id).order_by(Build.id.desc())).all()


def list_all_agents(session: Session) -> Sequence[Agent]:
    """Return all agents by name, revoked ones last."""
    return session.scalars(select(Agent).order_by(Agent.revoked_at.is_not(None), Agent.name)).all()


def list_latest_calibrations(session: Session, last_ids: Mapping[str, int | None]) -> list[tuple[Calibration, Build]]:
    """Return the newest calibration of each build and kind of these agents.

    last_ids: by agent, the last calibration that counts; None for all.
    """
    counts = [
        and_(Calibration.agent_id == agent_id, true() if last_id is None else Calibration.id <= last_id)
        for agent_id, last_id in last_ids.items()
    ]
    newest = (
        select(func.max(Calibration.id))
        .where(or_(false(), *counts))
        .group_by(Calibration.agent_id, Calibration.build_id, Calibration.kind)
    )
    rows = session.execute(
        select(Calibration, Build)
        .join(Build, Build.id == Calibration.build_id)
        .where(Calibration.id.in_(newest))
        .order_by(Calibration.kind, Calibration.build_id)
        .options(defer(Build.runners), defer(Build.compile_commands))
    )
    return [(calibration, build) for calibration, build in rows]


def revoke_tokens(session: Session, agent_id: str, at: datetime) -> None:
    """Revoke every token of an agent."""
    session.execute(
        update(APIToken).where(APIToken.agent_id == agent_id, APIToken.revoked_at.is_(None)).values(revoked_at=at)
    )


def find_invitation(session: Session, token_id: str | None) -> APIToken | None:
    """Return the join token with this id."""
    return session.get(APIToken, token_id) if token_id else None


def spend_join_token(session: Session, token_id: str, agent_id: str, device_sha256: str | None, at: datetime) -> bool:
    """Use a join token for this agent on this device; return False if another request used it before."""
    spent = session.execute(
        update(APIToken)
        .where(APIToken.id == token_id, APIToken.role == "join", APIToken.revoked_at.is_(None))
        .values(revoked_at=at, used_at=at, agent_id=agent_id, device_sha256=device_sha256)
        .returning(APIToken.id),
        execution_options={"synchronize_session": False},
    )
    return spent.first() is not None


def list_stop_orders(session: Session, agent_id: str, job_ids: Sequence[int]) -> list[StopOrder]:
    """Return an order for each of the agent's jobs that is cancelled, or whose run is cancelled or paused."""
    reason = case(
        (or_(Job.state == "cancelled", Run.state == "cancelled"), "cancelled"), (Run.state == "paused", "paused")
    )
    query = (
        select(Job.id, reason)
        .join(Run, Run.id == Job.run_id)
        .where(Job.agent_id == agent_id, Job.id.in_(job_ids), reason.is_not(None))
        .order_by(Job.id)
    )
    return [StopOrder(job_id=job_id, reason=why) for job_id, why in session.execute(query)]
