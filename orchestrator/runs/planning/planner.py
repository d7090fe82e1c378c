"""The planner: a plan and what agents offer become cases, and omissions with their reasons. Pure.

The number of executions is known from sets of inputs, before a single case is made: a plan of a thousand lengths by a
thousand algorithms is refused without using memory for it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from orchestrator.errors import PlanRefused
from orchestrator.runs.planning.implementations import Implementation, Leftover, Programs, Resolver
from orchestrator.runs.planning.inputs import ChunkInput, Given, Input, Inputs, MessageInput
from orchestrator.runs.planning.offers import AgentOffer, BuildOffer, ChunkIndex, ChunkOffer, FailedBuild
from orchestrator.runs.planning.purposes import Passes, most_executions
from orchestrator.runs.planning.selection import Selection, select
from orchestrator.units import format_size
from orchestrator.wire.base import NOOP
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.messages import LatencyOperation
from orchestrator.wire.plans import Plan

Operation = Literal["encrypt-decrypt", "noop"] | LatencyOperation


@dataclass(frozen=True, slots=True)
class PlannedBuild:
    """The build that cases are executed with."""

    toolchain: Toolchain | None
    """None: the agent's default build."""
    build_id: int | None
    """None: it has to be built first."""
    failure: str | None = None
    """Why the toolchain made nothing: its cases are skipped for this reason."""


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """One case, by its number in the run."""

    number: int
    agent_id: str
    build: PlannedBuild
    implementation: Implementation
    input: Input
    chunk: ChunkOffer | None
    """None: the protocol takes none, or the corpus lacks it."""
    copy: int = 1
    """1, 2 … where the plan wants the same several times."""

    @property
    def operation(self) -> Operation:
        """What is done with the input."""
        if isinstance(self.input, MessageInput):
            return self.input.operation
        return "noop" if self.implementation.algorithm == NOOP else "encrypt-decrypt"


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
    passes: Passes

    @property
    def executions_total(self) -> int:
        """Executions of all cases, those included that are skipped because their build failed.

        With a precision these are the first ones; rounds add more.
        """
        return len(self.cases) * self.passes.executions

    def by_agent(self) -> dict[str, list[PlannedCase]]:
        """Return the cases of each agent, in their order."""
        found: dict[str, list[PlannedCase]] = {}
        for case in self.cases:
            found.setdefault(case.agent_id, []).append(case)
        return found

    def requested(self) -> dict[str, dict[Toolchain, PlannedBuild]]:
        """Return for each agent the toolchains that its cases name, ready or not; default builds are none of them."""
        found: dict[str, dict[Toolchain, PlannedBuild]] = {}
        for agent_id, build in dict.fromkeys((case.agent_id, case.build) for case in self.cases):
            if build.toolchain is not None:
                found.setdefault(agent_id, {})[build.toolchain] = build
        return found


def expand(
    plan: Plan, agents: Sequence[AgentOffer], chunks: ChunkIndex, max_executions: int | None = None
) -> Expansion:
    """Return the cases of a plan on these agents, each combination once.

    Raises PlanRefused where the plan names what exists nowhere, where nothing can be executed, or where it has more
    than max_executions.
    """
    inputs = Inputs(plan, max_executions)
    selection = select(plan, agents)
    usable = [_part(plan, agent) for agent in selection.usable]
    foreign = [_part(plan, agent) for agent in selection.foreign]
    programs = [one for parts in (*usable, *foreign) for one, _ in parts.programs]
    resolver = Resolver(plan, (*selection.usable, *selection.foreign), programs)
    for part in (*usable, *foreign):
        part.draft(resolver, inputs, len(plan.matrix))
    total = sum(part.combinations for part in usable)
    _check_total(total * most_executions(plan), max_executions, plan.precision is not None)
    passes = Passes.of(plan)
    omissions = (
        *_omitted_agents(plan, selection, foreign, passes),
        *(omission for part in usable for omission in part.omissions(passes)),
    )
    if total == 0:
        raise _nothing_left(omissions)
    cases = tuple(_cases(usable, chunks))
    return Expansion(cases, omissions, tuple(_missing(cases, inputs, len(plan.matrix))), passes)


