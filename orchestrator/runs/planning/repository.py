"""Reads agents, builds, proofs, chunks and earlier results for the planner and the estimate."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from orchestrator.builds.requests import usable_builds
from orchestrator.database.models import (
    Agent,
    Build,
    BuildRequest,
    Case,
    CaseStatistics,
    Chunk,
    Execution,
    Inventory,
    Proof,
)
from orchestrator.runs.planning.estimate import Measured, MeasuredKey, Timed
from orchestrator.runs.planning.offers import (
    AgentOffer,
    BuildOffer,
    ChunkIndex,
    ChunkOffer,
    FailedBuild,
    OfferedImplementation,
)
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.health import Health

_ORIGIN_RANK = {"generated": 0, "source": 1, "user": 2}


def agent_offers(
    session: Session, toolchains: Iterable[Toolchain] = (), *, take_answers: bool = False
) -> list[AgentOffer]:
    """Return every agent, by name, with its default build and what it has built of these toolchains.

    take_answers: what daemons answered to requests counts, failures too, as for a run that waited for them; without
    it a toolchain that has no usable build is not there, because it will be asked for again.
    """
    rows = session.execute(
        select(Agent, Inventory.architecture)
        .outerjoin(Inventory, Inventory.id == Agent.inventory_id)
        .order_by(Agent.name)
    ).all()
    wanted = list(toolchains)
    return [_offer(session, agent, architecture, wanted, take_answers) for agent, architecture in rows]


def chunk_index(session: Session) -> ChunkIndex:
    """Return for each kind and length the chunk to take: the user's own before a source's before a generated one."""
    rows = session.execute(select(Chunk.id, Chunk.kind, Chunk.length_bytes, Chunk.sha256, Chunk.origin)).all()
    ordered = sorted(rows, key=lambda row: (_ORIGIN_RANK.get(row.origin, -1), row.id))
    return {(row.kind, row.length_bytes): ChunkOffer(row.id, row.kind, row.length_bytes, row.sha256) for row in ordered}


_KEY_COLUMNS = (
    Case.agent_id, Case.build_id, Case.provider, Case.algorithm, Case.variant, Case.message_bytes, Case.protocol,
    Case.operation, Case.associated_data_bytes, Case.key_setup, Case.timings, Case.min_timing_ms,
)  # fmt: skip


def measured(session: Session, agent_ids: Sequence[str]) -> Measured:
    """Return how long these agents took before, latest run first where there are several."""
    latest = (
        select(func.max(Case.id))
        .join(CaseStatistics, CaseStatistics.case_id == Case.id)
        .where(Case.agent_id.in_(agent_ids), CaseStatistics.ok > 0)
        .group_by(*_KEY_COLUMNS)
    )
    found: dict[MeasuredKey, float] = {}
    # Ascending, so that of several builds the latest case stands for any build.
    for row, wall_ns in sorted(
        [*_process_walls(session, Case.id.in_(latest)), *_latency_walls(session, Case.id.in_(latest))],
        key=lambda pair: pair[0].id,
    ):
        timed = None
        if row.protocol == "latency":
            timed = Timed(row.operation, row.associated_data_bytes, row.key_setup, row.timings, row.min_timing_ms)
        what = (row.provider, row.algorithm, row.variant, row.message_bytes, timed)
        for build_id in (row.build_id, None):
            found[MeasuredKey(row.agent_id, build_id, *what)] = wall_ns / 1e9
    return found


def _process_walls(session: Session, chosen: ColumnElement[bool]) -> list[tuple[Any, float]]:
    rows = session.execute(
        select(Case.id, *_KEY_COLUMNS, CaseStatistics.median_work_wall_ns)
        .join(CaseStatistics, CaseStatistics.case_id == Case.id)
        .where(chosen, Case.protocol == "process", CaseStatistics.median_work_wall_ns.is_not(None))
    )
    return [(row, row.median_work_wall_ns) for row in rows]


def _latency_walls(session: Session, chosen: ColumnElement[bool]) -> list[tuple[Any, float]]:
    # The time of a call says nothing of how long its execution takes: that is the process'.
    mean = func.avg(Execution.process_wall_ns)
    rows = session.execute(
        select(Case.id, *_KEY_COLUMNS, mean.label("mean_wall_ns"))
        .join(Execution, Execution.case_id == Case.id)
        .where(chosen, Case.protocol == "latency", Execution.state == "ok", Execution.process_wall_ns.is_not(None))
        .group_by(Case.id)
    )
    return [(row, float(row.mean_wall_ns)) for row in rows]


def _offer(
    session: Session, agent: Agent, architecture: str | None, toolchains: Sequence[Toolchain], take_answers: bool
) -> AgentOffer:
    default, usable = usable_builds(session, agent.id)
    answered = _answers(session, agent.id) if take_answers and toolchains else {}
    builds: dict[Toolchain, BuildOffer | FailedBuild] = {}
    for toolchain in toolchains:
        build = usable.get(toolchain) or answered.get(toolchain)
        if build is not None and build.failure is not None:
            builds[toolchain] = FailedBuild(build.id, build.failure)
        elif build is not None:
            builds[toolchain] = _build(session, build)
    return AgentOffer(
        agent_id=agent.id,
        name=agent.name,
        architecture=architecture,
        approved=agent.approved_at is not None,
        revoked=agent.revoked_at is not None,
        health=cast(Health, agent.health),
        health_reason=agent.health_reason,
        build=_build(session, default) if default else None,
        builds=builds,
    )


def _answers(session: Session, agent_id: str) -> dict[Toolchain, Build]:
    rows = session.execute(
        select(BuildRequest.toolchain, Build)
        .join(Build, Build.id == BuildRequest.build_id)
        .where(BuildRequest.agent_id == agent_id, BuildRequest.state != "open")
    )
    return {Toolchain.model_validate(toolchain): build for toolchain, build in rows}


def _build(session: Session, build: Build) -> BuildOffer:
    proofs = _proofs(session, build.id)
    return BuildOffer(
        build_id=build.id,
        runners={
            provider: tuple(
                _implementation(provider, listed, proofs) for listed in binary["listing"]["implementations"]
            )
            for provider, binary in build.runners.items()
        },
        missing_providers=dict(build.missing_providers),
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
        kind=listed.get("kind") or "",
        block_bytes=listed.get("block_bytes") or 0,
        whole_blocks_only=bool(listed.get("whole_blocks_only", False)),
    )
