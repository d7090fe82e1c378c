"""Plans with versions of libraries: which builds execute which providers, and what agents lack."""

from typing import Any

import pytest

from orchestrator.runs.planning.expansion import Expansion
from orchestrator.runs.planning.offers import AgentOffer, BuildOffer, FailedBuild
from orchestrator.runs.planning.planner import expand
from orchestrator.shared.errors import PlanRefused
from orchestrator.wire.builds import BuildLibrary, Toolchain
from orchestrator.wire.plans import MAX_TOOLCHAINS
from tests.support.plans import RUNNERS, agent, chunks, implementation, matrix, plan

BOTAN = (
    implementation("aes-128-ctr", "library", default=True),
    implementation("salsa20-256", None, reason="no Salsa20"),
)
DEFAULT = BuildOffer(1, {**RUNNERS, "botan": BOTAN})
VERSIONS = {"botan": ("2.19.3", "2.19.3+lto", "3.5.0"), "nettle": ("3.8.1",)}


def toolchain(version: str, **given: Any) -> Toolchain:
    return Toolchain(library=BuildLibrary(provider="botan", version=version), **given)


def device(**given: Any) -> AgentOffer:
    return agent(**{"build": DEFAULT, "library_versions": VERSIONS, **given})


def expanded(libraries: dict[str, Any], *matrices: dict[str, Any], agents: Any = None, **given: Any) -> Expansion:
    found = matrices or (matrix(["botan", "own"], ["aes-128-ctr"]),)
    return expand(plan(*found, libraries=libraries, **given), agents or [device()], chunks())


def executed(expansion: Expansion) -> list[tuple[str, str]]:
    return [
        (one.implementation.provider, one.build.toolchain.words if one.build.toolchain else "default")
        for one in expansion.cases
    ]


def test_each_selected_version_is_a_build_and_others_use_the_default_build() -> None:
    expansion = expanded({"botan": ["2.19", "3.*"]})

    assert executed(expansion) == [
        ("own", "default"), ("botan", "gcc -O2 botan 2.19.3"), ("botan", "gcc -O2 botan 2.19.3+lto"),
        ("botan", "gcc -O2 botan 3.5.0"),
    ]  # fmt: skip
    assert expansion.omissions == ()
    (builds,) = expansion.build_ids().values()
    assert builds == {toolchain(version): None for version in VERSIONS["botan"]}


def test_versions_are_combined_with_the_native_toolchains() -> None:
    toolchains = [{"compiler": ["gcc", "cpython"], "optimization": ["O2", "O3"]}]

    expansion = expanded({"botan": "3"}, toolchains=toolchains)

    assert executed(expansion) == [
        ("own", "gcc -O2"), ("own", "gcc -O3"), ("botan", "gcc -O2 botan 3.5.0"),
        ("botan", "gcc -O3 botan 3.5.0"),
    ]  # fmt: skip


def test_version_that_no_agent_has_is_an_omission_with_those_it_has() -> None:
    expansion = expanded({"botan": ["2.18", "3.*"]})

    (omission,) = expansion.omissions
    assert (omission.provider, omission.executions) == ("botan", 2)
    assert omission.reason.startswith("pi has no version 2.18 of botan; it has 2.19.3, 2.19.3+lto, 3.5.0.")
    assert "ciphermark daemon libraries add botan" in omission.reason


def test_built_version_is_planned_from_its_own_list() -> None:
    rows = (implementation("aes-128-ctr", None, reason="this build of Botan has no AES"),)
    built = {toolchain("3.5.0"): BuildOffer(7, {"botan": rows})}

    expansion = expanded({"botan": ["2.19.3", "3.5.0"]}, agents=[device(builds=built)])

    assert ("botan", "gcc -O2 botan 3.5.0") not in executed(expansion)
    (omission,) = expansion.omissions
    assert omission.reason == "With gcc -O2 botan 3.5.0: this build of Botan has no AES"


def test_what_all_versions_lack_is_omitted_once() -> None:
    expansion = expanded({"botan": "*"}, matrix(["botan", "own"], ["salsa20-256", "aes-128-ctr"]))

    assert sorted((one.provider or "", one.reason, one.executions) for one in expansion.omissions) == [
        ("botan", "no Salsa20", 6), ("own", "own has no Salsa20 yet", 2),
    ]  # fmt: skip


def test_failed_build_of_a_version_skips_its_cases_alone() -> None:
    failed = {toolchain("3.5.0"): FailedBuild(9, "botan 3.5.0: the header was not found")}

    expansion = expanded({"botan": "*"}, agents=[device(builds=failed)])

    reasons = {one.build.toolchain.words: one.build.failure for one in expansion.cases if one.build.toolchain}
    assert reasons == {
        "gcc -O2 botan 2.19.3": None,
        "gcc -O2 botan 2.19.3+lto": None,
        "gcc -O2 botan 3.5.0": "botan 3.5.0: the header was not found",
    }


def test_library_without_a_build_is_expected_to_have_the_algorithms_of_own_ciphers() -> None:
    bare = device(build=BuildOffer(1, RUNNERS, {"botan": "the header was not found"}))

    expansion = expanded({"botan": "3"}, matrix(["botan"], ["*"]), agents=[bare])

    assert [(one.implementation.algorithm, one.implementation.variant) for one in expansion.cases] == [
        ("aes-128-ctr", "library"), ("chacha20-256", "library"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("libraries", "message"),
    [
        ({"own": "1"}, "own has no versions"),
        ({"python": "3"}, "python has no versions"),
        ({"bottan": "1"}, "Unknown library 'bottan'"),
        ({"cryptopp": "8"}, "names versions of cryptopp, which no matrix selects"),
    ],
)
def test_name_that_selects_nothing_is_refused(libraries: dict[str, str], message: str) -> None:
    with pytest.raises(PlanRefused, match=message) as caught:
        expanded(libraries)
    assert str(caught.value.field).startswith("libraries.")


def test_library_needs_a_native_toolchain() -> None:
    expansion = expanded(
        {"botan": "3"}, matrix(["botan", "python"], ["aes-128-ctr"]), toolchains=[{"compiler": "cpython"}]
    )

    (omission,) = expansion.omissions
    assert omission.reason == "botan is made by native compilers; the plan's toolchains have none."


def test_too_many_builds_are_refused() -> None:
    many = device(library_versions={"botan": tuple(f"3.{minor}" for minor in range(MAX_TOOLCHAINS + 1))})

    with pytest.raises(PlanRefused, match=f"needs {MAX_TOOLCHAINS + 1} builds of library versions on pi"):
        expanded({"botan": "3"}, agents=[many])
