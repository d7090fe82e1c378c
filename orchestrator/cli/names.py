"""Names in commands: agents by id or name, and changes of lists of names."""

from collections.abc import Sequence

from orchestrator.cli.client import APIClient
from orchestrator.errors import InvalidRequest, NotFound


def find_agent(client: APIClient, agent: str) -> str:
    """Return the id of the agent with this id or name; raise NotFound."""
    for known in client.items("/agents"):
        if agent in (known["id"], known["name"]):
            return str(known["id"])
    raise NotFound(f"There is no agent {agent!r}.", remedy="List them: ciphermark agents list.")


def with_changes(present: Sequence[str], added: Sequence[str], removed: Sequence[str], noun: str) -> list[str]:
    """Return the names after a change; raise InvalidRequest for the removal of one that is not there."""
    missing = [name for name in removed if name not in present]
    if missing:
        raise InvalidRequest(
            f"There is no {noun} {missing[0]!r}.", remedy=f"Present: {', '.join(present) or 'none'}.", field=noun
        )
    return [name for name in dict.fromkeys([*present, *added]) if name not in removed]
