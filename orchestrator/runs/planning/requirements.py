"""Agents that match a plan, and the reasons of the others. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from orchestrator.runs.planning.offers import AgentOffer, OfferedFacts
from orchestrator.runs.planning.patterns import is_pattern, suggestion
from orchestrator.shared.errors import AgentsPreparing, PlanRefused
from orchestrator.shared.units import format_bytes_approximately
from orchestrator.wire.plans import Plan, Requirements, parse_memory

_MAX_NAMES = 10
_MAX_LISTED = 100
"""Agents in the facts of a refusal."""
_STATE_REMEDY = "Check the agent's state: ciphermark agents show."
_RETRY_SECONDS = 6
"""Pause before a plan is sent again; longer than clients wait silently (wire/http_client.py)."""
_NO_INVENTORY = "has not reported its facts yet"


@dataclass(frozen=True, slots=True)
class AgentMatch:
    """Match of an agent with a plan."""

    agent: AgentOffer
    named: bool
    """The plan's ``agents`` name it or match its name."""
    obstacle: str | None
    """Why it cannot execute anything now: not approved, revoked, or without runners."""
    lacks: tuple[str, ...]
    """Requirements that it does not meet, as predicates: ``lacks the label kitchen``."""

    @property
    def matches(self) -> bool:
        """The run would have this agent."""
        return self.named and self.obstacle is None and not self.lacks

    @property
    def reasons(self) -> list[str]:
        """Why it does not match, as predicates of its name; empty where it does."""
        not_named = [] if self.named else ["is not among the agents of the plan"]
        return [*not_named, *([self.obstacle] if self.obstacle else []), *self.lacks]


def match_agents(plan: Plan, agents: Sequence[AgentOffer]) -> list[AgentMatch]:
    """Return for each agent whether it matches the plan, by name; revoked agents only where the plan names them.

    Raises PlanRefused for an agent that does not exist, for a named agent that cannot execute anything, and where no
    agent matches; AgentsPreparing where this is only because agents are preparing their first runners.
    """
    chosen: set[str] = set()
    for index, pattern in enumerate(plan.agents):
        for agent in _chosen(pattern, index, agents):
            obstacle = why_not_ready(agent)
            if obstacle is not None and not is_pattern(pattern):
                require_tested_runners([agent])
                raise PlanRefused(
                    f"Agent {agent.name} {obstacle}.", remedy=_STATE_REMEDY, field=f"agents[{index}]", seen=pattern
                )
            chosen.add(agent.agent_id)
    matches = [
        AgentMatch(agent, agent.agent_id in chosen, why_not_ready(agent), tuple(unmet(plan, agent)))
        for agent in sorted(agents, key=lambda agent: agent.name)
        if agent.agent_id in chosen or not agent.revoked
    ]
    if not any(match.matches for match in matches):
        raise _no_match(plan, matches)
    return matches


def why_not_ready(agent: AgentOffer) -> str | None:
    """Return why an agent cannot execute any plan now, as a predicate of its name; None where it can."""
    if agent.revoked:
        return "was revoked"
    if not agent.approved:
        return "waits for approval (ciphermark agents approve)"
    if agent.build is None:
        return "has no runners yet (its daemon builds them when it starts)"
    if agent.preparing is not None and not agent.build.is_tested:
        return "has not tested its runners with known answers yet"
    return None


def require_tested_runners(agents: Iterable[AgentOffer]) -> None:
    """Raise AgentsPreparing if some of these agents, which are not ready, are building or testing their runners."""
    found = [(one.name, one.preparing) for one in agents if one.approved and not one.revoked and one.preparing]
    if found:
        activities = _listing([(name, [f"is preparing them ({activity})"]) for name, activity in found])
        raise AgentsPreparing(
            f"No runners yet: {activities}.",
            remedy="Submit the plan again when they are ready.",
            retry_after_seconds=_RETRY_SECONDS,
        )


def unmet(plan: Plan, agent: AgentOffer) -> Iterator[str]:
    """Yield the requirements of a plan that an agent does not meet, as predicates of its name."""
    if plan.architectures and agent.architecture not in plan.architectures:
        expected = " or ".join(plan.architectures)
        yield f"is {agent.architecture or 'of unknown architecture'}; the plan expects {expected}"
    if plan.requires is None:
        return
    labels = _missing(plan.requires.labels, agent.labels)
    if labels:
        yield f"lacks the label{'s' if len(labels) > 1 else ''} {', '.join(labels)}"
    if agent.facts is not None:
        yield from _unmet_facts(plan.requires, agent.facts)
    elif plan.requires.features or plan.requires.counters or plan.requires.meter or plan.requires.memory:
        yield _NO_INVENTORY


