import pytest

from orchestrator.web.runs.troubles import trouble_detail


@pytest.mark.parametrize(
    ("state", "failure", "detail"),
    [
        ("failed", {"detail": "The runner ended with signal 11."}, "The runner ended with signal 11."),
        ("wrong", {}, "The ciphertext differs from the expected one."),
        (
            "disputed",
            {"detail": ""},
            "Providers return different ciphertexts, and no reference shows which is correct.",
        ),
    ],
)
def test_detail_is_the_failures_or_that_of_the_state(state: str, failure: dict[str, object], detail: str) -> None:
    assert trouble_detail(state, failure) == detail
