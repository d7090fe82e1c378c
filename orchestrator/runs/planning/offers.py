"""What the planner is told about agents and chunks: plain values, read from the tables by the repository."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from orchestrator.wire.builds import Toolchain
from orchestrator.wire.health import Health


@dataclass(frozen=True, slots=True)
class OfferedImplementation:
    """One row of what a runner lists, with what became of its known answers on that build."""

    algorithm: str
    variant: str | None
    """None: the provider lacks the algorithm."""
    available: bool
    default: bool = False
    reason: str = ""
    """Why it is not available."""
    proved: bool | None = None
    """Whether its known answers passed; None: not proved yet."""
    proof_detail: str = ""
    kind: str = ""
    """aead, stream or block-mode."""
    block_bytes: int = 0
    whole_blocks_only: bool = False
    """Whether a message must be whole blocks, as in ECB and CBC."""


Runners = Mapping[str, tuple[OfferedImplementation, ...]]
"""Provider → what its runner lists."""


@dataclass(frozen=True)
class BuildOffer:
    """The runners of one toolchain on one agent."""

    build_id: int
    runners: Runners = field(default_factory=dict)
    missing_providers: Mapping[str, str] = field(default_factory=dict)
    """Provider → why it was not built."""


@dataclass(frozen=True, slots=True)
class FailedBuild:
    """A toolchain that made nothing."""

    build_id: int
    """Of the row that tells why."""
    reason: str
    """What was missing, or the compiler's last lines."""


@dataclass(frozen=True)
class AgentOffer:
    """An agent, and what its builds can execute."""

    agent_id: str
    name: str
    architecture: str | None
    """None: no inventory yet."""
    approved: bool = True
    revoked: bool = False
    health: Health = "unchecked"
    health_reason: str = ""
    build: BuildOffer | None = None
    """The default one, for plans that name no toolchain; None: not made yet."""
    builds: Mapping[Toolchain, BuildOffer | FailedBuild] = field(default_factory=dict)
    """Of toolchains that plans name. One that is not here has to be built first."""

    @property
    def expected_runners(self) -> Runners:
        """What a toolchain that is not built yet is counted with: the default build's listing, taken for proved."""
        listed = self.build.runners if self.build else {}
        return {
            provider: tuple(replace(row, proved=True) if row.available else row for row in rows)
            for provider, rows in listed.items()
        }


@dataclass(frozen=True, slots=True)
class ChunkOffer:
    """One chunk of the corpus."""

    chunk_id: int
    kind: str
    length_bytes: int
    sha256: str


ChunkIndex = Mapping[tuple[str, int], ChunkOffer]
"""(kind, length) → the chunk that a plan gets for it."""
