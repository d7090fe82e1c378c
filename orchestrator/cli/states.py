"""Label of a run's state."""

from typing import Any

from orchestrator.units import format_size


def state_label(run: dict[str, Any]) -> str:
    """Return the run's state, with the agents, builds or chunks that it waits for."""
    agents: list[str] = run["waiting_for"] if run["state"] == "running" else []
    builds: list[str] = run["waiting_for_builds"] if run["state"] == "planned" else []
    chunks: list[dict[str, Any]] = run["waiting_for_chunks"] if run["state"] == "planned" else []
    if chunks:
        return f"waiting for chunks: {', '.join(_chunks_label(one) for one in chunks)}"
    if builds:
        return f"waiting for builds: {', '.join(builds)}"
    return f"waiting for agent: {', '.join(agents)}" if agents else str(run["state"])


def _chunks_label(chunks: dict[str, Any]) -> str:
    """Return the chunks of one kind, with the share of them that is made."""
    up_to = "up to " if chunks["chunks"] > 1 else ""
    label = f"{chunks['kind']} {up_to}{format_size(chunks['longest_bytes'])}"
    done_bytes = chunks["done_bytes"]
    return label if done_bytes is None else f"{label} ({100 * min(done_bytes / chunks['longest_bytes'], 1):.0f} %)"
