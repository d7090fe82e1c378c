"""From the patterns of a matrix to implementations, and to reasons for what is left out. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.errors import PlanRefused
from orchestrator.runs.planning.offers import AgentOffer, OfferedImplementation, Runners
from orchestrator.runs.planning.selection import is_pattern, matching, near
from orchestrator.wire.base import NOOP
from orchestrator.wire.plans import Plan

DEFAULT_VARIANT = "default"
NOOP_VARIANT = "none"


@dataclass(frozen=True, slots=True)
class Implementation:
    """What a matrix chose, and which messages it takes."""

    provider: str
    algorithm: str
    variant: str
    is_aead: bool = False
    whole_block_bytes: int | None = None
    """Messages must be a multiple of this; None: they can have any length."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """What a matrix asks for and an agent does not have."""

    provider: str
    algorithm: str | None
    variant: str | None
    reason: str
    combinations: int = 1
    """Implementations it stands for."""


@dataclass(frozen=True)
class Programs:
    """The runners that patterns are resolved against."""

    agent_name: str
    runners: Runners
    missing_providers: Mapping[str, str]


class Resolver:
    """Resolves the matrices of one plan against what all agents that the plan means have built."""

    def __init__(self, plan: Plan, agents: Sequence[AgentOffer], programs: Sequence[Programs]) -> None:
        """Check that every pattern of the plan matches something somewhere; raise PlanRefused where one does not."""
        self._plan = plan
        default = [
            Programs(agent.name, agent.build.runners, agent.build.missing_providers) for agent in agents if agent.build
        ]
        known = [*default, *programs]
        self._providers = {name for one in known for name in (*one.runners, *one.missing_providers)}
        listed = [row for one in known for rows in one.runners.values() for row in rows]
        self._algorithms = {row.algorithm for row in listed} - {NOOP}
        self._variants = {row.variant for row in listed if row.variant is not None}
        for index, matrix in enumerate(plan.matrix):
            self._check("provider", f"matrix[{index}].providers", matrix.providers, self._providers)
            names = [name for name in matrix.algorithms if name != NOOP]
            self._check("algorithm", f"matrix[{index}].algorithms", names, self._algorithms)
            variants = [name for name in matrix.variants if name != DEFAULT_VARIANT]
            self._check("variant", f"matrix[{index}].variants", variants, self._variants)
        self._wanted = [
            (_wanted(matrix.providers, self._providers), _wanted(matrix.algorithms, self._algorithms))
            for matrix in plan.matrix
        ]

    def resolve(self, programs: Programs, matrix_index: int) -> tuple[list[Implementation], list[Leftover]]:
        """Return what one matrix means with these runners, each once and in a fixed order."""
        providers, algorithms = self._wanted[matrix_index]
        variants = self._plan.matrix[matrix_index].variants
        chosen: dict[Implementation, None] = {}
        leftovers: dict[Leftover, None] = {}
        for provider in providers:
            rows = programs.runners.get(provider)
            if rows is None:
                reason = (
                    programs.missing_providers.get(provider) or f"{programs.agent_name} has no runner of this provider."
                )
                leftovers[Leftover(provider, None, None, reason, max(1, len(algorithms)))] = None
                continue
            by_algorithm: dict[str, list[OfferedImplementation]] = {}
            for row in rows:
                by_algorithm.setdefault(row.algorithm, []).append(row)
            for algorithm in algorithms:
                for found in _resolve_one(provider, by_algorithm.get(algorithm, []), algorithm, variants):
                    if isinstance(found, Implementation):
                        chosen[found] = None
                    else:
                        leftovers[found] = None
        return list(chosen), list(leftovers)

    def _check(self, what: str, field: str, patterns: Sequence[str], known: set[str]) -> None:
        for pattern in patterns:
            if not matching(pattern, known):
                detail = f"No agent of this plan has a {what} that matches {pattern!r}."
                if not is_pattern(pattern):
                    detail = f"Unknown {what} {pattern!r}: no agent of this plan lists it."
                raise PlanRefused(detail, remedy=near(pattern, known), field=field, seen=pattern)


def _wanted(patterns: Sequence[str], known: set[str]) -> list[str]:
    found: dict[str, None] = {}
    for pattern in patterns:
        names = [NOOP] if pattern == NOOP else matching(pattern, known)
        found.update(dict.fromkeys(names))
    return list(found)


def _resolve_one(
    provider: str, listed: Sequence[OfferedImplementation], algorithm: str, variants: Sequence[str]
) -> Iterator[Implementation | Leftover]:
    if algorithm == NOOP:
        yield Implementation(provider, NOOP, NOOP_VARIANT)
        return
    if not any(row.available for row in listed):
        reasons = "; ".join(dict.fromkeys(row.reason for row in listed if row.reason))
        yield Leftover(provider, algorithm, None, reasons or f"{provider} does not list {algorithm}.")
        return
    for pattern in variants:
        rows_wanted = _variants(pattern, listed)
        if not rows_wanted and not is_pattern(pattern):
            yield Leftover(provider, algorithm, pattern, f"{provider} has no variant {pattern} of {algorithm}.")
        for row in rows_wanted:
            yield _gate(provider, row)


def _variants(pattern: str, listed: Sequence[OfferedImplementation]) -> list[OfferedImplementation]:
    if pattern == DEFAULT_VARIANT:
        available = [row for row in listed if row.available]
        return [next((row for row in available if row.default), available[0])]
    names = matching(pattern, (row.variant for row in listed if row.variant is not None))
    return [row for name in names for row in listed if row.variant == name]


def _gate(provider: str, row: OfferedImplementation) -> Implementation | Leftover:
    """Let an implementation through if its processor can execute it and its known answers passed."""
    variant = row.variant or ""
    if not row.available:
        return Leftover(provider, row.algorithm, variant, row.reason or "It is not available on this machine.")
    if row.proved is None:
        return Leftover(provider, row.algorithm, variant, "Its known answers are not proved on this build yet.")
    if not row.proved:
        return Leftover(provider, row.algorithm, variant, f"Its known answers failed: {row.proof_detail}".rstrip(": "))
    whole_block_bytes = row.block_bytes if row.whole_blocks_only else None
    return Implementation(provider, row.algorithm, variant, row.kind == "aead", whole_block_bytes)
