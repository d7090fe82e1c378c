"""Labels of the activity of a run and its agents."""

from datetime import datetime

from orchestrator.cli.moments import show_age
from orchestrator.runs.chunks.schemas import AwaitedChunks
from orchestrator.runs.schemas import RunDetail, RunSummary
from orchestrator.shared.units import format_size

UNFINISHED = ("planned", "running")


def state_label(run: RunSummary) -> str:
    """Return the run's activity, with the agents, builds, runs or chunks that it waits for."""
    activity = run.activity
    if activity.name == "waiting for chunks":
        return f"waiting for chunks: {', '.join(_chunks_label(one) for one in run.waiting_for_chunks)}"
    if run.state in UNFINISHED and activity.cause:
        return f"{activity.name}: {activity.cause}"
    return activity.name


def activity_rows(run: RunDetail, now: datetime) -> list[tuple[object, ...]]:
    """Return for each agent of a run its activity, start and cause."""
    rows = [(agent.name, agent.activity) for agent in run.agents]
    return [(name, one.name, show_age(one.since, now), one.cause) for name, one in rows]


def _chunks_label(chunks: AwaitedChunks) -> str:
    """Return the chunks of one kind, with the share of them that is made."""
    up_to = "up to " if chunks.chunks > 1 else ""
    label = f"{chunks.kind} {up_to}{format_size(chunks.longest_bytes)}"
    if chunks.done_bytes is None:
        return label
    return f"{label} ({100 * min(chunks.done_bytes / chunks.longest_bytes, 1):.0f} %)"
