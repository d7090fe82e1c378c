"""Constant time in answers: the constraint, and the warnings of recommending sentences."""

from typing import Any

import pytest

from orchestrator.builds.schemas import NOT_CHECKED
from orchestrator.results.answers.agents import NO_FOOTPRINT
from orchestrator.results.answers.decision.constant_time import timing_warning
from orchestrator.results.answers.decision.constraints import (
    Constraints,
    ImplementationFacts,
    missing_kinds,
    violations,
)
from orchestrator.results.schemas import TimedCandidateFields

REQUIRED = Constraints(constant_time=True)


def facts(claimed: bool | None, leaks: int | None) -> ImplementationFacts:
    return ImplementationFacts(kind="aead", key_bytes=16, tag_bytes=16, constant_time=claimed, leaks=leaks)


def row(name: str, claimed: bool | None, errors: int | None, **more: Any) -> TimedCandidateFields:
    toolchain = more.pop("toolchain", "gcc -O2")
    check = NOT_CHECKED.model_copy(update={"claimed": claimed, "errors": errors, **more})
    return TimedCandidateFields(
        provider="own", algorithm=name, variant="ref", shares=None, masking=None, generator=None, build_key="b",
        toolchain=toolchain, constant_time=claimed, constant_time_check=check,
    )  # fmt: skip


class TestConstraint:
    def test_refuted_claim_is_excluded_with_the_errors(self) -> None:
        (reason,) = violations(REQUIRED, facts(True, 7), NO_FOOTPRINT, None)
        assert reason == "its claim of constant time is refuted: claimed, REFUTED by 7 errors"
        assert missing_kinds(REQUIRED, [facts(True, 7)]) == [
            "no code of the run claims constant time without being refuted"
        ]

    @pytest.mark.parametrize("claimed", [False, None])
    @pytest.mark.parametrize("leaks", [None, 0, 7])
    def test_code_without_a_claim_is_excluded(self, claimed: bool | None, leaks: int | None) -> None:
        assert violations(REQUIRED, facts(claimed, leaks), NO_FOOTPRINT, None) == [
            "its code does not claim constant time"
        ]


class TestWarning:
    @pytest.mark.parametrize(
        ("claimed", "errors", "expected"),
        [
            (True, 5, " Attention: the code of aes-128-gcm by own claims constant time, and the check"),
            (False, None, " Attention: aes-128-gcm by own does not claim constant time: table look-ups or"),
            (False, 5, " Attention: aes-128-gcm by own does not claim constant time: table look-ups or"),
            (None, 5, " Attention: aes-128-gcm by own does not claim constant time: table look-ups or"),
            (False, 0, " aes-128-gcm by own does not claim constant time, but its check found no branch"),
            (None, 0, " aes-128-gcm by own does not claim constant time, but its check found no branch"),
            (True, None, " aes-128-gcm by own claims constant time, which was not checked on this build."),
            (None, None, ""),
        ],
    )  # fmt: skip
    def test_claim_and_check_decide_the_warning(self, claimed: bool | None, errors: int | None, expected: str) -> None:
        found = timing_warning([row("aes-128-gcm", claimed, errors)])
        assert found.startswith(expected)
        assert bool(found) == bool(expected)

    def test_gravest_warning_is_first_and_names_are_limited(self) -> None:
        rows = [row(f"cipher-{number}", False, None) for number in range(5)]
        text = timing_warning([row("soft", True, None), *rows, row("refuted", True, 1)])
        assert text.index("refuted by own") < text.index("cipher-0 by own") < text.index("soft by own")
        assert "cipher-2 by own and 2 others do not claim" in text
        assert "cipher-3" not in text

    def test_builds_of_one_implementation_are_distinguished(self) -> None:
        rows = [row("aes-128-gcm", True, 0), row("aes-128-gcm", True, 2, toolchain="clang -O3")]
        assert "the code of aes-128-gcm by own [ref, clang -O3] claims constant time" in timing_warning(rows)

    def test_library_checked_with_other_code_is_named(self) -> None:
        text = timing_warning([row("aes-128-gcm", True, 0, hidden_features=["vaes"])])
        assert text == (
            " aes-128-gcm by own was checked for constant time without some features of this processor, for which it "
            "may have other code."
        )
