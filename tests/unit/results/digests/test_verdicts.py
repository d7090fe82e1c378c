from hypothesis import given
from hypothesis import strategies as st

from orchestrator.results.digests.verdicts import Observation, judge, vouched_by, vouched_together

A, B, C = "a" * 64, "b" * 64, "c" * 64
AGENTS = ["pi4", "pi5", "box", "liar"]
observations = st.sets(
    st.builds(
        lambda agent, provider, digest, proven, trusted: Observation(agent, agent, provider, digest, proven, trusted),
        st.sampled_from(AGENTS),
        st.sampled_from(["own", "botan", "cryptopp"]),
        st.sampled_from([A, B, C]),
        st.booleans(),
        st.booleans(),
    )
)


def seen(agent: str, digest: str, provider: str = "own", **how: bool) -> Observation:
    return Observation(agent, agent, provider, digest, **how)


class TestAgreementOfAgents:
    def test_two_against_two_are_disputed_with_every_report(self) -> None:
        agents = {"pi4": A, "pi5": A, "box": B, "liar": B}
        judgment = judge([seen(agent, digest) for agent, digest in agents.items()])
        assert judgment.disputed_agents == set(agents)
        assert all(f"{agent} (own) {digest}" in judgment.detail for agent, digest in agents.items())

    def test_distrusted_or_unproven_agent_neither_vouches_nor_disputes(self) -> None:
        for how in ({"trusted": False}, {"proven": False}):
            assert judge([seen("pi4", A), seen("liar", A, **how)]).expected_sha256 is None
            assert judge([seen("pi4", A), seen("liar", B, **how)]).disputed_agents == {"liar"}

    def test_agent_that_contradicts_itself_disputes_only_itself(self) -> None:
        judgment = judge([seen("pi4", A), seen("pi4", B, "botan")])
        assert judgment.disputed_agents == {"pi4"}


class TestAlways:
    @given(observations)
    def test_one_agent_never_decides_for_others(self, found: set[Observation]) -> None:
        judgment = judge(found)
        assert (judgment.expected_sha256 is None) == (judgment.basis is None)
        if judgment.expected_sha256 is not None:
            same = [one for one in found if one.counts and one.output_sha256 == judgment.expected_sha256]
            assert len({one.agent_id for one in same}) >= 2

    @given(observations)
    def test_a_distrusted_agent_changes_nothing_for_others(self, found: set[Observation]) -> None:
        lies = {seen("liar", digest, trusted=False) for digest in (A, B, C)}
        honest = {one for one in found if one.agent_id != "liar"}
        without, with_lies = judge(honest), judge(honest | lies)
        assert without.expected_sha256 == with_lies.expected_sha256
        assert without.disputed_agents == with_lies.disputed_agents - {"liar"}

    @given(observations)
    def test_differing_reports_that_count_are_decided_or_disputed(self, found: set[Observation]) -> None:
        counting = [one for one in found if one.counts]
        judgment = judge(found)
        if len({one.output_sha256 for one in counting}) > 1 and judgment.expected_sha256 is None:
            assert judgment.disputed_agents >= {one.agent_id for one in counting}


def test_vouching_names_the_service_the_agents_or_the_agent_itself() -> None:
    assert vouched_by(ok=3, noop=False, encrypts=True, expected="service") == "service"
    assert vouched_by(ok=3, noop=False, encrypts=True, expected="agents pi4 and pi5") == "agents pi4 and pi5"
    assert vouched_by(ok=3, noop=False, encrypts=True, expected=None) == "one agent"
    assert vouched_by(ok=3, noop=False, encrypts=False, expected="service") == "one agent"
    assert vouched_by(ok=3, noop=True, encrypts=False, expected=None) == "service"
    assert vouched_by(ok=0, noop=False, encrypts=True, expected="service") is None


def test_weakest_vouches_for_several_inputs() -> None:
    assert vouched_together(["service", "service"]) == "service"
    assert vouched_together(["service", "agents A and B", None]) == "agents A and B"
    assert vouched_together(["agents A and B", "agents A and C", "service"]) == "agents A and B; agents A and C"
    assert vouched_together(["service", "one agent", "agents A and B"]) == "one agent"
    assert vouched_together([None]) is None
    assert vouched_together([]) is None
