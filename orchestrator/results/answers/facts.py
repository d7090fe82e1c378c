"""Facts of an agent and its builds in an answer, read from the database."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from sqlalchemy.orm import Session

from orchestrator.agents.devices import DeviceInRun, device_in_run
from orchestrator.builds.constant_time import claims_of, constant_time_figures
from orchestrator.builds.repository import calibrated_defaults, list_constant_time_checks
from orchestrator.builds.schemas import ConstantTimeFigures, FootprintFigures
from orchestrator.builds.source_metrics.stored import by_implementation
from orchestrator.database.models import Build, Calibration, Footprint
from orchestrator.results.answers import repository
from orchestrator.results.answers.agents import NO_FOOTPRINT, AgentFacts, BuildFacts, no_footprint_on
from orchestrator.results.answers.decision.constraints import ImplementationFacts
from orchestrator.results.answers.readings import Candidate, Implementation
from orchestrator.results.schemas import NoiseFloor
from orchestrator.wire.builds import build_words

_SHARE = "share of"
"""Prefix of the unit of a relative noise floor: ``share of work_wall_ns``."""


def facts_of_agents(session: Session, run_id: str, candidates: Iterable[Candidate]) -> dict[str, AgentFacts]:
    """Return the facts of the agents that these candidates of a run belong to, by agent id, sorted."""
    build_ids = defaultdict[str, set[int]](set)
    for candidate in candidates:
        build_ids[candidate.agent_id].add(candidate.build_id)
    return {agent_id: agent_facts(session, run_id, agent_id, own) for agent_id, own in sorted(build_ids.items())}


def agent_facts(
    session: Session, run_id: str, agent_id: str, build_ids: Collection[int], target: str = ""
) -> AgentFacts:
    """Return the facts of one agent in a run, and of these builds; target: that has the sizes, if not the agent."""
    builds = repository.builds(session, build_ids)
    device = device_in_run(session, run_id, agent_id)
    model = _model(device)
    checks = _constant_time(session, builds)
    return AgentFacts(
        agent_id=agent_id,
        agent_name=device.agent.name,
        device=f"{device.agent.name} ({model})" if model else device.agent.name,
        model=model,
        emulated=device.emulated,
        withdrawn=device.agent.distrusted_at is not None,
        noise_floor=_noise_floor(session, device, build_ids),
        health=device.health,
        health_reason=device.health_reason,
        differences=device.difference_words,
        builds=build_facts(builds),
        implementations=_implementations(builds, checks, calibrated_defaults(session, builds)),
        checks=checks,
        sources=by_implementation(builds.values()),
        footprints={
            (found.build_id, found.provider, found.algorithm, found.variant): footprint_figures(found)
            for found in repository.footprints(session, build_ids, target)
        },
        unknown_footprint=no_footprint_on(target) if target else NO_FOOTPRINT,
    )


def build_facts(builds: Mapping[int, Build]) -> dict[int, BuildFacts]:
    """Return key, toolchain label, failure and library versions of each build."""
    return {
        build_id: BuildFacts(
            build.build_key, build_words(build.toolchain, build.cross_built), build.failure, _versions(build)
        )
        for build_id, build in builds.items()
    }


def _versions(build: Build) -> dict[str, str]:
    return {provider: str(runner["listing"].get("version", "")) for provider, runner in build.runners.items()}


def _implementations(
    builds: Mapping[int, Build],
    checks: Mapping[Implementation, ConstantTimeFigures],
    calibrated: Mapping[Implementation, bool],
) -> dict[Implementation, ImplementationFacts]:
    """Return the properties of every implementation in the listings of these builds' runners."""
    found: dict[Implementation, ImplementationFacts] = {}
    for build_id, build in builds.items():
        for provider, runner in build.runners.items():
            for one in runner["listing"]["implementations"]:
                if one["variant"] is None:
                    continue
                identity = (build_id, provider, one["algorithm"], one["variant"])
                found[identity] = ImplementationFacts(
                    kind=one.get("kind"),
                    key_bytes=one.get("key_bytes", 0),
                    tag_bytes=one.get("tag_bytes", 0),
                    constant_time=one.get("constant_time"),
                    leaks=checks[identity].errors,
                    available=one["available"],
                    requires=tuple(one.get("requires") or ()),
                    masked=bool(one.get("masking")),
                    default=calibrated.get(identity, one.get("default", False)) and one["available"],
                )
    return found


def _constant_time(session: Session, builds: Mapping[int, Build]) -> dict[Implementation, ConstantTimeFigures]:
    """Return claim and check of every implementation in the listings of these builds' runners."""
    found = {(one.build_id, one.provider, one.algorithm, one.variant): one
             for one in list_constant_time_checks(session, builds)}  # fmt: skip
    return {
        (build_id, *identity): constant_time_figures(claimed, found.get((build_id, *identity)))
        for build_id, build in builds.items()
        for identity, claimed in claims_of(build).items()
    }


def footprint_figures(found: Footprint | None) -> FootprintFigures:
    """Return the sizes of an implementation, or the reason why there are none."""
    if found is None:
        return NO_FOOTPRINT
    return FootprintFigures.from_row(found)


def _model(device: DeviceInRun) -> str:
    """Return device model and processor as far as the agent's inventory declares them."""
    facts = device.inventory.facts if device.inventory else {}
    processor = facts.get("processor") or {}
    return ", ".join(text for text in (facts.get("device_model"), processor.get("model")) if text)


def _noise_floor(session: Session, device: DeviceInRun, build_ids: Collection[int]) -> NoiseFloor:
    """Return the largest noise floor among the builds: a difference between two builds must exceed both.

    Builds requested by a plan are not calibrated; the noise floor of the agent's default build is used for them.
    """
    found = repository.noise_floors(session, build_ids, device.last_calibration_id)
    floors = _relative(found.values())
    if floors:
        missing = len(set(build_ids) - set(found))
        reason = {0: "", 1: "1 build has none"}.get(missing, f"{missing} builds have none")
        return NoiseFloor(relative=max(floors), reason=reason)
    of_default = _relative(repository.noise_floors_of_default(session, device.agent.id, device.last_calibration_id))
    if of_default:
        return NoiseFloor(relative=of_default[-1], reason="of the agent's default build; these builds have none")
    return NoiseFloor(relative=None, reason="this agent had reported no noise floor for these builds")


def _relative(found: Iterable[Calibration]) -> list[float]:
    return [one.value for one in found if one.unit.startswith(_SHARE)]
