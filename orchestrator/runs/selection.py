"""Selection of runs for lists: which, and in which order."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query

from orchestrator.runs.schemas import RunStateName, Tag
from orchestrator.values.parameters import SearchText
from orchestrator.wire.base import Time

Archived = Literal["exclude", "only", "include"]
Order = Literal["-submitted", "submitted", "name", "-executions", "-finished"]
"""Column, with - before it for the largest or latest first."""
NEWEST_FIRST: Order = "-submitted"


@dataclass(frozen=True)
class RunSelection:
    """Conditions that a run of a list meets, all of them; None is no condition."""

    text: str | None = None
    """Part of its name, description or a tag, or its id."""
    state: str | None = None
    agent_id: str | None = None
    tag: str | None = None
    since: datetime | None = None
    """Submitted at this time or later."""
    until: datetime | None = None
    """Submitted before this time."""
    archived: Archived = "exclude"

    @property
    def narrowed(self) -> bool:
        """True where the selection leaves out runs that are not archived."""
        return self.archived == "only" or any(
            value is not None for value in (self.text, self.state, self.agent_id, self.tag, self.since, self.until)
        )


def run_selection(
    *,
    state: RunStateName | None = None,
    text: Annotated[
        SearchText | None,
        Query(alias="q", max_length=80, description="Part of the name, description or a tag, or the id."),
    ] = None,
    tag: Annotated[Tag | None, Query(description="Only runs with this tag.")] = None,
    agent_id: Annotated[
        str | None, Query(pattern=r"^[A-Za-z0-9_-]{1,40}$", description="Only runs of this agent.")
    ] = None,
    since: Annotated[Time | None, Query(description="Only runs submitted at this time or later.")] = None,
    until: Annotated[Time | None, Query(description="Only runs submitted before this time.")] = None,
    archived: Archived = "exclude",
) -> RunSelection:
    """Return the selection of a request to the API."""
    return RunSelection(text or None, state, agent_id, tag, since, until, archived)
