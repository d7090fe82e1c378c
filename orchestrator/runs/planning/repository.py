"""Queries for the planner: agents with their builds and proofs, and the chunks of the corpus."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

from sqlalchemy import select
from sqlalchemy.orm import Session

from orchestrator.agents.liveness import is_live
from orchestrator.builds.masked_variants import MASKED_SHARES, masked_variants_of
from orchestrator.builds.repository import code_sizes
from orchestrator.builds.requests import get_usable_builds
from orchestrator.database.models import Agent, Build, BuildRequest, Chunk, Inventory, Proof, now
from orchestrator.runs.planning.library_versions import OWN, library_builds
from orchestrator.runs.planning.offers import (
    AgentOffer,
    BuildOffer,
    ChunkIndex,
    ChunkOffer,
    FailedBuild,
    OfferedFacts,
    OfferedGenerator,
    OfferedImplementation,
    OfferedMasking,
)
from orchestrator.wire.agents import METER_PREFIX
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.health import Health
from orchestrator.wire.messages import Operation
from orchestrator.wire.plans import Plan

_FIRST_HEARTBEAT = timedelta(minutes=1)
"""Time after its enrollment in which a daemon counts as starting."""
_ORIGIN_RANK = {"generated": 0, "source": 1, "user": 2}


def read_offers(
    session: Session, plan: Plan | None = None, *, accept_failed_builds: bool = False
) -> tuple[list[AgentOffer], ChunkIndex]:
    """Return all agents by name, with their default build and their builds of the plan's toolchains, and all chunks.

    plan: None for the default builds alone.
    accept_failed_builds: whether the settled requests of an agent count, including failures; otherwise a toolchain
    without a usable build is missing from the offer, and is requested again.
    """
    rows = session.execute(
        select(Agent, Inventory).outerjoin(Inventory, Inventory.id == Agent.inventory_id).order_by(Agent.name)
    ).all()
    offers = [_offer(session, agent, inventory, plan, accept_failed_builds) for agent, inventory in rows]
    return offers, _chunk_index(session)


def _chunk_index(session: Session) -> ChunkIndex:
    """Return the chunk to use for each kind and length: the user's, otherwise a source's, otherwise a generated one."""
    rows = session.execute(select(Chunk.id, Chunk.kind, Chunk.length_bytes, Chunk.sha256, Chunk.origin)).all()
    ordered = sorted(rows, key=lambda row: (_ORIGIN_RANK.get(row.origin, -1), row.id))
    return {(row.kind, row.length_bytes): ChunkOffer(row.id, row.kind, row.length_bytes, row.sha256) for row in ordered}


def _offer(
    session: Session, agent: Agent, inventory: Inventory | None, plan: Plan | None, accept_failed: bool
) -> AgentOffer:
    versions = _library_versions(inventory.facts) if inventory else {}
    default, usable = get_usable_builds(session, agent.id)
    default_offer = _build(session, default) if default else None
    is_masked = default_offer is not None and default_offer.is_masked
    toolchains = (
        [*plan.all_toolchains(is_masked), *library_builds(plan, agent.name, versions).toolchains] if plan else []
    )
    settled = _settled_requests(session, agent.id) if accept_failed and toolchains else {}
    builds: dict[Toolchain, BuildOffer | FailedBuild] = {}
    in_progress = _open_requests(session, agent.id) if toolchains else set()
    for toolchain in toolchains:
        if toolchain in in_progress:
            continue
        build = usable.get(toolchain) or settled.get(toolchain)
        if build is not None and build.failure is not None:
            builds[toolchain] = FailedBuild(build.id, build.failure)
        elif build is not None:
            builds[toolchain] = _build(session, build)
    return AgentOffer(
        agent_id=agent.id,
        name=agent.name,
        architecture=inventory.architecture if inventory else None,
        approved=agent.approved_at is not None,
        revoked=agent.revoked_at is not None,
        health=cast(Health, agent.health),
        health_reason=agent.health_reason,
        health_checked_at=agent.health_checked_at,
        build=default_offer,
        preparing=_preparing(agent),
        builds=builds,
        library_versions=versions,
        labels=tuple(agent.labels),
        facts=_facts(inventory.facts) if inventory else None,
        masked=tuple(_masked(default)) if default and not is_masked and (plan is None or plan.is_masked) else (),
    )


def _preparing(agent: Agent) -> str | None:
    """Return what a daemon does that prepares its machine; one that joined sends its first heartbeat after seconds."""
    at = now()
    is_new = agent.last_heartbeat_at is None and agent.enrolled_at >= at - _FIRST_HEARTBEAT
    is_preparing = agent.state == "preparing" and is_live(agent, at)
    return agent.activity or "starting" if is_new or is_preparing else None


def _facts(found: dict[str, Any]) -> OfferedFacts:
    """Return the facts of a stored inventory; those that an earlier daemon did not report are absent."""
    counters = bool(found.get("hardware_counters"))
    return OfferedFacts(
        features=frozenset((found.get("processor") or {}).get("isa_extensions") or ()),
        counters=counters,
        counters_reason="" if counters else (found.get("absent") or {}).get("hardware_counters", ""),
        meter=any(name.startswith(METER_PREFIX) for name in found.get("sensors") or ()),
        memory_bytes=found.get("memory_bytes") or None,
    )


def _masked(default: Build) -> Iterator[OfferedImplementation]:
    """Yield the masked variants of the shipped sources that an agent's build with them is expected to have."""
    if OWN not in default.runners:
        return
    listing = default.runners[OWN]["listing"]
    generators = _generators(listing)
    rows = [one for one in listing["implementations"] if one["variant"]]
    features = {feature for one in rows if one["available"] for feature in one.get("requires", ())}
    # The first row of each algorithm: all its variants have the same kind and lengths.
    for listed in {one["algorithm"]: one for one in reversed(rows)}.values():
        for variant in masked_variants_of(listed["algorithm"]):
            missing = [feature for feature in variant.features if feature not in features]
            yield OfferedImplementation(
                algorithm=listed["algorithm"],
                variant=variant.name,
                available=not missing,
                reason=f"this processor lacks {', '.join(missing)}" if missing else "",
                proved=True,
                kind=listed.get("kind") or "",
                block_bytes=listed.get("block_bytes") or 0,
                masking=OfferedMasking(MASKED_SHARES, variant.degrees, generators),
            )


