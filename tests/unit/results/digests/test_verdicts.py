from hypothesis import given
from hypothesis import strategies as st

from orchestrator.results.digests.verdicts import Observation, judge

A, B, C = "a" * 64, "b" * 64, "c" * 64
observations = st.sets(
    st.builds(Observation, st.sampled_from(["own", "botan", "cryptopp"]), st.sampled_from([A, B, C]), st.booleans())
)


class TestWithThirdParty:
    def test_one_proven_agreeing_provider_confirms_the_reference(self) -> None:
        judgment = judge([Observation("own", A, True), Observation("botan", B, True)], A)
        assert (judgment.expected_sha256, judgment.basis, judgment.disputed) == (A, "third-party", False)

    def test_unproven_provider_does_not_confirm_the_reference(self) -> None:
        judgment = judge([Observation("own", A, False)], A)
        assert (judgment.expected_sha256, judgment.disputed) == (None, False)

    def test_reference_without_agreement_leads_to_a_dispute(self) -> None:
        # We may drive the third party wrongly: two proven providers against it are disputed, not wrong.
        judgment = judge([Observation("own", A, True), Observation("botan", A, True)], B)
        assert (judgment.expected_sha256, judgment.disputed) == (None, True)


class TestWithoutThirdParty:
    def test_two_proven_providers_that_agree_decide(self) -> None:
        seen = [Observation("own", A, True), Observation("botan", A, True), Observation("cryptopp", B, True)]
        judgment = judge(seen, None)
        assert (judgment.expected_sha256, judgment.basis) == (A, "agreement")
        assert "botan, own" in judgment.detail

    def test_builds_of_one_provider_count_once(self) -> None:
        assert judge([Observation("own", A, True), Observation("own", A, False)], None).expected_sha256 is None

    def test_two_that_differ_are_disputed(self) -> None:
        assert judge([Observation("own", A, True), Observation("botan", B, True)], None).disputed

    def test_one_provider_that_differs_from_itself_is_disputed(self) -> None:
        assert judge([Observation("own", A, True), Observation("own", B, True)], None).disputed

    def test_one_alone_is_unconfirmed(self) -> None:
        judgment = judge([Observation("own", A, True)], None)
        assert (judgment.expected_sha256, judgment.disputed) == (None, False)


class TestAlways:
    @given(observations, st.none() | st.sampled_from([A, B, C]))
    def test_expected_digest_comes_from_a_proven_implementation(
        self, seen: set[Observation], third_party: str | None
    ) -> None:
        judgment = judge(seen, third_party)
        assert (judgment.expected_sha256 is None) == (judgment.basis is None)
        assert not (judgment.disputed and judgment.expected_sha256)
        if judgment.expected_sha256 is not None:
            assert any(one.proven and one.ciphertext_sha256 == judgment.expected_sha256 for one in seen)

    @given(observations)
    def test_differing_ciphertexts_are_always_reported(self, seen: set[Observation]) -> None:
        judgment = judge(seen, None)
        if len({one.ciphertext_sha256 for one in seen}) > 1:
            assert judgment.disputed or judgment.expected_sha256
