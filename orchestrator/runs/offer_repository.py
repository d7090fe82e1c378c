"""Reads agents, builds, proofs, chunks and earlier results for the planner and the estimate."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Build, Case, CaseSummary, Chunk, Inventory, Proof
from orchestrator.runs.estimate import Measured, MeasuredKey
from orchestrator.runs.offers import AgentOffer, ChunkIndex, ChunkOffer, OfferedImplementation

_ORIGIN_RANK = {"generated": 0, "source": 1, "user": 2}


def agent_offers(session: Session) -> list[AgentOffer]:
    """Return every agent with what its newest current build lists, by name."""
    rows = session.execute(
        select(Agent, Inventory.architecture)
        .outerjoin(Inventory, Inventory.id == Agent.inventory_id)
        .order_by(Agent.name)
    ).all()
    builds = _newest_builds(session)
    return [_offer(session, agent, architecture, builds.get(agent.id)) for agent, architecture in rows]


def chunk_index(session: Session) -> ChunkIndex:
    """Return for each kind and length the chunk to take: the user's own before a source's before a generated one."""
    rows = session.execute(select(Chunk.id, Chunk.kind, Chunk.length_bytes, Chunk.sha256, Chunk.origin)).all()
    ordered = sorted(rows, key=lambda row: (_ORIGIN_RANK.get(row.origin, -1), row.id))
    return {(row.kind, row.length_bytes): ChunkOffer(row.id, row.kind, row.length_bytes, row.sha256) for row in ordered}


def measured(session: Session, agent_ids: Sequence[str]) -> Measured:
    """Return the median work of what these agents executed before, latest run first where there are several."""
    latest = (
        select(func.max(Case.id))
        .join(CaseSummary, CaseSummary.case_id == Case.id)
        .where(Case.agent_id.in_(agent_ids), CaseSummary.ok > 0)
        .group_by(Case.agent_id, Case.provider, Case.algorithm, Case.variant, Case.message_bytes)
    )
    rows = session.execute(
        select(Case, CaseSummary.median_work_wall_ns)
        .join(CaseSummary, CaseSummary.case_id == Case.id)
        .where(Case.id.in_(latest))
    )
    return {
        MeasuredKey(case.agent_id, case.provider, case.algorithm, case.variant, case.message_bytes): work_wall_ns / 1e9
        for case, work_wall_ns in rows
        if work_wall_ns is not None
    }


def _newest_builds(session: Session) -> dict[str, Build]:
    rows = session.scalars(select(Build).where(Build.current.is_(True)).order_by(Build.reported_at, Build.id))
    return {build.agent_id: build for build in rows}


def _offer(session: Session, agent: Agent, architecture: str | None, build: Build | None) -> AgentOffer:
    proofs = _proofs(session, build.id) if build else {}
    runners = build.runners if build else {}
    return AgentOffer(
        agent_id=agent.id,
        name=agent.name,
        architecture=architecture,
        approved=agent.approved_at is not None,
        revoked=agent.revoked_at is not None,
        build_id=build.id if build else None,
        runners={
            provider: tuple(
                _implementation(provider, listed, proofs) for listed in binary["listing"]["implementations"]
            )
            for provider, binary in runners.items()
        },
        left_out=dict(build.left_out) if build else {},
    )


def _proofs(session: Session, build_id: int) -> dict[tuple[str, str, str], Proof]:
    rows = session.scalars(select(Proof).where(Proof.build_id == build_id))
    return {(proof.provider, proof.algorithm, proof.variant): proof for proof in rows}


def _implementation(
    provider: str, listed: dict[str, Any], proofs: dict[tuple[str, str, str], Proof]
) -> OfferedImplementation:
    variant = listed.get("variant")
    proof = proofs.get((provider, listed["algorithm"], variant or ""))
    return OfferedImplementation(
        algorithm=listed["algorithm"],
        variant=variant,
        available=bool(listed["available"]) and variant is not None,
        default=bool(listed.get("default", False)),
        reason=listed.get("reason") or "",
        proved=proof.passed if proof else None,
        proof_detail=proof.detail if proof else "",
    )
