"""Label of a run's state."""

from typing import Any


def state_label(run: dict[str, Any]) -> str:
    """Return the run's state, with the agents or builds it waits for."""
    agents: list[str] = run["waiting_for"] if run["state"] == "running" else []
    builds: list[str] = run["waiting_for_builds"] if run["state"] == "planned" else []
    if builds:
        return f"waiting for builds: {', '.join(builds)}"
    return f"waiting for agent: {', '.join(agents)}" if agents else str(run["state"])
