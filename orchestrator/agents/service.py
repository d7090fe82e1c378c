"""Agents, their inventories and their sensor readings, as the API returns them."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

import structlog
from sqlalchemy.orm import Session

from orchestrator.agents import repository
from orchestrator.agents.devices import DeviceInRun, device_in_run, present_device
from orchestrator.agents.health import repository as health_repository
from orchestrator.agents.health.repository import SensorFilter
from orchestrator.agents.liveness import is_live
from orchestrator.agents.schemas import (
    AgentChange,
    AgentDetail,
    AgentDevice,
    AgentSummary,
    CalibrationSummary,
    FalseReportSummary,
    InventoryCreated,
    InventoryDetail,
)
from orchestrator.agents.selection import AgentSelection
from orchestrator.builds import service as builds
from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Build, Calibration, Inventory, now
from orchestrator.service.events import repository as events
from orchestrator.service.pagination import MAX_LIMIT, Page, decode_cursor, page_of
from orchestrator.service.trust import service as trust_service
from orchestrator.service.trust.repository import list_false_reports
from orchestrator.shared.errors import Conflict
from orchestrator.wire.agents import InventoryFacts, InventoryReport
from orchestrator.wire.builds import build_words
from orchestrator.wire.health import SensorSample

_log = structlog.get_logger(__name__)


def list_agents(database: Database, selection: AgentSelection, cursor: str | None, limit: int) -> Page[AgentSummary]:
    """Return a page of the selected agents in the order of their names."""
    after = decode_cursor(cursor, (str,))
    with database.read() as session:
        found = list(islice(_selected(session, selection, str(after[0]) if after else None), limit + 1))
    return page_of(found, limit, lambda agent: (agent.name,), lambda agent: agent)


def _selected(session: Session, selection: AgentSelection, after: str | None) -> Iterator[AgentSummary]:
    """Yield the selected agents after a name, in the order of their names."""
    at = now()
    while rows := repository.list_agents(session, (after,) if after is not None else None, MAX_LIMIT):
        inventories = repository.get_inventories(session, (agent.inventory_id for agent in rows))
        for row in rows:
            agent = AgentSummary(**_common(row, inventories.get(row.inventory_id or 0), at))
            if selection.includes(agent, with_revoked=True):
                yield agent
        after = rows[-1].name


def list_all_agents(session: Session) -> list[AgentSummary]:
    """Return all agents by name, revoked ones last."""
    rows = repository.list_all_agents(session)
    inventories = repository.get_inventories(session, (agent.inventory_id for agent in rows))
    at = now()
    return [AgentSummary(**_common(agent, inventories.get(agent.inventory_id or 0), at)) for agent in rows]


def list_devices(session: Session, run_id: str, agent_ids: Iterable[str]) -> list[tuple[AgentDevice, DeviceInRun]]:
    """Return these agents with the inventories and calibrations that they had in a run, by name."""
    devices = [device_in_run(session, run_id, agent_id) for agent_id in agent_ids]
    devices.sort(key=lambda device: device.agent.name)
    return [(AgentDevice(**columns), one) for columns, one in zip(_devices(session, devices), devices, strict=True)]


def get_device(session: Session, agent_id: str) -> AgentDevice:
    """Return one agent with its inventory and its calibrations; raises NotFound."""
    return AgentDevice(**_present(session, agent_id))


def get_agent(database: Database, agent_id: str) -> AgentDetail:
    """Return one agent with its facts; raises NotFound."""
    with database.read() as session:
        own = repository.list_builds(session, agent_id)
        return AgentDetail(**_present(session, agent_id), builds=builds.summaries(session, own))


def report_inventory(database: Database, agent_id: str, report: InventoryReport) -> InventoryCreated:
    """Store an inventory unless it is stored already, and make it the agent's current one; raises NotFound."""
    with database.write() as session:
        agent = repository.get_agent(session, agent_id)
        inventory = repository.find_inventory(session, agent_id, report.sha256)
        if inventory is None:
            facts = report.inventory
            inventory = Inventory(
                agent_id=agent_id,
                sha256=report.sha256,
                architecture=facts.processor.architecture,
                emulated=facts.emulated,
                facts=facts.model_dump(mode="json"),
            )
            session.add(inventory)
            session.flush()
        agent.inventory_id = inventory.id
        return InventoryCreated(id=inventory.id, sha256=inventory.sha256)


