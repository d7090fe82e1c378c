"""The agents of a run with their builds and calibrations."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from orchestrator.agents import service as agents
from orchestrator.agents.schemas import AgentDevice, CalibrationSummary
from orchestrator.builds.schemas import BuildReference
from orchestrator.database.engine import Database


def devices(database: Database, run_id: str, builds_of_run: Sequence[BuildReference]) -> list[dict[str, Any]]:
    """Return the agents of a run's cases as they were in it, also those whose cases were all skipped.

    Each with its builds and their calibrations, and a sentence on what differs from its present state.
    """
    builds: dict[str, list[BuildReference]] = defaultdict(list)
    for build in builds_of_run:
        builds[build.agent_id].append(build)
    return [
        {
            "agent": agent,
            "builds": builds[agent.id],
            "calibrations": calibrations(agent, builds[agent.id]),
            "differences": in_run.difference_words,
        }
        for agent, in_run in agents.list_devices(database, run_id, builds)
    ]


def calibrations(agent: AgentDevice, builds: Sequence[BuildReference]) -> list[CalibrationSummary]:
    """Return the calibrations of these builds; builds on request have none, then those of the default build."""
    ids = {build.id for build in builds}
    of_run = [one for one in agent.calibrations if one.build_id in ids]
    return of_run or [one for one in agent.calibrations if one.of_default_build]
