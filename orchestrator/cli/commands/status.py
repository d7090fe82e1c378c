"""Report the condition of the service and its agents."""

import typer

from orchestrator.agents.schemas import AgentSummary
from orchestrator.agents.selection import state_of
from orchestrator.cli.client import shaped
from orchestrator.cli.connection import connect
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.output import JSONOption, print_json, print_table
from orchestrator.service.schemas import Readiness
from orchestrator.shared.tables import Column

app = typer.Typer()

COLUMNS = (Column("part", keeps_width=True), Column("condition", keeps_width=True), Column("detail"))


@app.command()
def status(ctx: typer.Context, as_json: JSONOption = False) -> None:
    """Report the service, its disk, database, Redis and scheduler, and the agents. Exits with 1 if a part fails."""
    with connect(ctx) as client:
        readiness = client.get_any_status("/readiness")
        agents = list(client.items("/agents"))
    found = shaped(Readiness, readiness)
    if as_json:
        print_json({"readiness": readiness, "agents": agents})
    else:
        parts = [(one.name, "ready" if one.ready else "not ready", one.detail) for one in found.parts]
        print_table(COLUMNS, [*parts, *(_agent(shaped(AgentSummary, agent)) for agent in agents)])
    if not found.ready:
        raise typer.Exit(ExitCode.FAILED)


def _agent(agent: AgentSummary) -> tuple[str, str, str]:
    return f"agent {agent.name}", state_of(agent), agent.notice or agent.activity
