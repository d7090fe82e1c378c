"""A toolchain is data, its key identifies it, and an outcome is a build or a failure."""

import shlex

import pytest
from hypothesis import given
from pydantic import ValidationError

from orchestrator.wire.builds import BuildOutcome, Toolchain
from tests.support.wire_messages import TOOLCHAINS, returned


class TestToolchain:
    @given(TOOLCHAINS)
    def test_json_preserves_toolchain_and_key(self, toolchain: Toolchain) -> None:
        assert returned(toolchain) == toolchain
        assert Toolchain.model_validate(toolchain.model_dump()).key == toolchain.key

    @given(TOOLCHAINS, TOOLCHAINS)
    def test_keys_are_equal_exactly_for_equal_toolchains(self, first: Toolchain, second: Toolchain) -> None:
        assert (first.key == second.key) == (first == second)

    @given(TOOLCHAINS)
    def test_no_value_needs_quoting_in_a_shell(self, toolchain: Toolchain) -> None:
        for value in toolchain.model_dump().values():
            assert value is None or shlex.quote(value) == value

    @pytest.mark.parametrize(
        ("fields", "label"),
        [
            ({}, "gcc -O2"),
            (
                {"version": "12", "optimization": "O3", "march": "native", "link": "static"},
                "gcc 12 -O3 -march=native static",
            ),
            ({"compiler": "clang", "mtune": "a", "mcpu": "b"}, "clang -O2 -mtune=a -mcpu=b"),
        ],
    )
    def test_label_has_compiler_and_flags(self, fields: dict[str, str], label: str) -> None:
        assert Toolchain.model_validate(fields).words == label

    @pytest.mark.parametrize(
        "fields",
        [{"compiler": "/bin/sh"}, {"optimization": "O4"}, {"march": "native -fplugin=x"}, {"mcpu": "$(id)"},
         {"march": ""}, {"version": "12; id"}, {"link": "lto"}, {"flags": "-O2"}],
    )  # fmt: skip
    def test_values_outside_the_lists_are_refused(self, fields: dict[str, str]) -> None:
        with pytest.raises(ValidationError):
            Toolchain.model_validate(fields)


class TestBuildOutcome:
    @pytest.mark.parametrize("fields", [{"build_key": "0" * 64}, {"failure": "clang is not installed"}])
    def test_build_or_failure_is_accepted(self, fields: dict[str, str]) -> None:
        outcome = BuildOutcome.model_validate(fields)

        assert returned(outcome) == outcome

    @pytest.mark.parametrize("fields", [{}, {"build_key": "0" * 64, "failure": "x"}, {"failure": ""}])
    def test_both_or_none_is_refused(self, fields: dict[str, str]) -> None:
        with pytest.raises(ValidationError):
            BuildOutcome.model_validate(fields)
