"""Facts of an agent and its builds in an answer, and the readings of its candidates."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestrator.builds.schemas import NOT_CHECKED, ConstantTimeFigures, FootprintFigures
from orchestrator.builds.source_metrics.schemas import NOT_MEASURED, ImplementationSource, SourceFigures
from orchestrator.results.answers.decision.constraints import ImplementationFacts
from orchestrator.results.answers.readings import Candidate, CandidateReadings, Implementation
from orchestrator.results.schemas import ExcludedCandidate, NoiseFloor, ProcessOverhead
from orchestrator.statistics.trend import Trend
from orchestrator.wire.health import Health

NO_FOOTPRINT = FootprintFigures(
    code_bytes=None, static_ram_bytes=None, context_bytes=None, stack_bytes=None,
    reason="its agent has not reported the footprint of this implementation on this build",
)  # fmt: skip


def no_footprint_on(target: str) -> FootprintFigures:
    """Return the absent footprint of an implementation on a target."""
    reason = (
        f"the agent has not reported its sizes on {target}: it has them of portable code of our own ciphers, if it has "
        "the compiler of the target"
    )
    return NO_FOOTPRINT.model_copy(update={"target": target, "reason": reason})


EMULATED = "times of an emulated processor are not compared"
WITHDRAWN = "withdrawn, because the agent made a report that cannot be true and is not trusted again"
"""Reasons for having no rank."""
_FAILURE_CHARACTERS = 400
"""Characters of a compiler's last lines in a table; the build has all of them."""


def unranked_sentence(device: str, unranked: str) -> str:
    """Return the summary of a device whose times have no rank."""
    if unranked == EMULATED:
        return f"{device} is emulated: its times do not apply to a real device, so nothing is ranked."
    return f"The results of {device} are {unranked}."


@dataclass(frozen=True)
class BuildFacts:
    """Facts of a build in an answer."""

    build_key: str
    toolchain: str
    """Label."""
    failure: str | None = None
    """Why the toolchain produced no build."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Provider → version that its runner lists."""


UNKNOWN_BUILD = BuildFacts("", "")


@dataclass(frozen=True)
class AgentFacts:
    """Facts of an agent in an answer, among them the fields of schemas.AgentFields."""

    agent_id: str
    agent_name: str
    device: str
    emulated: bool
    noise_floor: NoiseFloor
    builds: Mapping[int, BuildFacts]
    footprints: Mapping[Implementation, FootprintFigures]
    health: Health = "unchecked"
    """Judgment of the last health check before the run."""
    health_reason: str = ""
    model: str = ""
    """Declared device model and processor; empty where both are unknown."""
    withdrawn: bool = False
    """No operator has trusted the agent again since it made a false report."""
    differences: str = ""
    """Sentence on what differs from the device's present state; empty for nothing."""
    implementations: Mapping[Implementation, ImplementationFacts] = field(default_factory=dict)
    """Properties of implementations in the listings of their runners."""
    checks: Mapping[Implementation, ConstantTimeFigures] = field(default_factory=dict)
    """Claims about constant time, and what the agent found."""
    sources: Mapping[Implementation, ImplementationSource] = field(default_factory=dict)
    unknown_footprint: FootprintFigures = field(default_factory=lambda: NO_FOOTPRINT)
    """Footprint of an implementation that `footprints` lacks."""

    @property
    def unranked(self) -> str:
        """Why its times have no rank; empty where they have."""
        return WITHDRAWN if self.withdrawn else EMULATED if self.emulated else ""

    @property
    def key(self) -> Hashable:
        """Facts that comparisons of its candidates depend on besides their readings, and their toolchains."""
        toolchains = tuple((build_id, build.toolchain) for build_id, build in sorted(self.builds.items()))
        return self.agent_id, self.unranked, self.noise_floor.relative, toolchains

    def source(self, candidate: Candidate) -> tuple[SourceFigures | None, str]:
        """Return the figures of a candidate's source code, or the reason why there are none."""
        found = self.sources.get(candidate.implementation)
        return (found.source, found.reason) if found else (None, NOT_MEASURED)

    def constraint_values(self, candidate: Candidate) -> tuple[ImplementationFacts | None, FootprintFigures]:
        """Return what constraints apply to."""
        key = candidate.implementation
        return self.implementations.get(key), self.footprints.get(key, self.unknown_footprint)

    def constant_time(self, candidate: Candidate) -> ConstantTimeFigures:
        """Return what a candidate's code claims, and what the agent found on its build."""
        return self.checks.get(candidate.implementation, NOT_CHECKED)

    def identity(self, candidate: Candidate) -> dict[str, Any]:
        """Return the fields that name a candidate in an answer."""
        build = self.builds.get(candidate.build_id, UNKNOWN_BUILD)
        facts = self.constraint_values(candidate)[0]
        return {
            "agent_id": self.agent_id,
            **candidate.fields,
            "build_key": build.build_key,
            "toolchain": build.toolchain,
            "constant_time": facts.constant_time if facts else None,
            "constant_time_check": self.constant_time(candidate),
        }

    def excluded(self, reasons: Mapping[Candidate, Sequence[str]]) -> list[ExcludedCandidate]:
        """Return the candidates that violate constraints, with the reasons."""
        return [ExcludedCandidate(**self.identity(one), reasons=list(why)) for one, why in reasons.items()]

    def build_failure(self, candidate: Candidate) -> str:
        """Return why a candidate's toolchain produced no build; empty where it did."""
        failure = self.builds.get(candidate.build_id, UNKNOWN_BUILD).failure
        return "" if failure is None else f"the toolchain produced no runners: {failure[-_FAILURE_CHARACTERS:]}"

    def label(self, candidate: Candidate) -> str:
        """Return a name that no other candidate of the agent has."""
        return f"{candidate.algorithm} by {self.label_in_algorithm(candidate)}"

    def label_in_algorithm(self, candidate: Candidate) -> str:
        """Return a name that no other candidate of the agent and the algorithm has."""
        copy = f" #{candidate.copy}" if candidate.copy > 1 else ""
        variant = candidate.form.label(candidate.variant)
        return f"{candidate.provider} [{variant}, {self.toolchain(candidate)}]{copy}"

    def toolchain(self, candidate: Candidate) -> str:
        """Return the label of the toolchain that built a candidate."""
        return self.builds.get(candidate.build_id, UNKNOWN_BUILD).toolchain


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