def _library_versions(found: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    return {provider: tuple(versions) for provider, versions in (found.get("library_versions") or {}).items()}


def _settled_requests(session: Session, agent_id: str) -> dict[Toolchain, Build]:
    rows = session.execute(
        select(BuildRequest.toolchain, Build)
        .join(Build, Build.id == BuildRequest.build_id)
        .where(BuildRequest.agent_id == agent_id, BuildRequest.state != "open")
    )
    return {Toolchain.model_validate(toolchain): build for toolchain, build in rows}


def _open_requests(session: Session, agent_id: str) -> set[Toolchain]:
    """Return the toolchains that the agent is building. Such a build may be stored, but not all of its proofs."""
    query = select(BuildRequest.toolchain).where(BuildRequest.agent_id == agent_id, BuildRequest.state == "open")
    return {Toolchain.model_validate(toolchain) for toolchain in session.scalars(query)}


def _build(session: Session, build: Build) -> BuildOffer:
    proofs, sizes = _proofs(session, build.id), code_sizes(session, build.id)
    return BuildOffer(
        build_id=build.id,
        runners={
            provider: tuple(
                replace(
                    _implementation(provider, listed, proofs, _generators(binary["listing"])),
                    code_bytes=sizes.get((provider, listed["algorithm"], listed["variant"])),
                )
                for listed in binary["listing"]["implementations"]
            )
            for provider, binary in build.runners.items()
        },
        missing_providers=dict(build.missing_providers),
    )


def _proofs(session: Session, build_id: int) -> dict[tuple[str, str, str], Proof]:
    rows = session.scalars(select(Proof).where(Proof.build_id == build_id))
    return {(proof.provider, proof.algorithm, proof.variant): proof for proof in rows}


def _generators(listing: dict[str, Any]) -> tuple[OfferedGenerator, ...]:
    return tuple(
        OfferedGenerator(one["name"], None if one["available"] else one.get("reason") or "it is not available")
        for one in listing.get("generators", ())
    )


def _implementation(
    provider: str,
    listed: dict[str, Any],
    proofs: dict[tuple[str, str, str], Proof],
    generators: tuple[OfferedGenerator, ...],
) -> OfferedImplementation:
    variant = listed.get("variant")
    proof = proofs.get((provider, listed["algorithm"], variant or ""))
    forms = listed.get("masking")
    return OfferedImplementation(
        algorithm=listed["algorithm"],
        variant=variant,
        available=bool(listed["available"]) and variant is not None,
        default=bool(listed.get("default", False)),
        fastest_at=tuple((proof.fastest_at if proof else None) or ()),
        reason=listed.get("reason") or "",
        proved=proof.passed if proof else None,
        proof_detail=proof.detail if proof else "",
        kind=listed.get("kind") or "",
        block_bytes=listed.get("block_bytes") or 0,
        whole_blocks_only=bool(listed.get("whole_blocks_only", False)),
        messages_at_once=listed.get("messages_at_once"),
        masking=OfferedMasking(tuple(forms["shares"]), tuple(forms["degrees"]), generators) if forms else None,
        declared=tuple(Operation.model_validate(one) for one in listed.get("operations", ())),
        process=tuple(listed.get("process", ())),
    )
