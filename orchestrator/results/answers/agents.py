"""Facts of an agent and its builds in an answer, and the readings of its candidates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestrator.builds.schemas import NOT_CHECKED, ConstantTimeFigures, FootprintFigures
from orchestrator.builds.source_metrics.schemas import NOT_MEASURED, ImplementationSource, SourceFigures
from orchestrator.results.answers.decision.constraints import ImplementationFacts
from orchestrator.results.answers.readings import Candidate, CandidateReadings
from orchestrator.results.schemas import NoiseFloor, ProcessOverhead
from orchestrator.statistics.trend import Trend
from orchestrator.wire.health import Health

NO_FOOTPRINT = FootprintFigures(
    code_bytes=None, static_ram_bytes=None, context_bytes=None, key_setup_stack_bytes=None, encrypt_stack_bytes=None,
    decrypt_stack_bytes=None, reason="its agent has not reported the footprint of this implementation on this build",
)  # fmt: skip


EMULATED = "times of an emulated processor are not compared"
WITHDRAWN = "withdrawn, because the agent made a report that cannot be true and is not trusted again"
"""Reasons for having no rank."""
_FAILURE_CHARACTERS = 400
"""Characters of a compiler's last lines in a table; the build has all of them."""


def unranked_because(*, withdrawn: bool, emulated: bool) -> str:
    """Return why the times of an agent have no rank; empty where they have."""
    return WITHDRAWN if withdrawn else EMULATED if emulated else ""


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


@dataclass(frozen=True)
class ComparisonRules:
    """Facts of an agent that decide how its candidates are compared."""

    unranked: str
    """Why nothing is compared: EMULATED or WITHDRAWN; empty where everything is."""
    noise_floor: float | None
    """Relative; None if the agent has none."""


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

    @property
    def unranked(self) -> str:
        """Why its times have no rank; empty where they have."""
        return unranked_because(withdrawn=self.withdrawn, emulated=self.emulated)

    def source(self, candidate: Candidate) -> tuple[SourceFigures | None, str]:
        """Return the figures of a candidate's source code, or the reason why there are none."""
        key = (candidate.build_id, candidate.provider, candidate.algorithm, candidate.variant)
        found = self.sources.get(key)
        return (found.source, found.reason) if found else (None, NOT_MEASURED)

    def constraint_values(self, candidate: Candidate) -> tuple[ImplementationFacts | None, FootprintFigures]:
        """Return what constraints apply to."""
        key = (candidate.build_id, candidate.provider, candidate.algorithm, candidate.variant)
        return self.implementations.get(key), self.footprints.get(key, NO_FOOTPRINT)

    def constant_time(self, candidate: Candidate) -> ConstantTimeFigures:
        """Return what a candidate's code claims, and what the agent found on its build."""
        key = (candidate.build_id, candidate.provider, candidate.algorithm, candidate.variant)
        return self.checks.get(key, NOT_CHECKED)

    def identity(self, candidate: Candidate) -> dict[str, Any]:
        """Return the fields that name a candidate in an answer."""
        build = self.builds.get(candidate.build_id, UNKNOWN_BUILD)
        facts = self.constraint_values(candidate)[0]
        return {
            "provider": candidate.provider,
            "algorithm": candidate.algorithm,
            "variant": candidate.variant,
            **candidate.form.fields,
            "copy_number": candidate.copy,
            "build_key": build.build_key,
            "toolchain": build.toolchain,
            "constant_time": facts.constant_time if facts else None,
            "constant_time_check": self.constant_time(candidate),
        }

    def build_failure(self, candidate: Candidate) -> str:
        """Return why a candidate's toolchain produced no build; empty where it did."""
        failure = self.builds.get(candidate.build_id, UNKNOWN_BUILD).failure
        return "" if failure is None else f"the toolchain produced no runners: {failure[-_FAILURE_CHARACTERS:]}"

    def label(self, candidate: Candidate) -> str:
        """Return a name that no other candidate of the agent has."""
        build = self.builds.get(candidate.build_id, UNKNOWN_BUILD)
        copy = f" #{candidate.copy}" if candidate.copy > 1 else ""
        variant = candidate.form.label(candidate.variant)
        return f"{candidate.algorithm} by {candidate.provider} [{variant}, {build.toolchain}]{copy}"


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
