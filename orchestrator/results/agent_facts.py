"""What an answer says of a machine and its builds, from the database."""

from collections.abc import Collection, Mapping

from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Calibration, Inventory
from orchestrator.results import repository
from orchestrator.results.answer import AgentFacts
from orchestrator.results.readings import RunReadings
from orchestrator.results.schemas import NoiseFloor
from orchestrator.wire.builds import Toolchain

_SHARE = "share of"
"""How a unit of a relative noise floor begins: ``share of work_wall_ns``."""


def agent_facts(session: Session, agent_id: str, readings: RunReadings) -> AgentFacts:
    """Return the facts of one agent of a run."""
    build_ids = {candidate.build_id for candidate in readings.of_agent(agent_id)}
    agent = session.get_one(Agent, agent_id)
    inventory = session.get(Inventory, agent.inventory_id) if agent.inventory_id is not None else None
    return AgentFacts(
        agent_id=agent_id,
        name=agent.name,
        device=_device(agent, inventory),
        emulated=inventory.emulated if inventory else False,
        noise_floor=_noise_floor(repository.noise_floors(session, build_ids), build_ids),
        builds=build_words(session, build_ids),
    )


def build_words(session: Session, build_ids: Collection[int]) -> dict[int, tuple[str, str]]:
    """Return key and toolchain in words for each build."""
    return {
        build_id: (build.build_key, toolchain_words(Toolchain.model_validate(build.toolchain)))
        for build_id, build in repository.builds(session, build_ids).items()
    }


def toolchain_words(toolchain: Toolchain) -> str:
    """Return a toolchain in one line: ``gcc O2 march=native dynamic``."""
    machine = [f"{name}={value}" for name in ("march", "mtune", "mcpu") if (value := getattr(toolchain, name))]
    return " ".join([toolchain.compiler, toolchain.optimisation, *machine, toolchain.link])


def _device(agent: Agent, inventory: Inventory | None) -> str:
    """Return model and processor as far as they are known, else the agent's name."""
    facts = inventory.facts if inventory else {}
    processor = facts.get("processor") or {}
    known = [text for text in (facts.get("device_model"), processor.get("model")) if text]
    return f"{agent.name} ({', '.join(known)})" if known else agent.name


def _noise_floor(found: Mapping[int, Calibration], build_ids: Collection[int]) -> NoiseFloor:
    """Return the largest noise floor among the builds: a difference between two must stand above both."""
    floors = [one.value for one in found.values() if one.unit.startswith(_SHARE)]
    if not floors:
        return NoiseFloor(relative=None, reason="this agent has not reported a noise floor for these builds")
    missing = len(set(build_ids) - set(found))
    return NoiseFloor(relative=max(floors), reason=f"{missing} builds have none" if missing else "")
