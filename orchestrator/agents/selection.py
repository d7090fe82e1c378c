"""Selection of agents for lists of the API, the command line and pages: which, in which groups and order. No I/O."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal, get_args

from pydantic import Field

from orchestrator.agents.schemas import AgentSummary
from orchestrator.shared.values.parameters import SearchText, TypedText
from orchestrator.wire.health import Health

Grouping = Literal["state", "health", "label", "architecture", "device", "none"]
AgentOrder = Literal["name", "-heartbeat", "-enrolled", "-memory"]
_NEVER = datetime.min.replace(tzinfo=UTC)
_NO_LABEL, _UNKNOWN = "without a label", "unknown"
AgentState = Literal[
    "executing", "ready", "preparing", "enrolled", "refusing", "silent", "cut off", "not approved", "revoked"
]
_STATES: tuple[str, ...] = get_args(AgentState)
"""States in the order of their groups."""


def state_of(agent: AgentSummary) -> str:
    """Return the state of an agent for users: that of its daemon, unless it is silent or gets no jobs."""
    if agent.revoked_at is not None:
        return "revoked"
    if agent.queue_closed_reason is not None:
        return "cut off"
    if agent.approved_at is None:
        return "not approved"
    return agent.state if agent.liveness == "live" else "silent"


@dataclass(frozen=True)
class AgentSelection:
    """Conditions that an agent of a list meets, all of them, as a query has them; an empty text is no condition."""

    text: str = ""
    """Part of the name, a label, the notes or the device, or the id."""
    state: Annotated[AgentState | None, Field(description="Default: all, also revoked agents.")] = None
    health: Health | None = None
    label: Annotated[SearchText, Field(max_length=63, description="Only agents with this label.")] = ""
    architecture: Annotated[SearchText, Field(max_length=40, description="Only this one: `aarch64`.")] = ""
    feature: Annotated[TypedText, Field(max_length=40, description="Only processors with it: `aes`, `asimd`.")] = ""

    @property
    def narrowed(self) -> bool:
        """True where the selection leaves out agents that are not revoked."""
        return any((self.text, self.state, self.health, self.label, self.architecture, self.feature))

    def includes(self, agent: AgentSummary, *, with_revoked: bool = False) -> bool:
        """Return whether an agent meets the conditions.

        with_revoked: whether a selection without a state includes revoked agents.
        """
        state = state_of(agent)
        return (
            (state == self.state if self.state else with_revoked or state != "revoked")
            and (not self.health or agent.health == self.health)
            and (not self.label or self.label in agent.labels)
            and (not self.architecture or agent.architecture == self.architecture)
            and (not self.feature or self.feature in agent.features)
            and (not self.text or self._is_found_in(agent))
        )

    def _is_found_in(self, agent: AgentSummary) -> bool:
        texts = (agent.name, *agent.labels, agent.notes, agent.device_model or "", agent.processor or "")
        return agent.id == self.text or any(self.text.casefold() in text.casefold() for text in texts)


_KEYS: dict[Grouping, Callable[[AgentSummary], Sequence[str]]] = {
    "state": lambda agent: (state_of(agent),),
    "health": lambda agent: (agent.health,),
    "label": lambda agent: agent.labels or (_NO_LABEL,),
    "architecture": lambda agent: (agent.architecture or _UNKNOWN,),
    "device": lambda agent: (agent.device_model or agent.processor or _UNKNOWN,),
    "none": lambda _agent: ("",),
}
_ORDERS: dict[AgentOrder, Callable[[AgentSummary], object]] = {
    "name": lambda agent: 0,
    "-heartbeat": lambda agent: -(agent.last_heartbeat_at or _NEVER).timestamp(),
    "-enrolled": lambda agent: -agent.enrolled_at.timestamp(),
    "-memory": lambda agent: -(agent.memory_bytes or 0),
}


def in_order(agents: Iterable[AgentSummary], order: AgentOrder) -> list[AgentSummary]:
    """Return the agents in this order; equal ones by name."""
    key = _ORDERS[order]
    return sorted(agents, key=lambda agent: (key(agent), agent.name.casefold(), agent.name))


def grouped(agents: Sequence[AgentSummary], grouping: Grouping) -> dict[str, list[AgentSummary]]:
    """Return the agents in groups by title, which keep their order; an agent with several labels is in several groups.

    Groups are in the order of `_STATES`, others by name.
    """
    found: dict[str, list[AgentSummary]] = {}
    for agent in agents:
        for title in _KEYS[grouping](agent):
            found.setdefault(title, []).append(agent)
    titles = sorted(found, key=lambda title: (_STATES.index(title) if title in _STATES else len(_STATES), title))
    last = [title for title in titles if title in (_NO_LABEL, _UNKNOWN)]
    return {title: found[title] for title in (*(one for one in titles if one not in last), *last)}
