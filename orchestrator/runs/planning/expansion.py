"""The expansion of a plan: its cases, omissions and missing chunks, and how often each case is executed. Pure."""

from dataclasses import dataclass

from orchestrator.runs.planning.implementations import ChosenImplementation
from orchestrator.runs.planning.inputs import Input, MessageInput
from orchestrator.runs.planning.offers import ChunkOffer
from orchestrator.runs.planning.requirements import AgentMatch
from orchestrator.runs.schemas import MissingChunkSummary
from orchestrator.wire.base import NOOP
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.messages import with_message


@dataclass(frozen=True, slots=True)
class PurposeCounts:
    """Executions of one case by purpose, as first laid out; with a precision, rounds add timed executions."""

    timing: int
    warm_up: int = 0
    memory: int = 0
    """0: memory is read in the timed executions."""
    shell: int = 0
    """Executions that are started and watched through a shell."""
    blocked: int = 0
    """Executions in blocked order."""
    energy: int = 0
    """Energy windows."""

    @property
    def total(self) -> int:
        """Executions of one case; an energy window counts as one."""
        return self.timing + self.warm_up + self.memory + self.shell + self.blocked + self.energy


@dataclass(frozen=True, slots=True)
class PlannedBuild:
    """The build that executes a case."""

    toolchain: Toolchain | None
    """None: the agent's default build."""
    build_id: int | None
    """None: not built yet."""
    failure: str | None = None
    """Why the toolchain could not be built; its cases are skipped for this reason."""


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """One case of a plan on one agent."""

    number: int
    """Position in the run, from 0."""
    agent_id: str
    build: PlannedBuild
    implementation: ChosenImplementation
    input: Input
    chunk: ChunkOffer | None
    """None: the protocol uses no chunk, or the corpus lacks it."""
    copy: int = 1
    """1, 2 … where the plan requests several copies of a case."""

    @property
    def operation(self) -> str:
        """Operation that is timed, or those that a process executes on the chunk."""
        if isinstance(self.input, MessageInput):
            return self.input.operation
        return NOOP if self.implementation.algorithm == NOOP else self.implementation.sequence

    @property
    def message_operations(self) -> str:
        """Of these, the ones that process the message; empty for none."""
        # Not `operation`: that of noop is the name of its algorithm.
        one, given = self.implementation, self.input
        return with_message(one.operations, given.operation if isinstance(given, MessageInput) else one.sequence)


@dataclass(frozen=True)
class PlannedOmission:
    """A combination that an agent cannot execute."""

    agent_id: str
    provider: str | None
    algorithm: str | None
    variant: str | None
    reason: str
    executions: int | None
    """Executions that are left out; None where the agent has no build to count them from."""


@dataclass(frozen=True, slots=True)
class PartSize:
    """Size of one agent's part of a run."""

    agent_id: str
    executions: int
    seconds: float


@dataclass(frozen=True)
class Expansion:
    """A plan expanded on the agents that execute it."""

    cases: tuple[PlannedCase, ...]
    omissions: tuple[PlannedOmission, ...]
    missing_chunks: tuple[MissingChunkSummary, ...]
    purposes: PurposeCounts
    matches: tuple[AgentMatch, ...] = ()
    """For each agent whether it matches the plan; empty where the agents are those of a run."""

    @property
    def executions_total(self) -> int:
        """Executions of all cases as first laid out, including those skipped because their build failed."""
        return len(self.cases) * self.purposes.total

    def missing_inputs(self) -> list[tuple[str, int]]:
        """Return kind and length of each chunk that the corpus lacks."""
        return [(chunk.kind, chunk.length_bytes) for chunk in self.missing_chunks]

    def by_agent(self) -> dict[str, list[PlannedCase]]:
        """Return the cases of each agent in their order."""
        found: dict[str, list[PlannedCase]] = {}
        for case in self.cases:
            found.setdefault(case.agent_id, []).append(case)
        return found

    def requested_builds(self) -> dict[str, dict[Toolchain, PlannedBuild]]:
        """Return for each agent the builds of the plan's toolchains, built or not, without default builds."""
        found: dict[str, dict[Toolchain, PlannedBuild]] = {}
        for agent_id, build in dict.fromkeys((case.agent_id, case.build) for case in self.cases):
            if build.toolchain is not None:
                found.setdefault(agent_id, {})[build.toolchain] = build
        return found

    def build_ids(self) -> dict[str, dict[Toolchain, int | None]]:
        """Return for each agent the builds of the plan's toolchains that did not fail; None: to be built first."""
        return {
            agent_id: {toolchain: build.build_id for toolchain, build in builds.items() if build.failure is None}
            for agent_id, builds in self.requested_builds().items()
        }
