"""The queue before a run: activities of its parts, and the time until each agent gets to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy.orm import Session

from orchestrator.agents.liveness import absence
from orchestrator.database.models import Agent, Run
from orchestrator.runs.parts.repository import TOGETHER
from orchestrator.runs.planning.estimation.builds import expected_seconds
from orchestrator.runs.planning.estimation.repository import build_seconds
from orchestrator.runs.progress import repository
from orchestrator.runs.progress.activity import PartFacts, part_activity, run_activity, wait_together
from orchestrator.runs.progress.repository import OpenBuild, QueuedWork
from orchestrator.runs.schemas import Activity
from orchestrator.runs.state import RunState
from orchestrator.wire.builds import Toolchain

RunAgents = Mapping[str, tuple[Agent, bool]]
"""Agent's id → agent, and whether it has open jobs of the run."""


@dataclass(frozen=True)
class RunActivities:
    """Activity of a run and of each of its agents."""

    run: Activity
    agents: Mapping[str, Activity] = field(default_factory=dict)
    """By the agent's id."""


def activities(
    session: Session,
    runs: Sequence[Run],
    agents: Mapping[str, RunAgents],
    making_chunks: Mapping[str, str],
    at: datetime,
) -> dict[str, RunActivities]:
    """Return the activities of runs by id.

    agents: by run. making_chunks: labels of the chunks that runs wait for.
    """
    alive = [run for run in runs if run.state in (RunState.PLANNED, RunState.RUNNING)]
    facts = _facts(session, alive, agents, at)
    found: dict[str, RunActivities] = {}
    for run in runs:
        own = agents.get(run.id, {})
        if run not in alive:
            state = Activity.model_validate({"name": run.state, "since": run.finished_at, "cause": run.reason})
            found[run.id] = RunActivities(state, dict.fromkeys(own, state))
        elif run.id in making_chunks:
            state = Activity(name="waiting for chunks", since=run.submitted_at, cause=making_chunks[run.id])
            found[run.id] = RunActivities(state, dict.fromkeys(own, state))
        elif not own:
            found[run.id] = RunActivities(_without_agents(session, run))
        else:
            found[run.id] = _of_parts(run, own, {agent_id: facts[run.id, agent_id] for agent_id in own})
    return found


def _without_agents(session: Session, run: Run) -> Activity:
    """Return the activity of a run of an earlier version, which gets its agents at the layout."""
    builds = [Toolchain.model_validate(one.toolchain).words for one in repository.open_builds(session, [run.id])]
    if builds:
        return Activity(name="building", since=run.submitted_at, cause=", ".join(builds))
    return Activity(name="queued", since=run.submitted_at, cause="waits for its layout")


def _of_parts(run: Run, agents: RunAgents, facts: Mapping[str, PartFacts]) -> RunActivities:
    parts = [part_activity(facts[agent_id]) for agent_id in agents]
    if run.start == TOGETHER and run.laid_out_at is None:
        parts = wait_together(zip(facts.values(), parts, strict=True))
    named = [(agent.name, activity) for (agent, _), activity in zip(agents.values(), parts, strict=True)]
    return RunActivities(run_activity(named), dict(zip(agents, parts, strict=True)))


def _facts(
    session: Session, runs: Sequence[Run], agents: Mapping[str, RunAgents], at: datetime
) -> dict[tuple[str, str], PartFacts]:
    run_ids = [run.id for run in runs]
    jobs, laid_out = repository.job_times(session, run_ids), repository.laid_out_parts(session, run_ids)
    checked, builds = repository.checked_parts(session, run_ids), repository.open_builds(session, run_ids)
    work = repository.queued_work(session, {agent_id for run_id in run_ids for agent_id in agents.get(run_id, {})})
    found: dict[tuple[str, str], PartFacts] = {}
    for run in runs:
        for agent_id, (agent, _) in agents.get(run.id, {}).items():
            key = (run.id, agent_id)
            times = jobs.get(key)
            own_builds = [one for one in builds if (one.run_id, one.agent_id) == key]
            why_absent, absent_since = absence(agent, at)
            found[key] = PartFacts(
                agent_name=agent.name,
                submitted_at=run.submitted_at,
                absence=why_absent,
                absent_since=absent_since,
                agent_activity=agent.activity,
                builds=[Toolchain.model_validate(one.toolchain).words for one in own_builds],
                builds_since=min((one.requested_at for one in own_builds), default=None),
                laid_out_at=laid_out.get(key, run.laid_out_at),
                open_jobs=times.open_jobs if times else 0,
                running_since=times.running_since if times else None,
                first_started_at=times.first_started_at if times else None,
                last_finished_at=times.last_finished_at if times else None,
                is_checked=key in checked or bool(times and times.done),
                ahead=[one.run_name for one in _ahead(run, agent_id, work, builds=bool(own_builds))],
            )
    return found


def queue_seconds(session: Session, run: Run, agent_ids: Sequence[str]) -> dict[str, float]:
    """Return for each agent the expected seconds until it gets to a run: runs ahead, then builds of the run."""
    work = repository.queued_work(session, agent_ids)
    builds = repository.open_builds(session, [run.id])
    found: dict[str, float] = {}
    for agent_id in agent_ids:
        own = [one for one in builds if one.agent_id == agent_id]
        ahead = _ahead(run, agent_id, work, builds=bool(own))
        found[agent_id] = sum(_seconds(session, one) for one in ahead) + _build_seconds(session, agent_id, own)
    return found


def _ahead(run: Run, agent_id: str, work: Sequence[QueuedWork], *, builds: bool) -> list[QueuedWork]:
    """Return the work of other runs that the agent does first; all of it where the run needs builds."""
    place = (run.priority, run.submitted_at, run.id)
    return [
        one
        for one in work
        if one.agent_id == agent_id and one.run_id != run.id and (builds or one.place < place or one.is_sent)
    ]


def _seconds(session: Session, work: QueuedWork) -> float:
    known = repository.seconds_per_execution(session, work.run_id, work.agent_id)
    if known is None and work.part_seconds is not None and work.part_executions:
        known = work.part_seconds / work.part_executions
    return work.executions * (known or 0.0)


def _build_seconds(session: Session, agent_id: str, builds: Sequence[OpenBuild]) -> float:
    if not builds:
        return 0.0
    earlier = build_seconds(session, agent_id)
    return sum(expected_seconds(Toolchain.model_validate(one.toolchain), earlier)[0] for one in builds)
