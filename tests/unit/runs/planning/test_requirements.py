"""Requirements of plans: the agents that match, the reasons of others, and refusals that name what exists."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from orchestrator.runs.planning.offers import AgentOffer, OfferedFacts
from orchestrator.runs.planning.planner import expand
from orchestrator.runs.planning.requirements import match_agents
from orchestrator.shared.errors import PlanRefused
from orchestrator.shared.units import GIB, MIB, format_size
from orchestrator.wire.plans import Requirements
from tests.support.plans import agent, chunks, matrix, plan

FEATURES, LABELS = ("aes", "avx2", "asimd", "pmull"), ("kitchen", "attic", "fanless")


def facts(**given: Any) -> OfferedFacts:
    values = {"features": frozenset({"aes", "asimd"}), "counters": True, "counters_reason": "", "meter": True,
              "memory_bytes": 4 * GIB, **given}  # fmt: skip
    return OfferedFacts(**values)


def offered(name: str = "pi", *, labels: tuple[str, ...] = (), **given: Any) -> AgentOffer:
    return agent(name, labels=labels, facts=facts(**given))


def requiring(**requires: Any) -> Any:
    return plan(matrix(["own"], ["aes-*"]), requires=requires)


def reasons(requires: dict[str, Any], candidate: AgentOffer) -> list[str]:
    """Return why an agent does not match, next to one that meets everything."""
    able = agent("able", labels=LABELS, facts=facts(features=frozenset(FEATURES), memory_bytes=3 * GIB))
    return {match.agent.name: match.reasons for match in match_agents(requiring(**requires), [able, candidate])}[
        candidate.name
    ]


class TestMatching:
    @pytest.mark.parametrize(
        ("requires", "candidate", "reason"),
        [
            ({"features": ["aes", "avx2", "pmull"]}, offered(), "has a processor without avx2, pmull"),
            ({"counters": True}, offered(counters=False), "has no hardware counters"),
            (
                {"counters": True},
                offered(counters=False, counters_reason="perf_event_paranoid is 4"),
                "has no hardware counters (perf_event_paranoid is 4)",
            ),
            ({"meter": True}, offered(meter=False), "has no energy meter"),
            (
                {"memory": ">= 1 GiB"},
                offered(memory_bytes=906 * MIB),
                "has 906 MiB of memory; the plan requires >= 1 GiB",
            ),
            ({"memory": "<= 3 GiB"}, offered(), "has 4 GiB of memory; the plan requires <= 3 GiB"),
            ({"memory": ">= 1 GiB"}, offered(memory_bytes=None), "reports no memory size"),
            ({"labels": ["kitchen", "fanless"]}, offered(labels=("attic",)), "lacks the labels kitchen, fanless"),
            ({"labels": ["kitchen"]}, offered(), "lacks the label kitchen"),
            ({"meter": True}, agent("new"), "has not reported its facts yet"),
        ],
    )
    def test_agent_that_lacks_a_requirement_has_the_reason(
        self, requires: dict[str, Any], candidate: AgentOffer, reason: str
    ) -> None:
        assert reasons(requires, candidate) == [reason]

    def test_agents_that_the_plan_does_not_name_have_a_reason_too(self) -> None:
        document = plan(matrix(["own"], ["aes-*"]), agents=["pi*"], requires={"labels": ["kitchen"]})
        agents = [offered("pi", labels=("kitchen",)), offered("desk"), agent("gone", revoked=True)]
        found = {match.agent.name: match.reasons for match in match_agents(document, agents)}
        assert found == {"desk": ["is not among the agents of the plan", "lacks the label kitchen"], "pi": []}

    @given(
        features=st.lists(st.sampled_from(FEATURES), max_size=4),
        labels=st.lists(st.sampled_from(LABELS), max_size=3),
        counters=st.booleans(),
        meter=st.booleans(),
        memory=st.none() | st.tuples(st.sampled_from([">=", "<="]), st.integers(0, 4)),
        fleet=st.lists(
            st.tuples(
                st.frozensets(st.sampled_from(FEATURES)), st.frozensets(st.sampled_from(LABELS)), st.booleans(),
                st.booleans(), st.none() | st.integers(1, 4),
            ),
            min_size=1, max_size=4,
        ),
    )  # fmt: skip
    def test_plan_runs_exactly_on_the_agents_that_meet_every_requirement(
        self, *, features: Any, labels: Any, counters: bool, meter: bool, memory: Any, fleet: Any
    ) -> None:
        bound = None if memory is None else f"{memory[0]} {format_size(memory[1] * GIB)}"
        document = requiring(features=features, labels=labels, counters=counters, meter=meter, memory=bound)
        agents, expected = [], set()
        for number, (has, called, counting, metering, gib) in enumerate(fleet):
            held = facts(features=has, counters=counting, meter=metering, memory_bytes=gib and gib * GIB)
            agents.append(agent(f"a{number}", labels=tuple(sorted(called)), facts=held))
            fits = memory is None or (gib is not None and (gib >= memory[1] if memory[0] == ">=" else gib <= memory[1]))
            if set(features) <= has and set(labels) <= called and counting >= counters and metering >= meter and fits:
                expected.add(agents[-1].agent_id)
        if not expected:
            with pytest.raises(PlanRefused, match="No agent meets the requirements"):
                expand(document, agents, chunks())
            return
        found = expand(document, agents, chunks())
        assert set(found.by_agent()) == expected
        assert {match.agent.agent_id for match in found.matches if not match.reasons} == expected
        others = {agent.agent_id for agent in agents} - expected
        assert {omission.agent_id for omission in found.omissions} == others
        # The agents of a run stay, whatever becomes of their facts and labels.
        stripped = [agent(one.name) for one in agents]
        assert set(expand(document, stripped, chunks(), resolved=True).by_agent()) == {a.agent_id for a in stripped}


class TestRefusals:
    @pytest.mark.parametrize(
        ("requires", "message"),
        [
            ({"labels": ["kitchn"]}, r"pi lacks the label kitchn\. .*Did you mean kitchen\?"),
            ({"features": ["aess"]}, r"pi has a processor without aess\. .*Did you mean aes\?"),
            ({"memory": ">= 64 GiB"}, r"pi has 4 GiB of memory.*The agents have 4 GiB to 4 GiB of memory\."),
            ({"labels": ["attic"], "features": ["avx2"]}, r"pi lacks the label attic and has a processor without avx2"),
        ],
    )
    def test_plan_that_no_agent_matches_is_refused_with_what_exists(self, requires: Any, message: str) -> None:
        with pytest.raises(PlanRefused, match=message) as refusal:
            match_agents(requiring(**requires), [offered(labels=("kitchen",)), offered("other", labels=("kitchen",))])
        assert refusal.value.field == "requires"
        listed = refusal.value.facts["agents"]
        assert isinstance(listed, list)
        assert [one["agent_name"] for one in listed] == ["other", "pi"]
        assert all(one["reasons"] for one in listed)

    def test_refusal_of_a_large_fleet_is_short(self) -> None:
        fleet = [offered(f"pi{number}") for number in range(200)]
        with pytest.raises(PlanRefused, match="and 190 more agents") as refusal:
            match_agents(requiring(labels=["kitchen"]), fleet)
        assert len(str(refusal.value)) < 1000


class TestDocument:
    @pytest.mark.parametrize(
        "requires",
        [
            {"memory": "1 GiB"}, {"memory": "> 1 GiB"}, {"memory": ">= 1 GB"}, {"memory": ">= -1"}, {"memory": 1},
            {"counters": "yes"}, {"meter": 1}, {"features": ["AES"]}, {"features": ["aes\x1b[31m"]},
            {"features": ["aes"] * 65}, {"labels": ["the kitchen"]}, {"labels": "kitchen"}, {"ram": ">= 1 GiB"},
        ],
    )  # fmt: skip
    def test_other_values_are_refused(self, requires: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            Requirements.model_validate(requires)
