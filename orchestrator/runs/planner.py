"""The planner: a plan and what agents offer become cases, and omissions with their reasons. Pure.

The number of executions is known from sets of inputs, before a single case is made: a plan of a thousand lengths by a
thousand algorithms is refused without using memory for it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from orchestrator.errors import PlanRefused
from orchestrator.runs.implementations import Choice, Leftover, Resolver
from orchestrator.runs.offers import AgentOffer, ChunkIndex, ChunkOffer
from orchestrator.runs.selection import Selection, select
from orchestrator.units import format_size
from orchestrator.wire.plans import Matrix, Plan

Operation = Literal["encrypt-decrypt", "noop"]
InputKey = tuple[str, int]
"""(kind, length in bytes)."""


@dataclass(frozen=True, slots=True)
class PlannedInput:
    """What is encrypted: a kind and a length, and the chunk that the corpus has for them."""

    kind: str
    length_bytes: int
    chunk: ChunkOffer | None
    """None: the corpus lacks it."""


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """One case, by its number in the run."""

    number: int
    choice: Choice
    input: PlannedInput


@dataclass(frozen=True)
class PlannedOmission:
    """A combination that cannot be executed, and why."""

    agent_id: str
    provider: str | None
    algorithm: str | None
    variant: str | None
    reason: str
    executions: int | None
    """How many it would have been; None where the agent has no build that would tell."""


@dataclass(frozen=True)
class MissingChunk:
    """An input that the plan names and the corpus lacks."""

    kind: str
    length_bytes: int
    field: str
    """The part of the plan that names it first."""

    @property
    def remedy(self) -> str:
        """What to type."""
        return f"ciphermark corpus build --kinds {self.kind} --sizes '{format_size(self.length_bytes)}'"


@dataclass(frozen=True)
class Expansion:
    """A plan, expanded."""

    cases: tuple[PlannedCase, ...]
    omissions: tuple[PlannedOmission, ...]
    missing_chunks: tuple[MissingChunk, ...]
    repetitions: int

    @property
    def executions_total(self) -> int:
        """Executions of all cases."""
        return len(self.cases) * self.repetitions

    def by_agent(self) -> dict[str, list[PlannedCase]]:
        """Return the cases of each agent, in their order."""
        found: dict[str, list[PlannedCase]] = {}
        for case in self.cases:
            found.setdefault(case.choice.agent_id, []).append(case)
        return found


def expand(
    plan: Plan, agents: Sequence[AgentOffer], chunks: ChunkIndex, max_executions: int | None = None
) -> Expansion:
    """Return the cases of a plan on these agents, each combination once.

    Raises PlanRefused where the plan names what exists nowhere, where nothing can be executed, or where it has more
    than max_executions.
    """
    selection = select(plan, agents)
    inputs = [_inputs_of(matrix) for matrix in plan.matrix]
    resolver = Resolver(plan, (*selection.usable, *selection.foreign))
    drafts = [_draft(agent, len(inputs), resolver) for agent in selection.usable]
    unions = _Unions(inputs)
    total = sum(draft.combinations(unions) for draft in drafts) * plan.repetitions
    _check_total(total, max_executions)
    foreign = [_draft(agent, len(inputs), resolver) for agent in selection.foreign]
    omissions = (
        *_omitted_agents(plan, selection, foreign, unions),
        *(omission for draft in drafts for omission in _leftovers(draft, plan.repetitions, unions)),
    )
    if total == 0:
        raise _nothing_left(omissions)
    planned = {
        key: PlannedInput(key[0], key[1], chunks.get(key))
        for key in dict.fromkeys(key for keys in inputs for key in keys)
    }
    cases = tuple(_cases(drafts, unions, planned))
    used = {id(case.input) for case in cases}
    missing = tuple(
        MissingChunk(key[0], key[1], _first_field(key, inputs))
        for key, found in planned.items()
        if found.chunk is None and id(found) in used
    )
    return Expansion(cases, omissions, missing, plan.repetitions)


@dataclass
class _Draft:
    """One agent's part before it is counted: for each choice the matrices that ask for it."""

    agent: AgentOffer
    choices: dict[Choice, tuple[int, ...]] = field(default_factory=dict)
    leftovers: dict[Leftover, tuple[int, ...]] = field(default_factory=dict)

    def combinations(self, unions: "_Unions") -> int:
        return sum(unions.count(matrices) for matrices in self.choices.values())