def change_agent(database: Database, agent_id: str, change: AgentChange, by: str) -> None:
    """Change the name, labels or notes of an agent; raises NotFound, and Conflict for a name that is in use.

    Results and runs refer to an agent's id, and later plans to its present name and labels.
    """
    with database.write() as session:
        agent = repository.get_agent(session, agent_id)
        if change.name is not None and change.name != agent.name:
            if repository.find_agent_by_name(session, change.name) is not None:
                raise Conflict(
                    f"Another agent has the name {change.name}.", remedy="Choose another name.", field="name"
                )
            agent.name = change.name
        if change.labels is not None:
            agent.labels = list(dict.fromkeys(change.labels))
        if change.notes is not None:
            agent.notes = change.notes.strip()
        events.note(session, "agent-state", None, agent_id, state="changed", name=agent.name)
    _log.info("agent changed", agent_id=agent_id, by=by, changed=sorted(change.model_fields_set))


def trust(database: Database, agent_id: str) -> None:
    """Trust an agent again after false reports; repeating this is not an error. Raises NotFound."""
    with database.write() as session:
        repository.get_agent(session, agent_id)
        trust_service.trust(session, agent_id)


def list_inventories(database: Database, agent_id: str, cursor: str | None, limit: int) -> Page[InventoryDetail]:
    """Return a page of an agent's inventories, newest first; raises NotFound."""
    with database.read() as session:
        repository.get_agent(session, agent_id)
        return repository.list_inventories(session, agent_id, cursor, limit).page(_inventory)


def _inventory(row: Inventory) -> InventoryDetail:
    facts = InventoryFacts.model_validate(row.facts)
    return InventoryDetail(id=row.id, sha256=row.sha256, detected_at=row.detected_at, inventory=facts)


def list_sensor_readings(
    database: Database, agent_id: str, selection: SensorFilter, cursor: str | None, limit: int
) -> Page[SensorSample]:
    """Return a page of an agent's sensor readings in the order of arrival; raises NotFound."""
    with database.read() as session:
        repository.get_agent(session, agent_id)
        return health_repository.list_readings(session, agent_id, selection, cursor, limit).page(SensorSample.from_row)


def list_latest_sensor_readings(session: Session, agent_id: str) -> list[SensorSample]:
    """Return the newest reading of each sensor of an agent, by sensor."""
    rows = health_repository.list_latest_readings(session, agent_id)
    return list(map(SensorSample.from_row, rows))


def list_thinned_sensor_readings(
    database: Database, agent_id: str, since: datetime, max_readings: int
) -> list[SensorSample]:
    """Return the readings since a moment, of each sensor at most about max_readings, evenly spread."""
    with database.read() as session:
        rows = health_repository.list_thinned_readings(session, agent_id, since, max_readings)
    return list(map(SensorSample.from_row, rows))


def _present(session: Session, agent_id: str) -> dict[str, Any]:
    return _devices(session, [present_device(session, repository.get_agent(session, agent_id))])[0]


def _devices(session: Session, found: Sequence[DeviceInRun]) -> list[dict[str, Any]]:
    """Return the values of an `AgentDevice` for each of these devices."""
    calibrations: dict[str, list[CalibrationSummary]] = {one.agent.id: [] for one in found}
    last_ids = {one.agent.id: one.last_calibration_id for one in found}
    for calibration, build in repository.list_latest_calibrations(session, last_ids):
        calibrations[calibration.agent_id].append(_calibration(calibration, build))
    reports: dict[str, list[FalseReportSummary]] = {one.agent.id: [] for one in found}
    for report in list_false_reports(session, reports):
        reports[report.agent_id].append(FalseReportSummary.from_row(report))
    at, devices = now(), []
    for one in found:
        agent, inventory = one.agent, one.inventory
        devices.append(
            {
                **_common(agent, inventory, at),
                "inventory": InventoryFacts.model_validate(inventory.facts) if inventory else None,
                "detected_at": inventory.detected_at if inventory else None,
                "calibrations": calibrations[agent.id],
                "false_reports": reports[agent.id],
            }
        )
    return devices


def _calibration(calibration: Calibration, build: Build) -> CalibrationSummary:
    return CalibrationSummary.from_row(
        calibration,
        toolchain_words=build_words(build.toolchain, build.cross_built),
        of_default_build=build.is_default,
    )


def _common(agent: Agent, inventory: Inventory | None, at: datetime) -> dict[str, Any]:
    facts = inventory.facts if inventory else {}
    processor = facts.get("processor") or {}
    return {
        **{name: getattr(agent, name) for name in AgentSummary.model_fields if hasattr(agent, name)},
        "liveness": "live" if is_live(agent, at) else "silent",
        "device_model": facts.get("device_model"),
        "processor": processor.get("model"),
        "architecture": inventory.architecture if inventory else None,
        "features": processor.get("isa_extensions") or [],
        "memory_bytes": facts.get("memory_bytes"),
        "emulated": inventory.emulated if inventory else None,
    }