@dataclass
class _Part:
    """One agent's part of a plan, before it is counted: which builds use which programs."""

    agent: AgentOffer
    programs: list[tuple[Programs, list[PlannedBuild]]]
    work: list[tuple[PlannedBuild, Implementation, Given]] = field(default_factory=list)
    left: dict[Leftover, dict[PlannedBuild, int]] = field(default_factory=dict)
    """For each leftover the cases it would have had in each build."""

    def draft(self, resolver: Resolver, inputs: Inputs, matrices: int) -> None:
        """Resolve every matrix with every build."""
        for programs, builds in self.programs:
            chosen: dict[Implementation, tuple[int, ...]] = {}
            leftovers: dict[Leftover, tuple[int, ...]] = {}
            for index in range(matrices):
                implementations, unresolved = resolver.resolve(programs, index)
                for implementation in implementations:
                    chosen[implementation] = (*chosen.get(implementation, ()), index)
                for leftover in unresolved:
                    leftovers[leftover] = (*leftovers.get(leftover, ()), index)
            self._take(chosen, leftovers, builds, inputs)

    def _take(
        self,
        chosen: dict[Implementation, tuple[int, ...]],
        leftovers: dict[Leftover, tuple[int, ...]],
        builds: Sequence[PlannedBuild],
        inputs: Inputs,
    ) -> None:
        counts: dict[Leftover, int] = {}
        for leftover, indices in leftovers.items():
            counts[leftover] = sum(inputs.copies(indices).values()) * leftover.combinations
        for one, indices in chosen.items():
            given = inputs.given(one, indices)
            self.work += [(build, one, given) for build in builds if given.inputs]
            for reason, count in given.refused:
                counts[Leftover(one.provider, one.algorithm, one.variant, reason)] = count
        for leftover, count in counts.items():
            self.left.setdefault(leftover, {}).update(dict.fromkeys(builds, count))

    @property
    def combinations(self) -> int:
        return sum(given.cases for _, _, given in self.work)

    def omissions(self, passes: Passes) -> Iterator[PlannedOmission]:
        builds = sum(len(builds) for _, builds in self.programs)
        for leftover, counts in self.left.items():
            if len(counts) == builds:
                yield self._omission(leftover, leftover.reason, sum(counts.values()) * passes.executions)
                continue
            for build, count in counts.items():
                words = build.toolchain.words if build.toolchain else "the default build"
                yield self._omission(leftover, f"With {words}: {leftover.reason}", count * passes.executions)

    def _omission(self, leftover: Leftover, reason: str, executions: int) -> PlannedOmission:
        what = (leftover.provider, leftover.algorithm, leftover.variant)
        return PlannedOmission(self.agent.agent_id, *what, reason, executions)


def _part(plan: Plan, agent: AgentOffer) -> _Part:
    """Return an agent's part: its default build, or each toolchain of the plan.

    What is not built, or cannot be, is expanded from what the default build lists, so that it is counted.
    """
    default = agent.build
    if default is None:
        return _Part(agent, [])
    toolchains = plan.all_toolchains()
    if not toolchains:
        return _Part(agent, [(_programs(agent, default), [PlannedBuild(None, default.build_id)])])
    ready: dict[int, tuple[Programs, list[PlannedBuild]]] = {}
    expected: list[PlannedBuild] = []
    for toolchain in toolchains:
        found = agent.builds.get(toolchain)
        if isinstance(found, BuildOffer):
            # Two names of one build, such as a compiler with and without its version, are one build to execute.
            build = PlannedBuild(toolchain, found.build_id)
            ready.setdefault(found.build_id, (_programs(agent, found), [build]))
        elif isinstance(found, FailedBuild):
            expected.append(PlannedBuild(toolchain, found.build_id, found.reason))
        else:
            expected.append(PlannedBuild(toolchain, None))
    like_default = Programs(agent.name, agent.expected_runners, default.missing_providers)
    return _Part(agent, [*ready.values(), *([(like_default, expected)] if expected else [])])


def _programs(agent: AgentOffer, build: BuildOffer) -> Programs:
    return Programs(agent.name, build.runners, build.missing_providers)


def _check_total(total: int, max_executions: int | None, may_stop_earlier: bool) -> None:
    if max_executions is not None and total > max_executions:
        has = "may come to" if may_stop_earlier else "has"
        raise PlanRefused(
            f"The plan {has} {total} executions, allowed are {max_executions}.",
            remedy="Name fewer lengths, algorithms, toolchains, copies or (maximum) repetitions, or raise "
            "CIPHERMARK_MAX_EXECUTIONS.",
            field="matrix",
            seen=total,
            allowed=max_executions,
        )


def _omitted_agents(
    plan: Plan, selection: Selection, foreign: Sequence[_Part], passes: Passes
) -> Iterator[PlannedOmission]:
    for agent, reason in selection.not_ready:
        yield PlannedOmission(agent.agent_id, None, None, None, f"{agent.name} {reason}.", None)
    wanted = ", ".join(plan.architectures)
    for part in foreign:
        agent = part.agent
        reason = f"{agent.name} is {agent.architecture or 'of unknown architecture'}, the plan asks for {wanted}."
        yield PlannedOmission(agent.agent_id, None, None, None, reason, part.combinations * passes.executions)


def _nothing_left(omissions: Sequence[PlannedOmission]) -> PlanRefused:
    reasons = list(dict.fromkeys(omission.reason for omission in omissions))
    more = f" (and {len(reasons) - 5} more reasons)" if len(reasons) > 5 else ""
    return PlanRefused(
        f"Nothing of this plan can be executed: {' '.join(reasons[:5])}{more}",
        remedy="Compare it with what the agents list: ciphermark agents show.",
        field="matrix",
    )


def _cases(parts: Iterable[_Part], chunks: ChunkIndex) -> Iterator[PlannedCase]:
    number = 0
    for part in parts:
        for build, implementation, given in part.work:
            for one, copies in zip(given.inputs, given.copies, strict=True):
                chunk = chunks.get((one.kind, one.length_bytes)) if isinstance(one, ChunkInput) else None
                for copy in range(1, copies + 1):
                    yield PlannedCase(number, part.agent.agent_id, build, implementation, one, chunk, copy)
                    number += 1


def _missing(cases: Iterable[PlannedCase], inputs: Inputs, matrices: int) -> Iterator[MissingChunk]:
    lacking = {case.input for case in cases if case.chunk is None and isinstance(case.input, ChunkInput)}
    for index in range(matrices if lacking else 0):
        for one in inputs.of_matrix(index):
            if isinstance(one, ChunkInput) and one in lacking:
                lacking.discard(one)
                yield MissingChunk(one.kind, one.length_bytes, f"matrix[{index}].inputs")
