"""Selection of runs for lists: which, and in which order."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

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
