"""Facts of an agent at its first job of a run, which its answers read, whatever the agent reports later."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Inventory, RunAgent
from orchestrator.shared.values.text import enumerated, flat
from orchestrator.wire.health import Health

_TOPICS = {
    "kernel": "kernel",
    "processor.governor": "governor",
    "processor.microcode": "microcode",
    "device_model": "device",
    "memory_bytes": "device",
    "architecture": "device",
    "emulated": "device",
    "libc": "system",
    "operating_system": "system",
    "python": "system",
    "swap_bytes": "system",
    "virtual_machine": "device",
    "daemon_version": "agent software",
}


@dataclass(frozen=True)
class DeviceInRun:
    """An agent with its facts in a run: those at its first job, or the present ones before that."""

    agent: Agent
    inventory: Inventory | None
    health: Health
    health_reason: str
    last_calibration_id: int | None = None
    """Calibrations up to this one count; None: all."""
    differences: tuple[str, ...] = ()
    """Topics in which the device differs from its present state."""

    @property
    def emulated(self) -> bool:
        """True for a processor that an emulator imitates."""
        return self.inventory.emulated if self.inventory else False

    @property
    def difference_words(self) -> str:
        """Sentence on the differences; empty without any."""
        if not self.differences:
            return ""
        return f"Differs from the device's present state: {enumerated(self.differences)}."


def device_in_run(session: Session, run_id: str, agent_id: str) -> DeviceInRun:
    """Return an agent as it was at its first job of a run; before that, as it is."""
    present = present_device(session, session.get_one(Agent, agent_id))
    of_run = session.get(RunAgent, (run_id, agent_id))
    if of_run is None or of_run.started_at is None:
        return present
    inventory = _inventory(session, of_run.inventory_id)
    return DeviceInRun(
        present.agent,
        inventory,
        _health(of_run.health),
        of_run.health_reason or "",
        of_run.last_calibration_id,
        _differences(inventory, present.inventory),
    )


def present_device(session: Session, agent: Agent) -> DeviceInRun:
    """Return an agent as it is now."""
    inventory = _inventory(session, agent.inventory_id)
    return DeviceInRun(agent, inventory, _health(agent.health), agent.health_reason)


def topics_of(facts: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the topic, the name and the value of each fact of an inventory that can change what is measured."""
    for path, value in flat(facts):
        topic = _TOPICS.get(path)
        if topic is None and path.startswith("libraries."):
            topic = "libraries"
        elif topic is None and path.startswith("processor."):
            topic = "device"
        if topic is not None and value not in ("None", ""):
            yield topic, path.removeprefix("processor.").replace("_", " "), value


def _inventory(session: Session, inventory_id: int | None) -> Inventory | None:
    return session.get(Inventory, inventory_id) if inventory_id is not None else None


def _health(text: str | None) -> Health:
    return TypeAdapter(Health).validate_python(text)


def _differences(then: Inventory | None, present: Inventory | None) -> tuple[str, ...]:
    if then is None or present is None or then.id == present.id:
        return ()
    former, latter = set(topics_of(then.facts)), set(topics_of(present.facts))
    return tuple(sorted({topic for topic, _, _ in former ^ latter}))