def _unmet_facts(requires: Requirements, facts: OfferedFacts) -> Iterator[str]:
    features = _missing(requires.features, facts.features)
    if features:
        yield f"has a processor without {', '.join(features)}"
    if requires.counters and not facts.counters:
        yield "has no hardware counters" + (f" ({facts.counters_reason})" if facts.counters_reason else "")
    if requires.meter and not facts.meter:
        yield "has no energy meter"
    if requires.memory is not None:
        if facts.memory_bytes is None:
            yield "reports no memory size"
        elif not parse_memory(requires.memory).includes(facts.memory_bytes):
            yield f"has {format_bytes_approximately(facts.memory_bytes)} of memory; the plan requires {requires.memory}"


def _missing(required: Iterable[str], present: Iterable[str]) -> list[str]:
    found = set(present)
    return [name for name in dict.fromkeys(required) if name not in found]


def _chosen(pattern: str, index: int, agents: Sequence[AgentOffer]) -> list[AgentOffer]:
    if is_pattern(pattern):
        # A pattern never matches revoked agents; a name does, so that the message has the reason.
        return [agent for agent in agents if fnmatchcase(agent.name, pattern) and not agent.revoked]
    found = [agent for agent in agents if pattern in (agent.agent_id, agent.name)]
    if not found:
        raise PlanRefused(
            f"There is no agent {pattern!r}.",
            remedy=suggestion(pattern, (agent.name for agent in agents if not agent.revoked)),
            field=f"agents[{index}]",
            seen=pattern,
        )
    return found


def _no_match(plan: Plan, matches: Sequence[AgentMatch]) -> PlanRefused:
    """Return the refusal of a plan that no agent matches, with what exists."""
    listed = [{"agent_name": one.agent.name, "reasons": one.reasons} for one in matches[:_MAX_LISTED]]
    if not matches:
        remedy = "Start one: ciphermark up (this machine) or ciphermark daemon enroll (another one)."
        return PlanRefused("No agent is registered.", remedy=remedy, field="agents")
    named = [match for match in matches if match.named]
    if not named:
        patterns = ", ".join(plan.agents[:_MAX_NAMES])
        remedy = suggestion(patterns, [match.agent.name for match in matches])
        return PlanRefused(f"No agent matches {patterns}.", remedy=remedy, field="agents", seen=patterns)
    ready = [match for match in named if match.obstacle is None]
    if not ready:
        # An agent without an inventory lacks only what is not known yet.
        require_tested_runners(one.agent for one in named if not one.lacks or one.agent.architecture is None)
        reasons = _listing([(match.agent.name, [match.obstacle or ""]) for match in named])
        return PlanRefused(
            f"No agent can execute this plan: {reasons}.", remedy=_STATE_REMEDY, field="agents", agents=listed
        )
    reasons = _listing([(match.agent.name, list(match.lacks)) for match in ready])
    only_architecture = plan.architectures and not any(
        match.agent.architecture in plan.architectures for match in ready
    )
    if only_architecture or plan.requires is None:
        return PlanRefused(
            f"No agent has an architecture of this plan: {reasons}.",
            remedy="Name other agents or other architectures.",
            field="architectures",
            agents=listed,
        )
    return PlanRefused(
        f"No agent meets the requirements of this plan: {reasons}.",
        remedy=" ".join([*_what_exists(plan.requires, ready), "Change the requirements or name other agents."]),
        field="requires",
        agents=listed,
    )


def _listing(reasons: Sequence[tuple[str, list[str]]]) -> str:
    shown = "; ".join(f"{name} {' and '.join(why)}" for name, why in reasons[:_MAX_NAMES])
    more = len(reasons) - _MAX_NAMES
    return shown if more <= 0 else f"{shown}; and {more} more agents"


def _what_exists(requires: Requirements, ready: Sequence[AgentMatch]) -> Iterator[str]:
    """Yield what the agents have instead of what no agent has."""
    agents = [match.agent for match in ready]
    labels = {label for agent in agents for label in agent.labels}
    for label in _missing(requires.labels, labels):
        yield f"No agent has the label {label}. {suggestion(label, labels)}"
    features = {feature for agent in agents if agent.facts for feature in agent.facts.features}
    for feature in _missing(requires.features, features):
        yield f"No processor has {feature}. {suggestion(feature, features)}"
    sizes = [agent.facts.memory_bytes for agent in agents if agent.facts and agent.facts.memory_bytes]
    if requires.memory and sizes and not any(map(parse_memory(requires.memory).includes, sizes)):
        yield (
            f"The agents have {format_bytes_approximately(min(sizes))} to {format_bytes_approximately(max(sizes))} "
            "of memory."
        )
