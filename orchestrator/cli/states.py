"""The state of a run in words."""

from typing import Any


def shown_state(run: dict[str, Any]) -> str:
    """Return the run's state; while it waits for agents or for builds, for which ones."""
    agents: list[str] = run["waiting_for"] if run["state"] == "running" else []
    builds: list[str] = run["waiting_for_builds"] if run["state"] == "planned" else []
    if builds:
        return f"waiting for builds: {', '.join(builds)}"
    return f"waiting for agent: {', '.join(agents)}" if agents else str(run["state"])
