"""Offers of agents and chunks to the planner, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from orchestrator.wire.builds import Toolchain
from orchestrator.wire.health import Health
from orchestrator.wire.languages.base import Language
from orchestrator.wire.languages.contract import algorithms_of
from orchestrator.wire.messages import Operation, operations_of, sequence_of


@dataclass(frozen=True, slots=True)
class OfferedGenerator:
    """A random generator that a runner lists."""

    name: str
    reason: str | None = None
    """Why it is not available; None where it is."""


@dataclass(frozen=True, slots=True)
class OfferedMasking:
    """Forms of a masked variant: every combination of shares, degree and generator."""

    shares: tuple[int, ...]
    degrees: tuple[str, ...]
    generators: tuple[OfferedGenerator, ...]


@dataclass(frozen=True)
class OfferedImplementation:
    """An implementation that a runner lists, with the result of its known-answer tests on that build."""

    algorithm: str
    variant: str | None
    """None: the provider lacks the algorithm."""
    available: bool
    default: bool = False
    """The runner's own choice."""
    fastest_at: tuple[int, ...] = ()
    """Lengths of messages, in bytes, from which it is the default; empty for all variants: the runner's own choice."""
    code_bytes: int | None = None
    """None: not measured on this build."""
    reason: str = ""
    """Why it is not available."""
    proved: bool | None = None
    """Whether its known-answer tests passed; None: they have not run yet."""
    proof_detail: str = ""
    kind: str = ""
    """aead, stream, block-mode, or another kind that its runner names."""
    block_bytes: int = 0
    whole_blocks_only: bool = False
    """Whether a message must be whole blocks, as in ECB and CBC."""
    messages_at_once: int | None = None
    """Messages of a batch that its code processes side by side; None: its runner takes one message in a call."""
    masking: OfferedMasking | None = None
    """None for an unmasked implementation."""
    declared: tuple[Operation, ...] = ()
    """Operations that the runner declares; empty for the usual ones of a cipher."""
    process: tuple[str, ...] = ()
    """Of these, the ones that the process protocol executes; empty for those of a cipher, or none."""

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """Operations that can be timed."""
        return operations_of(self.kind, self.declared, batches=self.messages_at_once is not None)

    @cached_property
    def sequence(self) -> str:
        """Operations that the process protocol executes; empty for none."""
        return sequence_of(self.operations, self.process)


LIBRARY_VARIANT = "library"
"""Variant of every implementation of a library."""

Runners = Mapping[str, tuple[OfferedImplementation, ...]]
"""Provider → implementations that its runner lists."""


@dataclass(frozen=True)
class BuildOffer:
    """The runners of one toolchain on one agent."""

    build_id: int
    runners: Runners = field(default_factory=dict)
    missing_providers: Mapping[str, str] = field(default_factory=dict)
    """Provider → why it was not built."""

    @property
    def is_masked(self) -> bool:
        """Return whether it has masked variants of own ciphers."""
        return any(row.masking is not None for rows in self.runners.values() for row in rows)

    @property
    def is_tested(self) -> bool:
        """Return whether known answers were reported, which happens after the build."""
        return any(row.proved is not None for rows in self.runners.values() for row in rows)


@dataclass(frozen=True, slots=True)
class FailedBuild:
    """A toolchain that could not be built."""

    build_id: int
    """Id of the failed build."""
    reason: str
    """Missing program or library, or the last lines of the compiler."""


@dataclass(frozen=True, slots=True)
class OfferedFacts:
    """Facts of an agent's inventory that a plan can require."""

    features: frozenset[str]
    """Features of the processor, as the kernel names them."""
    counters: bool
    counters_reason: str
    """Why the kernel permits no counters; empty where it does, or where the reason is unknown."""
    meter: bool
    memory_bytes: int | None
    """None: unknown."""


@dataclass(frozen=True)
class AgentOffer:
    """An agent with its builds."""

    agent_id: str
    name: str
    architecture: str | None
    """None: no inventory yet."""
    approved: bool = True
    revoked: bool = False
    health: Health = "unchecked"
    health_reason: str = ""
    health_checked_at: datetime | None = None
    build: BuildOffer | None = None
    """The default build, for plans without toolchains; None: not made yet."""
    preparing: str | None = None
    """Activity of its daemon while it prepares the machine; None: it does not, or is silent."""
    builds: Mapping[Toolchain, BuildOffer | FailedBuild] = field(default_factory=dict)
    """Builds of the plan's toolchains; a toolchain that is missing has to be built first."""
    library_versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Versions of each library that its daemon can build a runner of."""
    labels: tuple[str, ...] = ()
    facts: OfferedFacts | None = None
    """None: no inventory yet."""
    masked: tuple[OfferedImplementation, ...] = ()
    """Masked variants that a build of own ciphers with them has; empty if the default build has them."""

    @property
    def expected_runners(self) -> Runners:
        """Implementations expected of a toolchain that is not built: those of the default build, with passed tests."""
        listed = self.build.runners if self.build else {}
        return {
            provider: tuple(replace(row, proved=True) if row.available else row for row in rows)
            for provider, rows in listed.items()
        }


def expected_library_runners(agent: AgentOffer, provider: str) -> Runners:
    """Return the implementations expected of a library in a version that is not built: those of another version.

    If the agent has none, those of own algorithms: what the library lacks becomes an omission when it is built.
    """
    listed = agent.expected_runners
    others = [one.runners for one in agent.builds.values() if isinstance(one, BuildOffer)]
    known = next((rows for runners in (listed, *others) if (rows := runners.get(provider))), None)
    if known is None:
        own = {row.algorithm: row for rows in listed.values() for row in rows if row.available and row.masking is None}
        known = tuple(replace(row, variant=LIBRARY_VARIANT, default=True) for row in own.values())
    return {provider: known}


def expected_runners_of(language: Language) -> Runners:
    """Return the implementations expected of a language's toolchain that is not built: those of the contract."""
    return {
        language.provider: tuple(
            OfferedImplementation(
                algorithm=algorithm,
                variant=variant,
                available=True,
                default=variant == facts.variants[0],
                proved=True,
                kind=facts.kind,
                block_bytes=facts.block_bytes,
                whole_blocks_only=facts.whole_blocks_only,
            )
            for algorithm, facts in algorithms_of(language).items()
            for variant in facts.variants
        )
    }


@dataclass(frozen=True, slots=True)
class ChunkOffer:
    """One chunk of the corpus."""

    chunk_id: int
    kind: str
    length_bytes: int
    sha256: str


ChunkIndex = Mapping[tuple[str, int], ChunkOffer]
"""(kind, length) → chunk."""
