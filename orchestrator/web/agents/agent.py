"""The list of agents and the page of one agent, as views."""

from typing import Any

from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Inventory
from orchestrator.errors import NotFound
from orchestrator.preflight import service as preflight
from orchestrator.web import agent_repository as repository
from orchestrator.web import assemble
from orchestrator.web.agents import build as build_pages
from orchestrator.web.agents.health import health_of
from orchestrator.web.agents.views import AgentCard, AgentListPage, AgentPage
from orchestrator.wire.agents import GRANTED

RUNS_SHOWN = 10
_SENSORS_ABSENT = "sensors: "
"""How an inventory begins the name of a kind of sensor that is absent."""


def agent_list(session: Session) -> AgentListPage:
    """Return all agents."""
    agents = repository.agents(session)
    inventories = repository.inventories(session, agents)
    return AgentListPage(agents=[_card(agent, inventories.get(agent.id)) for agent in agents])


def agent_page(session: Session, agent_id: str) -> AgentPage:
    """Return one agent; raises NotFound."""
    agent = repository.agent(session, agent_id)
    if agent is None:
        raise NotFound(f"There is no agent {agent_id!r}.", remedy="The page of agents lists all of them.")
    inventory = repository.inventories(session, [agent]).get(agent_id)
    calibrations = repository.calibrations(session, [agent_id])
    return AgentPage(
        card=_card(agent, inventory),
        inventory=inventory.facts if inventory else None,
        detected_at=inventory.detected_at if inventory else None,
        requests=build_pages.request_rows(session, agent_id),
        builds=build_pages.build_cards(session, agent_id),
        calibrations=[assemble.calibration_row(found, build) for found, build in calibrations],
        preflight=preflight.latest_of_agent(session, agent_id),
        health=health_of(session, agent),
        refused_counters=_refused_counters(inventory.facts if inventory else {}),
        absent_sensors=_absent_sensors(inventory.facts if inventory else {}),
        runs=assemble.run_cards(session, repository.runs_of_agent(session, agent_id, RUNS_SHOWN)),
    )


def _refused_counters(facts: dict[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, said in sorted((facts.get("counters") or {}).items()):
        if said != GRANTED:
            found.setdefault(said, []).append(name)
    return found


def _absent_sensors(facts: dict[str, Any]) -> dict[str, str]:
    absent: dict[str, str] = facts.get("absent") or {}
    return {
        fact.removeprefix(_SENSORS_ABSENT): reason for fact, reason in sorted(absent.items()) if _SENSORS_ABSENT in fact
    }


def _card(agent: Agent, inventory: Inventory | None) -> AgentCard:
    facts = assemble.inventory_facts(inventory)
    return AgentCard(
        agent=assemble.agent_name(agent),
        state=agent.state,
        activity=agent.activity,
        last_heartbeat_at=agent.last_heartbeat_at,
        enrolled_at=agent.enrolled_at,
        approved=agent.approved_at is not None,
        revoked=agent.revoked_at is not None,
        model=facts.device_model if facts else None,
        processor=facts.processor.model if facts else None,
        architecture=facts.processor.architecture if facts else None,
        memory_bytes=facts.memory_bytes if facts else None,
        emulated=facts.emulated if facts else False,
        undelivered_records=agent.undelivered_records,
        health=agent.health,
        health_reason=agent.health_reason,
    )
