"""Agents, chunks and plans for tests of the planner."""

import itertools
from collections.abc import Mapping
from typing import Any

from orchestrator.runs.planning.expansion import Expansion
from orchestrator.runs.planning.offers import (
    AgentOffer,
    BuildOffer,
    ChunkOffer,
    OfferedGenerator,
    OfferedImplementation,
    OfferedMasking,
    Runners,
)
from orchestrator.runs.planning.planner import expand
from orchestrator.shared.units import KIB
from orchestrator.wire.plans import Plan

KINDS = ("random", "audio", "video", "text")
SIZES = (128 * KIB, 256 * KIB)


def implementation(algorithm: str, variant: str | None = "ref", **given: Any) -> OfferedImplementation:
    values = {"available": variant is not None, "default": variant == "ref", "proved": True, **given}
    return OfferedImplementation(algorithm, variant, **values)


GENERATORS = (
    OfferedGenerator("free"),
    OfferedGenerator("chacha20"),
    OfferedGenerator("aes-ctr", "the processor lacks aes"),
)


def masked(algorithm: str, variant: str = "masked64", *degrees: str, **given: Any) -> OfferedImplementation:
    """Return a masked implementation with 2 to 6 shares."""
    forms = OfferedMasking((2, 3, 4, 5, 6), degrees or ("full", "init-final"), GENERATORS)
    return implementation(algorithm, variant, masking=forms, kind="aead", **given)


RUNNERS = {
    "cryptopp": (implementation("aes-128-ctr"), implementation("chacha20-256")),
    "own": (
        implementation("aes-128-ctr"),
        implementation("aes-128-ctr", "aesni", available=False, reason="the processor lacks aes"),
        implementation("salsa20-256", None, reason="own has no Salsa20 yet"),
    ),
}


def build(
    build_id: int = 1, runners: Runners = RUNNERS, missing_providers: Mapping[str, str] | None = None
) -> BuildOffer:
    return BuildOffer(
        build_id, runners, {"botan": "libbotan is not installed"} if missing_providers is None else missing_providers
    )


def agent(name: str = "pi", architecture: str = "aarch64", **given: Any) -> AgentOffer:
    offered = {name: given.pop(name) for name in ("runners", "missing_providers") if name in given}
    return AgentOffer(f"{name:0<12}", name, architecture, **{"build": build(**offered), **given})


def chunks(kinds: tuple[str, ...] = KINDS, sizes: tuple[int, ...] = SIZES) -> dict[tuple[str, int], ChunkOffer]:
    pairs = itertools.product(kinds, sizes)
    return {(kind, size): ChunkOffer(index, kind, size, f"{index:064x}") for index, (kind, size) in enumerate(pairs, 1)}


def matrix(providers: list[str], algorithms: list[str], **given: Any) -> dict[str, Any]:
    inputs = {"kinds": ["text"], "sizes": ["128 KiB"]}
    return {"providers": providers, "algorithms": algorithms, "inputs": inputs, **given}


def plan(*matrices: dict[str, Any], repetitions: int = 2, **given: Any) -> Plan:
    return Plan.model_validate(
        {"version": 1, "name": "test", "repetitions": repetitions, "matrix": list(matrices), **given}
    )


def expanded(*matrices: dict[str, Any], **given: Any) -> Expansion:
    return expand(plan(*matrices, **given), [agent()], chunks())


def chosen(expansion: Expansion) -> list[tuple[str, str, str]]:
    chosen = (case.implementation for case in expansion.cases)
    return [(one.provider, one.algorithm, one.variant) for one in chosen]


def latency(providers: list[str], algorithms: list[str], lengths: list[int], **given: Any) -> dict[str, Any]:
    """Return a matrix of the latency protocol; other parameters are keys of its messages."""
    messages = {"lengths": lengths, **given}
    return {"providers": providers, "algorithms": algorithms, "protocol": "latency", "messages": messages}
