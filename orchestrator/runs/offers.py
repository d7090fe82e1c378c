"""What the planner is told about agents and chunks: plain values, read from the tables by the repository."""

from collections.abc import Mapping
from dataclasses import dataclass, field


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


@dataclass(frozen=True)
class AgentOffer:
    """An agent, and what its newest build can execute."""

    agent_id: str
    name: str
    architecture: str | None
    """None: no inventory yet."""
    approved: bool = True
    revoked: bool = False
    build_id: int | None = None
    """None: no build yet."""
    runners: Mapping[str, tuple[OfferedImplementation, ...]] = field(default_factory=dict)
    """By provider."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Provider → why it was not built."""


@dataclass(frozen=True, slots=True)
class ChunkOffer:
    """One chunk of the corpus."""

    chunk_id: int
    kind: str
    length_bytes: int
    sha256: str


ChunkIndex = Mapping[tuple[str, int], ChunkOffer]
"""(kind, length) → the chunk that a plan gets for it."""
