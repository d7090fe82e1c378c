"""Facts of an agent and its builds in an answer, and the readings of its candidates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.results.answers.decision.constraints import ImplementationFacts
from orchestrator.results.answers.readings import Candidate, CandidateReadings
from orchestrator.results.schemas import FootprintFigures, NoiseFloor, ProcessOverhead
from orchestrator.statistics.trend import Trend
from orchestrator.wire.health import Health

NO_FOOTPRINT = FootprintFigures(
    code_bytes=None, static_ram_bytes=None, context_bytes=None, key_setup_stack_bytes=None, encrypt_stack_bytes=None,
    decrypt_stack_bytes=None, reason="its agent has not reported the footprint of this implementation on this build",
)  # fmt: skip


@dataclass(frozen=True)
class BuildFacts:
    """Facts of a build in an answer."""

    build_key: str
    toolchain: str
    """Label."""
    failure: str | None = None
    """Why the toolchain produced no build."""


UNKNOWN_BUILD = BuildFacts("", "")
Implementation = tuple[int, str, str, str]
"""Build id, provider, algorithm, variant."""


@dataclass(frozen=True)
class AgentFacts:
    """Facts of an agent in an answer."""

    agent_id: str
    name: str
    device: str
    emulated: bool
    noise_floor: NoiseFloor
    builds: Mapping[int, BuildFacts]
    footprints: Mapping[Implementation, FootprintFigures]
    health: Health = "unchecked"
    """Judgment of the agent's latest health check."""
    health_reason: str = ""
    implementations: Mapping[Implementation, ImplementationFacts] = field(default_factory=dict)
    """Properties of implementations in the listings of their runners."""

    def constraint_values(self, candidate: Candidate) -> tuple[ImplementationFacts | None, FootprintFigures]:
        """Return what constraints apply to."""
        key = (candidate.build_id, candidate.provider, candidate.algorithm, candidate.variant)
        return self.implementations.get(key), self.footprints.get(key, NO_FOOTPRINT)


@dataclass(frozen=True)
class AgentReadings:
    """One agent of a run with the readings of its candidates."""

    agent: AgentFacts
    candidates: Mapping[Candidate, CandidateReadings]
    trend: Trend | None = None
    overheads: Sequence[ProcessOverhead] = ()
    vouching: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """What vouches for the expected digest of an input, by algorithm and SHA-256; changes without the readings."""
    against: Mapping[Candidate, CandidateReadings] = field(default_factory=dict)
    """Readings of the second measure."""
