"""A toolchain is data, and its key identifies it."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.wire.builds import Toolchain

MACHINE_FLAGS = st.none() | st.from_regex(r"[A-Za-z0-9+._-]{1,40}", fullmatch=True)
TOOLCHAINS = st.builds(
    Toolchain,
    compiler=st.sampled_from(["gcc", "clang", "icpx"]),
    version=st.none() | st.from_regex(r"[0-9]{1,4}(\.[0-9]{1,4}){0,2}", fullmatch=True),
    optimization=st.sampled_from(["O0", "O1", "O2", "O3", "Os", "Og", "Ofast"]),
    march=MACHINE_FLAGS,
    mtune=MACHINE_FLAGS,
    mcpu=MACHINE_FLAGS,
    link=st.sampled_from(["dynamic", "static"]),
)


class TestToolchain:
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
