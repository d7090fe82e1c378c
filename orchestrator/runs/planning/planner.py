"""The planner: expands a plan on the agents' offers into cases, and omissions with reasons. Pure.

Executions are counted from sets of inputs before any case is created, so that refusing a plan of a thousand lengths by
a thousand algorithms takes little memory.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from orchestrator.runs.planning.budget import CASE_STEPS, Budget
from orchestrator.runs.planning.expansion import (
    Expansion,
    PlannedBuild,
    PlannedCase,
    PlannedOmission,
    PurposeCounts,
)
from orchestrator.runs.planning.implementations import ChosenImplementation, Resolver, RunnerSet, Unresolved
from orchestrator.runs.planning.inputs import AcceptedInputs, ChunkInput, PlanInputs
from orchestrator.runs.planning.library_versions import OWN, library_builds
from orchestrator.runs.planning.offers import (
    AgentOffer,
    BuildOffer,
    ChunkIndex,
    FailedBuild,
    expected_library_runners,
    expected_runners_of,
)
from orchestrator.runs.planning.requirements import AgentMatch, match_agents, require_tested_runners, why_not_ready
from orchestrator.runs.schemas import MissingChunkSummary
from orchestrator.shared.errors import PlanRefused
from orchestrator.shared.units import format_size
from orchestrator.wire.languages.all_languages import language_of_tool
from orchestrator.wire.languages.base import Language
from orchestrator.wire.messages import Operation
from orchestrator.wire.plans import Plan

_MAX_NAMES = 10
_MAX_REASONS = 5
_Kind = tuple[Language | None, str | None]
"""Language whose tool makes a build, and the only library that it has."""
_STATE_REMEDY = "Check the agent's state: ciphermark agents show."


def expand(
    plan: Plan,
    agents: Sequence[AgentOffer],
    chunks: ChunkIndex,
    max_executions: int | None = None,
    *,
    resolved: bool = False,
    max_steps: int | None = None,
) -> Expansion:
    """Return the cases of a plan on these agents, each combination once.

    resolved: whether these are the agents of a run, whatever the plan names; otherwise those that match the plan.

    Raises PlanRefused where the plan names something that does not exist, where nothing can be executed, or where it
    has more than max_executions or takes more than max_steps.
    """
    budget = Budget(max_steps)
    inputs = PlanInputs(plan, max_executions, budget, _operations(agents))
    required = len(plan.requires.features) + len(plan.requires.labels) if plan.requires else 0
    budget.spend((len(plan.agents) + required) * len(agents), "agents")
    matches = [] if resolved else match_agents(plan, agents)
    selection = _resolved(agents) if resolved else _select(matches)
    usable = [_AgentDraft.of(plan, agent) for agent in selection.usable]
    foreign = [(_AgentDraft.of(plan, agent), reason) for agent, reason in selection.foreign]
    drafts = (*usable, *(draft for draft, _ in foreign))
    resolver = Resolver(
        plan, [draft.agent for draft in drafts], [runners for one in drafts for runners, _ in one.runners], budget
    )
    for draft in drafts:
        draft.resolve(resolver, inputs, len(plan.matrix))
    purposes = _purposes(plan)
    total = sum(draft.cases for draft in usable)
    _check_total(plan, total, purposes, max_executions)
    budget.spend(total * CASE_STEPS, "cases")
    omissions = (
        *_omitted_agents(selection, foreign, purposes),
        *(omission for draft in usable for omission in draft.omissions(purposes)),
    )
    if total == 0:
        raise _nothing_left(omissions)
    cases = tuple(_cases(usable, chunks))
    missing = tuple(_missing_chunks(cases, inputs, len(plan.matrix)))
    return Expansion(cases, omissions, missing, purposes, tuple(matches))


def _operations(agents: Sequence[AgentOffer]) -> set[Operation]:
    builds = [build for agent in agents for build in (agent.build, *agent.builds.values())]
    runners = [rows for build in builds if isinstance(build, BuildOffer) for rows in build.runners.values()]
    return {operation for declared in {row.declared for rows in runners for row in rows} for operation in declared}


def _purposes(plan: Plan) -> PurposeCounts:
    return PurposeCounts(
        timing=plan.repetitions,
        warm_up=plan.warm_up,
        memory=plan.memory_repetitions if plan.memory == "apart" else 0,
        shell=plan.shell_repetitions,
        blocked=plan.blocked_repetitions,
        energy=plan.energy.windows if plan.energy is not None else 0,
    )


def _check_total(plan: Plan, cases: int, purposes: PurposeCounts, max_executions: int | None) -> None:
    # With a precision, rounds may raise the repetitions to the maximum.
    rounds = plan.precision.max_repetitions - plan.repetitions if plan.precision is not None else 0
    total = cases * (purposes.total + rounds)
    if max_executions is not None and total > max_executions:
        raise PlanRefused(
            f"The plan {'has' if plan.precision is None else 'may need'} {total} executions; at most {max_executions} "
            "are allowed.",
            remedy="Name fewer lengths, algorithms, toolchains, copies or (maximum) repetitions, or raise "
            "CIPHERMARK_MAX_EXECUTIONS.",
            field="matrix",
            seen=total,
            allowed=max_executions,
        )


@dataclass(frozen=True)
class _SelectedAgents:
    """The agents that a plan is expanded on."""

    usable: tuple[AgentOffer, ...]
    foreign: tuple[tuple[AgentOffer, str], ...]
    """Ready, but without what the plan requires, with the reason."""
    not_ready: tuple[tuple[AgentOffer, str], ...]
    """Unable to execute anything, with the reason."""


def _select(matches: Sequence[AgentMatch]) -> _SelectedAgents:
    named = [match for match in matches if match.named]
    return _SelectedAgents(
        tuple(match.agent for match in named if match.matches),
        tuple((match.agent, " and ".join(match.lacks)) for match in named if match.lacks and match.obstacle is None),
        tuple((match.agent, match.obstacle) for match in named if match.obstacle is not None),
    )


def _resolved(agents: Sequence[AgentOffer]) -> _SelectedAgents:
    """Return the agents of a run, which are those that matched its plan at the submission."""
    not_ready = tuple((agent, reason) for agent in agents if (reason := why_not_ready(agent)) is not None)
    require_tested_runners(agent for agent, _ in not_ready)
    usable = sorted((agent for agent in agents if why_not_ready(agent) is None), key=lambda agent: agent.name)
    if not usable:
        reasons = "; ".join(f"{agent.name} {reason}" for agent, reason in not_ready[:_MAX_NAMES])
        raise PlanRefused(f"No agent can execute this plan: {reasons}.", remedy=_STATE_REMEDY, field="agents")
    return _SelectedAgents(tuple(usable), (), not_ready)


@dataclass
class _AgentDraft:
    """The cases of one agent before they are created: which inputs each implementation of each build gets."""

    agent: AgentOffer
    runners: list[tuple[RunnerSet, list[PlannedBuild]]]
    """Runner programs, with the builds that they were read from or are expected in."""
    accepted: list[tuple[PlannedBuild, ChosenImplementation, AcceptedInputs]] = field(default_factory=list)
    unresolved: dict[Unresolved, dict[PlannedBuild, int]] = field(default_factory=dict)
    """For each unresolved combination, the number of cases left out in each build."""
    without_version: list[RunnerSet] = field(default_factory=list)
    """Libraries of which the plan names a version that the agent lacks."""
    lacking: dict[Unresolved, int] = field(default_factory=dict)
    """Number of cases left out for each of them."""
    build_counts: dict[Unresolved, int] = field(default_factory=dict)
    """Number of builds that could have had each unresolved combination."""

    @classmethod
    def of(cls, plan: Plan, agent: AgentOffer) -> "_AgentDraft":
        """Return the draft of an agent with its default build, or with each toolchain of the plan.

        A toolchain that is not built, or failed, is expanded from the runners of the default build, that of a language
        from the contract of all languages, and that of a library's version from another version.
        """
        default = agent.build
        if default is None:
            return cls(agent, [])
        libraries = library_builds(plan, agent.name, agent.library_versions)
        ready: dict[int, tuple[RunnerSet, list[PlannedBuild]]] = {}
        toolchains = plan.all_toolchains(default.is_masked)
        if not toolchains:
            ready[default.build_id] = _runner_set(agent, default), [PlannedBuild(None, default.build_id)]
        expected: dict[_Kind, list[PlannedBuild]] = {}
        for toolchain in (*toolchains, *libraries.toolchains):
            found = agent.builds.get(toolchain)
            kind = language_of_tool(toolchain.compiler), toolchain.library.provider if toolchain.library else None
            if isinstance(found, BuildOffer):
                # Two names of one build, such as a compiler with and without its version, are executed once.
                build = PlannedBuild(toolchain, found.build_id)
                ready.setdefault(found.build_id, (_runner_set(agent, found, kind), [build]))
            elif isinstance(found, FailedBuild):
                expected.setdefault(kind, []).append(PlannedBuild(toolchain, found.build_id, found.reason))
            else:
                expected.setdefault(kind, []).append(PlannedBuild(toolchain, None))
        drafted = cls(
            agent, [*ready.values(), *((_expected_set(agent, one, plan), builds) for one, builds in expected.items())]
        )
        drafted.without_version = [
            RunnerSet(agent.name, {}, {provider: reason}, library=provider) for provider, reason in libraries.missing
        ]
        return drafted

    def resolve(self, resolver: Resolver, inputs: PlanInputs, matrices: int) -> None:
        """Resolve every matrix with every build."""
        for runners, builds in self.runners:
            chosen: dict[ChosenImplementation, tuple[int, ...]] = {}
            unresolved: dict[Unresolved, tuple[int, ...]] = {}
            for index in range(matrices):
                found, missing = resolver.resolve(runners, index, len(builds))
                for implementation in found:
                    chosen[implementation] = (*chosen.get(implementation, ()), index)
                for combination in missing:
                    unresolved[combination] = (*unresolved.get(combination, ()), index)
            counts = {
                combination: inputs.count(indices) * combination.implementations
                for combination, indices in unresolved.items()
            }
            for one, indices in chosen.items():
                accepted = inputs.accepted(one, indices)
                self.accepted += [(build, one, accepted) for build in builds if accepted.inputs]
                for reason, count in accepted.refused:
                    counts[Unresolved(one.provider, one.algorithm, one.variant, reason)] = count
            for combination, count in counts.items():
                self.unresolved.setdefault(combination, {}).update(dict.fromkeys(builds, count))
        for runners in self.without_version:
            self._resolve_lacking(runners, resolver, inputs, matrices)
        self.build_counts = {
            combination: sum(
                len(builds) for runners, builds in self.runners if resolver.makes(runners, combination.provider)
            )
            for combination in self.unresolved
        }

    def _resolve_lacking(self, runners: RunnerSet, resolver: Resolver, inputs: PlanInputs, matrices: int) -> None:
        indices: dict[Unresolved, tuple[int, ...]] = {}
        for index in range(matrices):
            for combination in resolver.resolve(runners, index, 1)[1]:
                indices[combination] = (*indices.get(combination, ()), index)
        self.lacking |= {
            combination: inputs.count(found) * combination.implementations for combination, found in indices.items()
        }

    @property
    def cases(self) -> int:
        """Number of cases."""
        return sum(accepted.cases for _, _, accepted in self.accepted)

    def omissions(self, purposes: PurposeCounts) -> Iterator[PlannedOmission]:
        """Yield each unresolved combination: once where it concerns every build, otherwise for each of them."""
        for combination, count in self.lacking.items():
            yield self._omission(combination, combination.reason, count * purposes.total)
        for combination, counts in self.unresolved.items():
            if len(counts) == self.build_counts[combination]:
                yield self._omission(combination, combination.reason, sum(counts.values()) * purposes.total)
                continue
            for build, count in counts.items():
                words = build.toolchain.words if build.toolchain else "the default build"
                yield self._omission(combination, f"With {words}: {combination.reason}", count * purposes.total)

    def _omission(self, combination: Unresolved, reason: str, executions: int) -> PlannedOmission:
        names = (combination.provider, combination.algorithm, combination.variant)
        return PlannedOmission(self.agent.agent_id, *names, reason, executions)


def _runner_set(agent: AgentOffer, build: BuildOffer, kind: _Kind = (None, None)) -> RunnerSet:
    return RunnerSet(agent.name, build.runners, build.missing_providers, *kind)


def _expected_set(agent: AgentOffer, kind: _Kind, plan: Plan) -> RunnerSet:
    """Return the runners that are expected of a toolchain which is not built."""
    language, library = kind
    if library is not None:
        return RunnerSet(agent.name, expected_library_runners(agent, library), {}, library=library)
    if language is not None:
        return RunnerSet(agent.name, expected_runners_of(language), {}, language)
    missing = agent.build.missing_providers if agent.build else {}
    expected = dict(agent.expected_runners)
    if plan.is_masked and OWN in expected:
        expected[OWN] = (*expected[OWN], *agent.masked)
    return RunnerSet(agent.name, expected, missing)


def _omitted_agents(
    selection: _SelectedAgents, foreign: Sequence[tuple[_AgentDraft, str]], purposes: PurposeCounts
) -> Iterator[PlannedOmission]:
    for agent, reason in selection.not_ready:
        yield PlannedOmission(agent.agent_id, None, None, None, f"{agent.name} {reason}.", None)
    for draft, reason in foreign:
        executions = draft.cases * purposes.total
        yield PlannedOmission(draft.agent.agent_id, None, None, None, f"{draft.agent.name} {reason}.", executions)


def _nothing_left(omissions: Sequence[PlannedOmission]) -> PlanRefused:
    reasons = list(dict.fromkeys(f"{omission.reason.removesuffix('.')}." for omission in omissions))
    more = f" (and {len(reasons) - _MAX_REASONS} more reasons)" if len(reasons) > _MAX_REASONS else ""
    return PlanRefused(
        f"No agent can execute any case of this plan: {' '.join(reasons[:_MAX_REASONS])}{more}",
        remedy="Compare the plan with the implementations that ciphermark agents show lists.",
        field="matrix",
    )


def _cases(drafts: Iterable[_AgentDraft], chunks: ChunkIndex) -> Iterator[PlannedCase]:
    number = 0
    for draft in drafts:
        for build, implementation, accepted in draft.accepted:
            for one, copies in zip(accepted.inputs, accepted.copies, strict=True):
                chunk = chunks.get((one.kind, one.length_bytes)) if isinstance(one, ChunkInput) else None
                for copy in range(1, copies + 1):
                    yield PlannedCase(number, draft.agent.agent_id, build, implementation, one, chunk, copy)
                    number += 1


def _missing_chunks(cases: Iterable[PlannedCase], inputs: PlanInputs, matrices: int) -> Iterator[MissingChunkSummary]:
    missing = {case.input for case in cases if case.chunk is None and isinstance(case.input, ChunkInput)}
    for index in range(matrices if missing else 0):
        for one in inputs.of_matrix(index):
            if isinstance(one, ChunkInput) and one in missing:
                missing.discard(one)
                by_hand = f"ciphermark corpus build --kinds {one.kind} --sizes '{format_size(one.length_bytes)}'"
                yield MissingChunkSummary(
                    kind=one.kind, length_bytes=one.length_bytes, field=f"matrix[{index}].inputs", remedy=by_hand
                )
