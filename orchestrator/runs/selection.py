"""Selection of runs for lists: which, and in which order."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from orchestrator.runs.schemas import RunStateName, Tag
from orchestrator.shared.values.parameters import ID_PATTERN
from orchestrator.wire.base import Time

Archived = Literal["exclude", "only", "include"]
Order = Literal["-submitted", "submitted", "name", "-executions", "-finished"]
"""Column, with - before it for the largest or latest first."""
NEWEST_FIRST: Order = "-submitted"


@dataclass(frozen=True)
class RunSelection:
    """Conditions that a run of a list meets, all of them, as the query of the API has them; None is no condition."""

    state: RunStateName | None = None
    text: str | None = None
    """Part of the name, description or a tag, or the id."""
    tag: Annotated[Tag | None, Field(description="Only runs with this tag.")] = None
    agent_id: Annotated[str | None, Field(pattern=ID_PATTERN, description="Only runs of this agent.")] = None
    since: Annotated[Time | None, Field(description="Only runs submitted at this time or later.")] = None
    until: Annotated[Time | None, Field(description="Only runs submitted before this time.")] = None
    archived: Archived = "exclude"

    @property
    def narrowed(self) -> bool:
        """True where the selection leaves out runs that are not archived."""
        return self.archived == "only" or any(
            value is not None for value in (self.text, self.state, self.agent_id, self.tag, self.since, self.until)
        )
