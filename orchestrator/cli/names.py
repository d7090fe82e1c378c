"""Names in commands: agents by id or name, runs by id or as the latest, and changes of lists of names."""

from collections.abc import Sequence
from typing import Annotated

import typer

from orchestrator.agents.schemas import AgentSummary
from orchestrator.cli.client import APIClient, shaped
from orchestrator.runs.schemas import RunSummary
from orchestrator.shared.errors import InvalidRequest, NotFound

LATEST = "latest"
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="The run's id, or 'latest'.")]


def find_agent(client: APIClient, agent: str) -> str:
    """Return the id of the agent with this id or name; raise NotFound."""
    for known in (shaped(AgentSummary, one) for one in client.items("/agents")):
        if agent in (known.id, known.name):
            return known.id
    raise NotFound(f"There is no agent {agent!r}.", remedy="List them: ciphermark agents list.")


def find_run(client: APIClient, name: str) -> str:
    """Return the id of the named run; raises NotFound for ``latest`` if there is no run that is not archived."""
    if name != LATEST:
        return name
    for run in client.items("/runs", 1):
        return shaped(RunSummary, run).id
    for archived in client.items("/runs", 1, archived="only"):
        run_id = shaped(RunSummary, archived).id
        raise NotFound(
            f"All runs are archived, and '{LATEST}' is the newest run that is not.",
            remedy=f"Name the run: {run_id} is the newest archived one (ciphermark runs list --archived only).",
        )
    raise NotFound("There is no run yet.", remedy="Submit one: ciphermark submit plans/quick.yaml.")


def with_run_id(client: APIClient, side: str) -> str:
    """Return a side of a comparison, ``RUN,agent=pi4``, with the id of its run; raises as `find_run`.

    An imported series, ``import:ID/1``, is returned as it is.
    """
    run, comma, selected = side.partition(",")
    return find_run(client, run) + comma + selected


def with_changes(present: Sequence[str], added: Sequence[str], removed: Sequence[str], noun: str) -> list[str]:
    """Return the names after a change; raise InvalidRequest for the removal of one that is not there."""
    missing = [name for name in removed if name not in present]
    if missing:
        raise InvalidRequest(
            f"There is no {noun} {missing[0]!r}.", remedy=f"Present: {', '.join(present) or 'none'}.", field=noun
        )
    return [name for name in dict.fromkeys([*present, *added]) if name not in removed]
