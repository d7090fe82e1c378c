"""Versions of libraries in plans: patterns, and what is refused."""

from typing import Any

import pytest

from orchestrator.runs.planning.plan import validate
from orchestrator.shared.errors import PlanRefused
from orchestrator.shared.values.library_versions import is_same_release, is_selected
from orchestrator.wire.builds import BuildLibrary, Toolchain

PLAN = {
    "version": 1, "name": "versions", "repetitions": 2,
    "matrix": [{"providers": ["botan"], "algorithms": ["aes-128-ctr"], "inputs": {"sizes": ["1 KiB"]}}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("version", "pattern", "selected"),
    [
        ("2.19.3", "2.19", True), ("2.19.3", "2.19.*", True), ("2.190", "2.19", False), ("3.10", "3.1", False),
        ("1.1.1w", "1.1", True), ("1.1.1w", "1.1.1", False), ("2.19.3+lto", "2.19", True), ("2.19.3", "2+lto", False),
        ("2.19.3", "2.19.3.1", False), ("8", "*", True),
    ],
)  # fmt: skip
def test_pattern_matches_whole_numbers(version: str, pattern: str, selected: bool) -> None:
    assert is_selected(version, pattern) == selected


def test_library_may_report_fewer_numbers_than_its_name_has() -> None:
    assert is_same_release("3.8", "3.8.1+lto")
    assert not is_same_release("3.8.2", "3.8.1")


@pytest.mark.parametrize(
    ("libraries", "message"),
    [
        ({"botan": ["/opt/botan"]}, "a plan contains no path"),
        ({"botan": "../botan"}, "a plan contains no path"),
        ({"botan": 3.10}, "a version in quotes"),
        ({"botan": [3]}, "a version in quotes"),
        ({"botan": []}, "expected 1 or more entries"),
        ({"botan": "2.19; rm"}, "the first numbers of a version"),
        ({"../botan": "3"}, "expected lower-case letters and digits"),
    ],
)
def test_path_or_number_is_refused(libraries: Any, message: str) -> None:
    with pytest.raises(PlanRefused, match="libraries") as caught:
        validate({**PLAN, "libraries": libraries})
    assert message in str(caught.value)


def test_single_pattern_is_a_list_of_one() -> None:
    assert validate({**PLAN, "libraries": {"botan": "3.*"}}).libraries == {"botan": ["3.*"]}


def test_toolchain_without_a_library_keeps_its_document_and_key() -> None:
    # The key of version 0.2, by which builds and requests in databases and caches of agents are found.
    assert Toolchain().key == "6e434eccaa073ff3624a9de91479daf70a009dadf9e144791791647b441d4450"
    assert "library" not in Toolchain().model_dump(mode="json")
    choice = BuildLibrary(provider="botan", version="3.5.0")
    assert Toolchain(library=choice).key != Toolchain().key
    assert Toolchain.model_validate(Toolchain(library=choice).model_dump(mode="json")).library == choice


@pytest.mark.parametrize("version", ["/opt", "1/2", "1..2", "", "v1", "1 2", "1+", "1+LTO"])
def test_daemon_refuses_an_order_with_another_text_as_version(version: str) -> None:
    with pytest.raises(ValueError, match="version"):
        Toolchain.model_validate({"library": {"provider": "botan", "version": version}})
