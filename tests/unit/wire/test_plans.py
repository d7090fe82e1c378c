"""Toolchains of plans: axes expand to distinct ones, whose number is limited."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from orchestrator.wire.plans import MAX_TOOLCHAINS, Plan, ToolchainAxes

MATRIX: dict[str, Any] = {"providers": ["*"], "algorithms": ["aes-*"], "inputs": {"sizes": ["1 KiB"]}}
PLAN: dict[str, Any] = {"version": 1, "name": "quick", "repetitions": 3, "matrix": [MATRIX]}
AXES = st.builds(
    ToolchainAxes,
    compiler=st.lists(st.sampled_from(["gcc", "clang", "icpx"]), min_size=1, max_size=4),
    optimization=st.lists(st.sampled_from(["O2", "O3", "Os"]), min_size=1, max_size=4),
    link=st.sampled_from(["dynamic", "static"]),
)


class TestToolchainAxes:
    @given(AXES)
    def test_expansion_has_every_combination_once(self, axes: ToolchainAxes) -> None:
        expanded = axes.expand()

        assert len(expanded) == len(set(expanded)) == len(set(axes.compiler)) * len(set(axes.optimization))
        assert {(one.compiler, one.optimization) for one in expanded} == {
            (compiler, optimization) for compiler in axes.compiler for optimization in axes.optimization
        }

    def test_one_value_needs_no_list(self) -> None:
        assert ToolchainAxes.model_validate({"compiler": "clang"}) == ToolchainAxes(compiler=["clang"])


class TestPlan:
    def test_equal_toolchains_of_several_axes_are_one(self) -> None:
        plan = Plan.model_validate(PLAN | {"toolchains": [{"optimization": ["O2", "O3"]}, {"optimization": "O2"}]})

        assert [toolchain.optimization for toolchain in plan.all_toolchains()] == ["O2", "O3"]

    def test_number_of_toolchains_is_limited(self) -> None:
        axes = {"compiler": ["gcc"] * (MAX_TOOLCHAINS + 1)}
        with pytest.raises(ValidationError, match=str(MAX_TOOLCHAINS + 1)):
            Plan.model_validate(PLAN | {"toolchains": [axes]})
