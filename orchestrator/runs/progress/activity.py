"""Activity of runs and of their parts: what happens now, since when and why. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from orchestrator.runs.schemas import Activity, ActivityName
from orchestrator.shared.values.text import some

_ORDER: tuple[ActivityName, ...] = (
    "measuring",
    "preflight",
    "building",
    "queued",
    "waiting for chunks",
    "waiting for agent",
    "finished",
)
"""A run does what its most advanced part does."""
MAX_NAMES = 3
"""Runs named in a cause."""


@dataclass(frozen=True, slots=True)
class PartFacts:
    """Facts about one agent's part of a run that is planned or running."""

    agent_name: str
    submitted_at: datetime
    absence: str = ""
    """Why the agent gets no jobs; empty if it does."""
    absent_since: datetime | None = None
    agent_activity: str = ""
    """Reported in the last heartbeat."""
    builds: Sequence[str] = ()
    """Toolchains that the agent has to build for this run."""
    builds_since: datetime | None = None
    laid_out_at: datetime | None = None
    open_jobs: int = 0
    running_since: datetime | None = None
    """Start of the job that the agent executes; None if it executes none of this run."""
    first_started_at: datetime | None = None
    """Start of the first job."""
    last_finished_at: datetime | None = None
    """End of the last job that has ended."""
    is_checked: bool = False
    """The preflight report of the run has arrived, or a job has ended."""
    ahead: Sequence[str] = ()
    """Names of the runs whose jobs the agent executes first."""


def part_activity(facts: PartFacts) -> Activity:  # noqa: PLR0911 - a rule on each line
    """Return the activity of one part."""
    if facts.laid_out_at is not None and not facts.open_jobs:
        return Activity(name="finished", since=facts.last_finished_at or facts.laid_out_at, cause="")
    if facts.absence:
        return Activity(name="waiting for agent", since=facts.absent_since, cause=facts.absence)
    if facts.running_since is not None:
        if not facts.is_checked:
            return Activity(name="preflight", since=facts.running_since, cause="")
        return Activity(name="measuring", since=facts.first_started_at, cause="")
    if facts.builds:
        since = max(facts.submitted_at, facts.builds_since or facts.submitted_at)
        return Activity(name="building", since=since, cause=_and_after(", ".join(facts.builds), facts.ahead))
    if facts.laid_out_at is None:
        return Activity(name="queued", since=facts.submitted_at, cause="waits for its layout")
    if facts.first_started_at is not None and not facts.ahead:
        # Between two jobs.
        return Activity(name="measuring", since=facts.first_started_at, cause="")
    cause = _and_after("", facts.ahead) if facts.ahead else facts.agent_activity or "waits for the agent's next job"
    return Activity(name="queued", since=facts.last_finished_at or facts.laid_out_at, cause=cause)


def wait_together(parts: Iterable[tuple[PartFacts, Activity]]) -> list[Activity]:
    """Return the activities of a run that starts together: agents without builds wait for those that build."""
    found = list(parts)
    builders = sorted(facts.agent_name for facts, activity in found if activity.name == "building")
    cause = f"starts together with {', '.join(builders)}, which builds" if builders else ""
    return [
        activity.model_copy(update={"cause": cause}) if cause and activity.name == "queued" else activity
        for _, activity in found
    ]


def run_activity(parts: Sequence[tuple[str, Activity]]) -> Activity:
    """Return the activity of a run from those of its parts.

    parts: agent's name and activity, at least one. The cause names the agents where there are several.
    """
    name = min((activity.name for _, activity in parts), key=_ORDER.index)
    same = [(agent, activity) for agent, activity in parts if activity.name == name]
    since = min((activity.since for _, activity in same if activity.since is not None), default=None)
    causes = [f"{agent}: {activity.cause}" for agent, activity in same if activity.cause]
    if len(parts) == 1:
        causes = [activity.cause for _, activity in same if activity.cause]
    return Activity(name=name, since=since, cause="; ".join(causes))


def _and_after(text: str, ahead: Sequence[str]) -> str:
    """Return a cause, with the runs that the agent executes first."""
    if not ahead:
        return text
    after = f"after {some(ahead, MAX_NAMES)}"
    return f"{text}, {after}" if text else after
