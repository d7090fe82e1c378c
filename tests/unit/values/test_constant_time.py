import pytest

from orchestrator.shared.values.constant_time import explanation, label, timing_label, with_indication


@pytest.mark.parametrize(
    ("claimed", "errors", "expected"),
    [
        (True, 0, "yes, checked"),
        (True, None, "yes, not checked"),
        (True, 1, "claimed, REFUTED by 1 error"),
        (True, 224, "claimed, REFUTED by 224 errors"),
        (False, 0, "not claimed, no leak found"),
        (False, None, "no, not checked"),
        (False, 3, "no, found 3 errors"),
        (None, 0, "no claim, no leak found"),
        (None, None, "unknown"),
        (None, 3, "no claim, found 3 errors"),
    ],
)
def test_label_has_claim_and_check(claimed: bool | None, errors: int | None, expected: str) -> None:
    assert label(claimed, errors) == expected


def test_label_names_features_that_a_library_could_not_use() -> None:
    assert label(True, 0, ["avx512f", "vaes"]) == "yes, checked (perhaps other code)"
    # A leak is a leak on any processor.
    assert label(True, 2, ["avx512f"]) == "claimed, REFUTED by 2 errors"


def test_explanation_is_limited_to_the_tested_messages() -> None:
    assert "up to 4101 bytes" in explanation(0, 4101, [], "")
    assert "Valgrind hid vaes" in explanation(0, 4101, ["vaes"], "")
    assert explanation(None, None, [], "valgrind is not installed") == (
        "Not checked on this build: valgrind is not installed."
    )
    assert "at least 5 branches or addresses" in explanation(5, 16, [], "")


@pytest.mark.parametrize(
    ("t", "expected"),
    [
        (-10.1, "Timing depends on data"),
        (10.0, "Timing is suspicious"),
        (-4.6, "Timing is suspicious"),
        (4.5, "Timing test: nothing found with 20000 timings"),
    ],
)
def test_timing_is_an_indication(t: float, expected: str) -> None:
    assert timing_label(t, 20_000, "").startswith(expected)


def test_label_contains_times_that_depend_on_data() -> None:
    assert with_indication("yes, checked", -10.1) == "yes, checked; timing depends on data"
    assert with_indication("yes, checked", 10.0) == "yes, checked"
    assert with_indication("unknown", None) == "unknown"