class _Unions:
    """The inputs that several matrices ask for together, each once; computed once for each set of matrices."""

    def __init__(self, inputs: Sequence[tuple[InputKey, ...]]) -> None:
        self._inputs = inputs
        self._known: dict[tuple[int, ...], tuple[InputKey, ...]] = {}

    def keys(self, matrices: tuple[int, ...]) -> tuple[InputKey, ...]:
        if len(matrices) == 1:
            return self._inputs[matrices[0]]
        if matrices not in self._known:
            self._known[matrices] = tuple(dict.fromkeys(key for index in matrices for key in self._inputs[index]))
        return self._known[matrices]

    def count(self, matrices: tuple[int, ...]) -> int:
        return len(self.keys(matrices))


def _inputs_of(matrix: Matrix) -> tuple[InputKey, ...]:
    if matrix.inputs is None:
        return ()
    sizes = dict.fromkeys(matrix.inputs.sizes)
    return tuple((kind, size) for kind in dict.fromkeys(matrix.inputs.kinds) for size in sizes)


def _draft(agent: AgentOffer, matrices: int, resolver: Resolver) -> _Draft:
    draft = _Draft(agent)
    for index in range(matrices):
        choices, leftovers = resolver.resolve(agent, index)
        for choice in choices:
            draft.choices[choice] = (*draft.choices.get(choice, ()), index)
        for leftover in leftovers:
            draft.leftovers[leftover] = (*draft.leftovers.get(leftover, ()), index)
    return draft


def _check_total(total: int, max_executions: int | None) -> None:
    if max_executions is not None and total > max_executions:
        raise PlanRefused(
            f"The plan has {total} executions, allowed are {max_executions}.",
            remedy="Name fewer lengths, algorithms or repetitions, or raise CIPHERMARK_MAX_EXECUTIONS.",
            field="matrix",
            seen=total,
            allowed=max_executions,
        )


def _omitted_agents(
    plan: Plan, selection: Selection, foreign: Sequence[_Draft], unions: _Unions
) -> Iterator[PlannedOmission]:
    for agent, reason in selection.not_ready:
        yield PlannedOmission(agent.agent_id, None, None, None, f"{agent.name} {reason}.", None)
    wanted = ", ".join(plan.architectures)
    for draft in foreign:
        agent = draft.agent
        reason = f"{agent.name} is {agent.architecture or 'of unknown architecture'}, the plan asks for {wanted}."
        executions = draft.combinations(unions) * plan.repetitions
        yield PlannedOmission(agent.agent_id, None, None, None, reason, executions)


def _leftovers(draft: _Draft, repetitions: int, unions: _Unions) -> Iterator[PlannedOmission]:
    for leftover, matrices in draft.leftovers.items():
        yield PlannedOmission(
            draft.agent.agent_id,
            leftover.provider,
            leftover.algorithm,
            leftover.variant,
            leftover.reason,
            unions.count(matrices) * leftover.combinations * repetitions,
        )


def _nothing_left(omissions: Sequence[PlannedOmission]) -> PlanRefused:
    reasons = list(dict.fromkeys(omission.reason for omission in omissions))
    more = f" (and {len(reasons) - 5} more reasons)" if len(reasons) > 5 else ""
    return PlanRefused(
        f"Nothing of this plan can be executed: {' '.join(reasons[:5])}{more}",
        remedy="Compare it with what the agents list: ciphermark agents show.",
        field="matrix",
    )


def _cases(drafts: Sequence[_Draft], unions: _Unions, planned: dict[InputKey, PlannedInput]) -> Iterator[PlannedCase]:
    number = 0
    for draft in drafts:
        for choice, matrices in draft.choices.items():
            for key in unions.keys(matrices):
                yield PlannedCase(number, choice, planned[key])
                number += 1


def _first_field(key: InputKey, inputs: Sequence[tuple[InputKey, ...]]) -> str:
    index = next(index for index, keys in enumerate(inputs) if key in keys)
    return f"matrix[{index}].inputs"
