"""Plans with toolchains of languages: which builds execute which providers."""

from typing import Any

import pytest

from orchestrator.runs.planning.expansion import Expansion
from orchestrator.runs.planning.offers import AgentOffer, BuildOffer, OfferedImplementation
from orchestrator.runs.planning.plan import validate
from orchestrator.runs.planning.planner import expand
from orchestrator.shared.errors import PlanRefused
from orchestrator.wire.builds import Toolchain

GCC, CPYTHON = Toolchain(), Toolchain(compiler="cpython")


def row(variant: str, *, default: bool = True) -> OfferedImplementation:
    return OfferedImplementation(
        "simon-128-256-ecb", variant, available=True, default=default, proved=True, kind="block-mode", block_bytes=16,
        whole_blocks_only=True,
    )  # fmt: skip


NATIVE = BuildOffer(1, {"own": (row("words"),)})


def expanded(toolchains: list[dict[str, Any]], providers: list[str], builds: Any = None) -> Expansion:
    plan = validate(
        {
            "version": 1,
            "name": "languages",
            "repetitions": 6,
            "toolchains": toolchains,
            "matrix": [
                {
                    "providers": providers,
                    "algorithms": ["simon-128-256-ecb"],
                    "protocol": "latency",
                    "messages": {"lengths": [16], "operations": ["encrypt"]},
                }
            ],
        }
    )
    agent = AgentOffer("a" * 12, "pi", "aarch64", build=NATIVE, builds=builds or {GCC: NATIVE})
    return expand(plan, [agent], {})


def executed(expansion: Expansion) -> list[tuple[str, str, str | None]]:
    return [
        (one.build.toolchain.compiler, one.implementation.provider, one.implementation.variant)
        for one in expansion.cases
    ]


def test_each_provider_is_executed_by_the_toolchains_of_its_language_only() -> None:
    expansion = expanded([{"compiler": ["gcc", "cpython"]}], ["own", "python"])

    assert executed(expansion) == [("gcc", "own", "words"), ("cpython", "python", "words")]
    assert expansion.omissions == ()


def test_native_provider_without_a_native_toolchain_is_omitted_with_the_reason() -> None:
    expansion = expanded([{"compiler": "cpython"}], ["own", "python"])

    assert executed(expansion) == [("cpython", "python", "words")]
    (omission,) = expansion.omissions
    assert omission.reason == "own is made by native compilers; the plan's toolchains have none."


@pytest.mark.parametrize("toolchains", [[], [{"compiler": "gcc"}]])
def test_language_without_a_toolchain_is_refused_with_the_one_to_add(toolchains: list[dict[str, Any]]) -> None:
    with pytest.raises(PlanRefused, match="no toolchain of Python, which 'python' needs") as caught:
        expanded(toolchains, ["own", "python"])

    assert "{compiler: cpython}" in str(caught.value.remedy)


def test_axes_of_compilers_apply_to_those_that_have_them() -> None:
    expansion = expanded([{"compiler": ["gcc", "cpython"], "optimization": ["O2", "O3"]}], ["own", "python"])

    assert [one[0] for one in executed(expansion)] == ["gcc", "gcc", "cpython"]


def test_option_that_no_compiler_of_the_axes_has_is_refused() -> None:
    with pytest.raises(PlanRefused, match="cpython cannot be used with march native"):
        expanded([{"compiler": "cpython", "march": "native"}], ["python"])
