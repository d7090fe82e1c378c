"""Plans: a matrix has the inputs of its protocol, axes expand to distinct toolchains, limits agree with one another."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from orchestrator.wire.plans import MAX_TOOLCHAINS, Matrix, Plan, ToolchainAxes
from tests.support.wire_messages import returned

MATRIX: dict[str, Any] = {"providers": ["*"], "algorithms": ["aes-*"], "inputs": {"sizes": ["1 KiB"]}}
LATENCY: dict[str, Any] = {
    "providers": ["own"],
    "algorithms": ["*"],
    "protocol": "latency",
    "messages": {"lengths": [0]},
}
PLAN: dict[str, Any] = {"version": 1, "name": "quick", "repetitions": 3, "matrix": [MATRIX]}
AXES = st.builds(
    ToolchainAxes,
    compiler=st.lists(st.sampled_from(["gcc", "clang", "icpx"]), min_size=1, max_size=4),
    optimization=st.lists(st.sampled_from(["O2", "O3", "Os"]), min_size=1, max_size=4),
    link=st.sampled_from(["dynamic", "static"]),
)


class TestMatrix:
    @pytest.mark.parametrize("fields", [MATRIX, LATENCY])
    def test_protocol_decides_the_inputs(self, fields: dict[str, Any]) -> None:
        matrix = Matrix.model_validate(fields)

        assert returned(matrix) == matrix

    @pytest.mark.parametrize(
        "fields",
        [MATRIX | {"inputs": None}, MATRIX | {"messages": {"lengths": [1]}}, MATRIX | {"protocol": "latency"},
         LATENCY | {"protocol": "process"}, LATENCY | {"messages": {"lengths": []}}, MATRIX | {"providers": []},
         LATENCY | {"messages": {"lengths": [-1]}}, LATENCY | {"messages": {"lengths": [16], "timings": 1001}},
         LATENCY | {"messages": {"lengths": [16], "fill": "ones"}},
         MATRIX | {"algorithms": ["aes;id"]}, MATRIX | {"copies": 0}],
    )  # fmt: skip
    def test_inputs_of_the_other_protocol_are_refused(self, fields: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            Matrix.model_validate(fields)


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

    @pytest.mark.parametrize(
        "change",
        [{"version": 2}, {"name": "Quick"}, {"repetitions": 0}, {"matrix": []}, {"priority": 10}, {"seed": -1},
         {"precision": {"relative_interval": 0.01, "max_repetitions": 2}}, {"memory_repetitions": 4},
         {"repetitions": 5, "shell_repetitions": 6}, {"repetitions": 5, "blocked_repetitions": 6},
         {"timeout_seconds": 0}, {"architectures": ["x86-64"]}, {"unknown": 1}],
    )  # fmt: skip
    def test_contradictions_and_unknown_keys_are_refused(self, change: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            Plan.model_validate(PLAN | change)

    def test_memory_measured_apart_has_its_own_repetitions(self) -> None:
        assert Plan.model_validate(PLAN | {"memory": "apart", "memory_repetitions": 4}).memory_repetitions == 4
