"""From the patterns of a matrix to implementations, and to reasons for what is left out. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from orchestrator.errors import PlanRefused
from orchestrator.runs.offers import AgentOffer, OfferedImplementation
from orchestrator.runs.selection import is_pattern, matching, near
from orchestrator.wire.base import NOOP
from orchestrator.wire.plans import Plan

DEFAULT_VARIANT = "default"
NOOP_VARIANT = "none"


@dataclass(frozen=True, slots=True)
class Choice:
    """An implementation on an agent's build, and what to do with it."""

    agent_id: str
    build_id: int
    provider: str
    algorithm: str
    variant: str
    operation: Literal["encrypt-decrypt", "noop"]


@dataclass(frozen=True, slots=True)
class Leftover:
    """What a matrix asks for and an agent does not have."""

    provider: str
    algorithm: str | None
    variant: str | None
    reason: str
    combinations: int = 1
    """Implementations it stands for."""


class Resolver:
    """Resolves the matrices of one plan against the offers of all agents that the plan means."""

    def __init__(self, plan: Plan, agents: Sequence[AgentOffer]) -> None:
        """Check that every pattern of the plan matches something somewhere; raise PlanRefused where one does not."""
        self._plan = plan
        self._providers = {name for agent in agents for name in (*agent.runners, *agent.left_out)}
        listed = [row for agent in agents for rows in agent.runners.values() for row in rows]
        self._algorithms = {row.algorithm for row in listed} - {NOOP}
        self._variants = {row.variant for row in listed if row.variant is not None}
        for index, matrix in enumerate(plan.matrix):
            self._check("provider", f"matrix[{index}].providers", matrix.providers, self._providers)
            names = [name for name in matrix.algorithms if name != NOOP]
            self._check("algorithm", f"matrix[{index}].algorithms", names, self._algorithms)
            variants = [name for name in matrix.variants if name != DEFAULT_VARIANT]
            self._check("variant", f"matrix[{index}].variants", variants, self._variants)

    def resolve(self, agent: AgentOffer, matrix_index: int) -> tuple[list[Choice], list[Leftover]]:
        """Return what one matrix means on one agent, each once and in a fixed order."""
        matrix = self._plan.matrix[matrix_index]
        choices: dict[Choice, None] = {}
        leftovers: dict[Leftover, None] = {}
        algorithms = self._wanted(matrix.algorithms, self._algorithms)
        for provider in self._wanted(matrix.providers, self._providers):
            rows = agent.runners.get(provider)
            if rows is None:
                reason = agent.left_out.get(provider) or f"{agent.name} has no runner of this provider."
                leftovers[Leftover(provider, None, None, reason, max(1, len(algorithms)))] = None
                continue
            for algorithm in algorithms:
                for found in _resolve_one(agent, provider, rows, algorithm, matrix.variants):
                    if isinstance(found, Choice):
                        choices[found] = None
                    else:
                        leftovers[found] = None
        return list(choices), list(leftovers)

    def _wanted(self, patterns: Sequence[str], known: set[str]) -> list[str]:
        found: dict[str, None] = {}
        for pattern in patterns:
            names = [NOOP] if pattern == NOOP else matching(pattern, known)
            found.update(dict.fromkeys(names))
        return list(found)

    def _check(self, what: str, field: str, patterns: Sequence[str], known: set[str]) -> None:
        for pattern in patterns:
            if not matching(pattern, known):
                detail = f"No agent of this plan has a {what} that matches {pattern!r}."
                if not is_pattern(pattern):
                    detail = f"Unknown {what} {pattern!r}: no agent of this plan lists it."
                raise PlanRefused(detail, remedy=near(pattern, known), field=field, seen=pattern)


def _resolve_one(
    agent: AgentOffer,
    provider: str,
    rows: Sequence[OfferedImplementation],
    algorithm: str,
    variants: Sequence[str],
) -> Iterator[Choice | Leftover]:
    if agent.build_id is None:
        return
    if algorithm == NOOP:
        yield Choice(agent.agent_id, agent.build_id, provider, NOOP, NOOP_VARIANT, "noop")
        return
    listed = [row for row in rows if row.algorithm == algorithm]
    if not any(row.available for row in listed):
        reasons = "; ".join(dict.fromkeys(row.reason for row in listed if row.reason))
        yield Leftover(provider, algorithm, None, reasons or f"{provider} does not list {algorithm}.")
        return
    for pattern in variants:
        rows_wanted = _variants(pattern, listed)
        if not rows_wanted and not is_pattern(pattern):
            yield Leftover(provider, algorithm, pattern, f"{provider} has no variant {pattern} of {algorithm}.")
        for row in rows_wanted:
            yield _gate(agent.agent_id, agent.build_id, provider, row)


def _variants(pattern: str, listed: Sequence[OfferedImplementation]) -> list[OfferedImplementation]:
    if pattern == DEFAULT_VARIANT:
        available = [row for row in listed if row.available]
        return [next((row for row in available if row.default), available[0])]
    names = matching(pattern, (row.variant for row in listed if row.variant is not None))
    return [row for name in names for row in listed if row.variant == name]


def _gate(agent_id: str, build_id: int, provider: str, row: OfferedImplementation) -> Choice | Leftover:
    """Let an implementation through if its processor can execute it and its known answers passed."""
    variant = row.variant or ""
    if not row.available:
        return Leftover(provider, row.algorithm, variant, row.reason or "It is not available on this machine.")
    if row.proved is None:
        return Leftover(provider, row.algorithm, variant, "Its known answers are not proved on this build yet.")
    if not row.proved:
        return Leftover(provider, row.algorithm, variant, f"Its known answers failed: {row.proof_detail}".rstrip(": "))
    return Choice(agent_id, build_id, provider, row.algorithm, variant, "encrypt-decrypt")
