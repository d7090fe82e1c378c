"""The work of reading and expanding a plan is bounded, whatever the plan names."""

from contextlib import suppress
from cProfile import Profile
from itertools import pairwise

import pytest

from orchestrator.runs.planning.budget import MAX_STEPS, Budget
from orchestrator.runs.planning.offers import AgentOffer, BuildOffer, OfferedImplementation
from orchestrator.runs.planning.plan import MAX_PLAN_BYTES, read_plan
from orchestrator.runs.planning.planner import expand
from orchestrator.shared.errors import PlanRefused
from tests.support.hostile_plans import hostile_plans
from tests.support.untraced import untraced

pytestmark = pytest.mark.untraced

HOSTILE = dict(hostile_plans())
SLOW = {
    "100 equal matrices of 1 000 lengths",
    "100 matrices of 10 000 messages",
    "100 matrices with 1 000 sizes each",
    "100 patterns of providers and of variants in 100 matrices",
    "1 000 equal patterns in 100 matrices",
}
"""Plans that take seconds, and are of the kind of "12 KiB: one matrix of 600 000 messages" or of "1 000 patterns …"."""
VARIANTS = ("ref", "opt32", "opt64", "avx2")
MAX_CALLS = 20 * MAX_STEPS
"""Calls of Python functions for one plan: 20 million for the most expensive accepted plan, 4 million for any other."""


def device(number: int = 1) -> AgentOffer:
    """Return an agent with six providers, each with 120 algorithms in four variants."""
    rows = tuple(
        OfferedImplementation(f"cipher-{n}", variant, True, default=variant == "ref", proved=True, kind="aead")
        for n in range(120)
        for variant in VARIANTS
    )
    runners = dict.fromkeys(("own", "cryptopp", "botan", "openssl", "mbedtls", "python"), rows)
    return AgentOffer(f"{number:012d}", f"pi-{number}", "aarch64", build=BuildOffer(number, runners))


class TestBudget:
    def test_steps_beyond_the_limit_are_refused_with_their_parts(self) -> None:
        budget = Budget(10)
        budget.spend(10, "patterns")
        with pytest.raises(PlanRefused, match="its inputs take more than 10 steps") as refusal:
            budget.spend(1, "inputs")
        assert refusal.value.facts == {"seen": 11, "allowed": 10}

    def test_layout_of_an_accepted_plan_has_no_limit(self) -> None:
        Budget().spend(10**12, "cases")


class TestHostilePlans:
    @pytest.mark.parametrize(
        "name", [pytest.param(name, marks=[pytest.mark.long] if name in SLOW else []) for name in HOSTILE]
    )
    def test_plan_is_expanded_within_the_budget_or_refused(self, name: str) -> None:
        # A body of 12 KiB computed for 44 s; numbers to the base 60 took 29 s and then failed without a problem.
        text = HOSTILE[name]
        assert len(text) <= 1.1 * MAX_PLAN_BYTES
        profile = Profile(builtins=False)
        with suppress(PlanRefused), untraced(), profile:
            expansion = expand(read_plan(None, text).plan, [device()], {}, 1_000_000, max_steps=MAX_STEPS)
            assert len(expansion.cases) < MAX_STEPS
        assert sum(function.callcount for function in profile.getstats()) < MAX_CALLS

    @pytest.mark.long
    def test_steps_grow_with_the_agents_and_their_builds(self) -> None:
        plan = read_plan(None, HOSTILE["1 000 equal patterns in 100 matrices"]).plan
        with untraced():
            expand(plan, [device()], {}, max_steps=MAX_STEPS)
        with pytest.raises(PlanRefused, match="too large to be expanded"), untraced():
            expand(plan, [device(number) for number in range(20)], {}, max_steps=MAX_STEPS)

    def test_expected_builds_count_as_they_will_when_they_exist(self) -> None:
        document = {
            "version": 1, "name": "many", "repetitions": 1,
            "toolchains": [{"march": [f"m{n}" for n in range(64)]}],
            "matrix": [{"providers": ["*"], "algorithms": ["*"], "inputs": {"kinds": ["text"], "sizes": [1]}}] * 30,
        }  # fmt: skip
        with pytest.raises(PlanRefused, match="providers, algorithms and variants"):
            expand(read_plan(document, None).plan, [device()], {}, max_steps=MAX_STEPS)

    def test_plan_of_everything_on_a_fleet_is_accepted(self) -> None:
        document = {
            "version": 1, "name": "fleet", "repetitions": 10,
            "matrix": [
                {"providers": ["*"], "algorithms": ["*"], "inputs": {"kinds": ["text"], "sizes": ["1 KiB", "1 MiB"]}}
            ],
        }  # fmt: skip
        agents = [device(number) for number in range(50)]
        with untraced():
            expansion = expand(read_plan(document, None).plan, agents, {}, 1_000_000, max_steps=MAX_STEPS)
        assert len(expansion.cases) == 50 * 6 * 120 * 2
        assert all(one.number < other.number for one, other in pairwise(expansion.cases))
