"""The page of one agent."""

from collections import Counter
from typing import Any

from fastapi import Request, Response

from orchestrator.agents import service as agents
from orchestrator.agents.health import service as health
from orchestrator.builds import requests
from orchestrator.builds import service as builds
from orchestrator.builds.repository import count_footprints
from orchestrator.builds.schemas import BuildRequestSummary
from orchestrator.database.engine import ReadSession
from orchestrator.runs import service as runs
from orchestrator.runs.preflight import service as preflight
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.pagination import MAX_LIMIT
from orchestrator.web.charts.leading import TopDep
from orchestrator.web.charts.sensors import display_value, sensor_labels
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router
from orchestrator.wire.agents import GRANTED

BUILDS_SHOWN = 40
RUNS_SHOWN = 10
CHECKS_SHOWN = 10
_SENSORS_ABSENT = "sensors: "
"""Prefix of an inventory's entry for a kind of sensor that is absent."""

router = page_router()


@router.get("/agents/{agent_id}")
def agent(request: Request, database: DatabaseDep, agent_id: str, top: TopDep) -> Response:
    """Show one agent: inventory, health, builds, proofs, calibrations."""
    with database.read() as session:
        usable = builds.list_usable_builds(session, agent_id, BUILDS_SHOWN)
        ids = [build.id for build in usable]
        sensors = agents.list_latest_sensor_readings(session, agent_id)
        view = {
            "agent": agents.get_device(session, agent_id),
            "requests": _unmet_requests(session, agent_id),
            "builds": usable,
            "failed_proofs": builds.list_failed_proofs(session, ids),
            "footprints": count_footprints(session, ids),
            "preflight": preflight.find_latest_report(session, agent_id),
            "checks": health.list_checks(session, agent_id, None, CHECKS_SHOWN).items,
            "sensors": sensors,
            "runs": runs.list_runs_of_agent(session, agent_id, RUNS_SHOWN),
            "top": top.text,
        }
    places = Counter(sensor_labels(reading.sensor)[0] for reading in sensors if reading.value is not None)
    return page(
        request,
        "agents/agent.html",
        view,
        most_places=max(places.values(), default=0),
        sensor_labels=sensor_labels,
        display_value=display_value,
        refused_counters=refused_counters,
        absent_sensors=absent_sensors,
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


def _unmet_requests(session: ReadSession, agent_id: str) -> list[BuildRequestSummary]:
    """Return the requests of toolchains that the agent has no build for, the latest first."""
    unmet = [
        request
        for state in ("open", "failed")
        for request in requests.list_requests(session, agent_id, state, None, MAX_LIMIT).items
    ]
    return sorted(unmet, key=lambda request: (request.requested_at, request.id), reverse=True)
