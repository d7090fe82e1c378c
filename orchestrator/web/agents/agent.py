"""The page of one agent."""

from typing import Any

from fastapi import Request, Response

from orchestrator.agents import service as agents
from orchestrator.builds import requests
from orchestrator.builds import service as builds
from orchestrator.database.engine import Database
from orchestrator.runs import service as runs
from orchestrator.runs.preflight import service as preflight
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.pagination import MAX_LIMIT
from orchestrator.web.agents.build import build_card
from orchestrator.web.agents.cards import agent_card
from orchestrator.web.agents.health import agent_health
from orchestrator.web.agents.views import AgentPage, BuildCard, RequestRow
from orchestrator.web.charts.leading import Top, TopDep
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router
from orchestrator.web.runs.cards import run_card
from orchestrator.web.views import calibration_row
from orchestrator.wire.agents import GRANTED

BUILDS_SHOWN = 40
RUNS_SHOWN = 10
_SENSORS_ABSENT = "sensors: "
"""Prefix of an inventory's entry for a kind of sensor that is absent."""

router = page_router()


@router.get("/agents/{agent_id}")
def agent(request: Request, database: DatabaseDep, agent_id: str, top: TopDep) -> Response:
    """Show one agent: inventory, health, builds, proofs, calibrations."""
    return page(request, "agents/agent.html", agent_page(database, agent_id, top))


def agent_page(database: Database, agent_id: str, top: Top) -> AgentPage:
    """Return one agent; raises NotFound."""
    device = agents.get_device(database, agent_id)
    facts = device.inventory.model_dump(mode="json") if device.inventory else {}
    return AgentPage(
        card=agent_card(device),
        inventory=facts or None,
        detected_at=device.detected_at,
        requests=_requests(database, agent_id),
        builds=_builds(database, agent_id),
        calibrations=[calibration_row(calibration) for calibration in device.calibrations],
        preflight=preflight.find_latest_report(database, agent_id),
        health=agent_health(database, device, top),
        refused_counters=refused_counters(facts),
        absent_sensors=absent_sensors(facts),
        runs=[run_card(run) for run in runs.list_runs_of_agent(database, agent_id, RUNS_SHOWN)],
    )


def refused_counters(facts: dict[str, Any]) -> dict[str, list[str]]:
    """Return the counters that the kernel does not grant, by its reason."""
    found: dict[str, list[str]] = {}
    for name, grant in sorted((facts.get("counters") or {}).items()):
        if grant != GRANTED:
            found.setdefault(grant, []).append(name)
    return found


def absent_sensors(facts: dict[str, Any]) -> dict[str, str]:
    """Return the kinds of sensor that the agent lacks, each with the reason."""
    absent: dict[str, str] = facts.get("absent") or {}
    return {
        fact.removeprefix(_SENSORS_ABSENT): reason for fact, reason in sorted(absent.items()) if _SENSORS_ABSENT in fact
    }


def _builds(database: Database, agent_id: str) -> list[BuildCard]:
    usable = builds.list_usable_builds(database, agent_id, BUILDS_SHOWN)
    ids = [build.id for build in usable]
    failed, sized = builds.list_failed_proofs(database, ids), builds.count_footprints(database, ids)
    return [build_card(build, failed[build.id], sized.get(build.id, 0)) for build in usable]


def _requests(database: Database, agent_id: str) -> list[RequestRow]:
    """Return the toolchains that plans require and that the agent has no build for, the latest first."""
    unmet = [
        request
        for state in ("open", "failed")
        for request in requests.list_requests(database, agent_id, state, None, MAX_LIMIT).items
    ]
    return [
        RequestRow(
            toolchain=request.toolchain_words,
            state=request.state,
            requested_at=request.requested_at,
            settled_at=request.settled_at,
            failure=request.failure or "" if request.state == "failed" else "",
        )
        for request in sorted(unmet, key=lambda request: (request.requested_at, request.id), reverse=True)
    ]
