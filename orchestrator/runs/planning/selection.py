"""Which agents a plan means, and which names its patterns match. Pure."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from orchestrator.errors import PlanRefused
from orchestrator.runs.planning.offers import AgentOffer
from orchestrator.wire.plans import Plan


@dataclass(frozen=True)
class Selection:
    """The agents that a plan means."""

    usable: tuple[AgentOffer, ...]
    foreign: tuple[AgentOffer, ...]
    """Usable but of an architecture that the plan does not name."""
    not_ready: tuple[tuple[AgentOffer, str], ...]
    """Matched by a pattern but unable to execute anything, with the reason."""


def is_pattern(text: str) -> bool:
    """Tell whether a text has wildcards; without them it is one name, and must exist."""
    return any(character in text for character in "*?[")


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that a pattern matches, sorted."""
    return sorted({name for name in names if fnmatchcase(name, pattern)})


def near(text: str, names: Iterable[str]) -> str:
    """Return a remedy that names what is alike, or what there is."""
    known = sorted(set(names))
    alike = difflib.get_close_matches(text, known, n=3, cutoff=0.6)
    if alike:
        return f"Did you mean {', '.join(alike)}?"
    if not known:
        return "There is none yet."
    shown = ", ".join(known[:12])
    return f"Known: {shown}{', …' if len(known) > 12 else ''}."


def select(plan: Plan, agents: Sequence[AgentOffer]) -> Selection:
    """Return the agents that the plan means.

    Raises PlanRefused for a name that no agent has, for a named agent that cannot execute anything, and where no agent
    is left.
    """
    named: dict[str, AgentOffer] = {}
    not_ready: dict[str, tuple[AgentOffer, str]] = {}
    for index, pattern in enumerate(plan.agents):
        for agent in _matched(pattern, index, agents):
            reason = _why_not_ready(agent)
            if reason is None:
                named[agent.agent_id] = agent
            elif is_pattern(pattern):
                not_ready[agent.agent_id] = (agent, reason)
            else:
                raise PlanRefused(
                    f"Agent {agent.name} {reason}.", remedy=_READY_REMEDY, field=f"agents[{index}]", seen=pattern
                )
    _refuse_none(plan, agents, list(named.values()), list(not_ready.values()))
    ordered = sorted(named.values(), key=lambda agent: agent.name)
    fitting = tuple(agent for agent in ordered if _fits(agent, plan))
    foreign = tuple(agent for agent in ordered if not _fits(agent, plan))
    if not fitting:
        raise PlanRefused(
            "Every agent is of the wrong architecture: "
            + ", ".join(f"{agent.name} is {agent.architecture}" for agent in foreign[:10])
            + f"; the plan asks for {', '.join(plan.architectures)}.",
            remedy="Name another agent, or other architectures.",
            field="architectures",
        )
    return Selection(fitting, foreign, tuple(not_ready.values()))


_READY_REMEDY = "See its state: ciphermark agents show."


def _fits(agent: AgentOffer, plan: Plan) -> bool:
    return not plan.architectures or agent.architecture in plan.architectures


def _matched(pattern: str, index: int, agents: Sequence[AgentOffer]) -> list[AgentOffer]:
    if is_pattern(pattern):
        # Those that were revoked are gone for everybody who did not name them.
        return [agent for agent in agents if fnmatchcase(agent.name, pattern) and not agent.revoked]
    found = [agent for agent in agents if pattern in (agent.agent_id, agent.name)]
    if not found:
        raise PlanRefused(
            f"There is no agent {pattern!r}.",
            remedy=near(pattern, (agent.name for agent in agents if not agent.revoked)),
            field=f"agents[{index}]",
            seen=pattern,
        )
    return found


def _why_not_ready(agent: AgentOffer) -> str | None:
    if agent.revoked:
        return "was revoked"
    if not agent.approved:
        return "waits for its approval (ciphermark agents approve)"
    if agent.build is None:
        return "has no runners yet (it builds them when its daemon starts)"
    return None


def _refuse_none(
    plan: Plan,
    agents: Sequence[AgentOffer],
    usable: Sequence[AgentOffer],
    not_ready: Sequence[tuple[AgentOffer, str]],
) -> None:
    if usable:
        return
    if not_ready:
        reasons = "; ".join(f"{agent.name} {reason}" for agent, reason in not_ready[:10])
        raise PlanRefused(f"No agent can execute this plan: {reasons}.", remedy=_READY_REMEDY, field="agents")
    registered = [agent.name for agent in agents if not agent.revoked]
    if not registered:
        remedy = "Start one: ciphermark up (this machine) or ciphermark daemon enroll (another one)."
        raise PlanRefused("No agent is registered.", remedy=remedy, field="agents")
    seen = ", ".join(plan.agents[:10])
    raise PlanRefused(f"No agent matches {seen}.", remedy=near(seen, registered), field="agents", seen=seen)
