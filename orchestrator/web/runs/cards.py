"""Runs as the list of runs and the heads of pages show them."""

from orchestrator.runs.schemas import RunAgent, RunSummary
from orchestrator.web.runs.views import AgentActivity, RunCard
from orchestrator.web.views import AgentName, Tally


def run_card(run: RunSummary) -> RunCard:
    """Return a run as a card."""
    columns = ("id", "name", "description", "tags", "reason", "submitted_at", "submitted_by", "owner_id",
               "started_at", "finished_at", "seed", "repetitions", "registered_repetitions", "estimated_seconds",
               "executions_per_second", "input_bytes_per_second")  # fmt: skip
    tally = ("ok", "failed", "wrong", "disputed", "skipped", "disturbed")
    return RunCard(
        **{name: getattr(run, name) for name in columns},
        archived=run.archived_at is not None,
        state=run.activity.name,
        run_state=run.state,
        activity=run.activity,
        agent_activities=[AgentActivity(agent=agent.name, activity=agent.activity) for agent in run.agents],
        awaited_builds=run.waiting_for_builds,
        awaited_chunks=run.waiting_for_chunks,
        tally=Tally(**{name: getattr(run, name) for name in tally}, total=run.executions_total),
        remaining_seconds=run.seconds_left,
        agents=[agent_name(agent) for agent in run.agents],
        quarantined={
            agent.name: agent.health_reason
            for agent in run.agents
            if agent.has_open_jobs and agent.health == "quarantined"
        },
    )


def agent_name(agent: RunAgent) -> AgentName:
    """Return an agent of a run as links show it."""
    return AgentName(id=agent.id, name=agent.name, live=agent.live)
