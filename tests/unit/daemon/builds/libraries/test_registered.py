"""The list of registered library versions, and the one that a build order names."""

from pathlib import Path

import pytest

from orchestrator.compilation.libraries.registered import (
    RegisteredLibrary,
    read_registered,
    register,
    unregister,
    usable_registered,
)
from orchestrator.compilation.libraries.versions import buildable_versions, chosen_library, known_library
from orchestrator.compilation.native.build import check_library
from orchestrator.compilation.native.cmake import OnlyLibrary
from orchestrator.daemon.machine.inventory import RegisteredVersions, take_inventory
from orchestrator.shared.errors import BuildFailed, SetupError
from orchestrator.wire.builds import BuildLibrary, BuildReport
from tests.support.library_prefix import make_prefix

ONE = RegisteredLibrary(provider="libsodium", version="1.0.20", prefix="/opt/sodium")


def test_registered_libraries_are_kept_until_they_are_removed(tmp_path: Path) -> None:
    file = tmp_path / "libraries.json"

    register(file, ONE, None)
    register(file, ONE, None)

    assert read_registered(file) == [ONE]
    assert file.stat().st_mode & 0o777 == 0o600
    assert unregister(file, "libsodium", "1.0.20") == ONE
    assert read_registered(file) == []


def test_taken_name_is_refused_with_the_label_as_the_remedy(tmp_path: Path) -> None:
    file = tmp_path / "libraries.json"
    register(file, ONE, None)

    with pytest.raises(SetupError, match="registered already: /opt/sodium") as caught:
        register(file, ONE.model_copy(update={"prefix": "/opt/other"}), None)
    assert "--label" in str(caught.value.remedy)
    with pytest.raises(SetupError, match="registered already: the distribution"):
        register(file, ONE.model_copy(update={"version": "1.0.18"}), "1.0.18")
    assert read_registered(file) == [ONE]


def test_removing_an_unknown_version_lists_the_known_ones(tmp_path: Path) -> None:
    file = tmp_path / "libraries.json"
    register(file, ONE, None)

    with pytest.raises(SetupError, match="libsodium 2 is not registered") as caught:
        unregister(file, "libsodium", "2")
    assert "libsodium 1.0.20" in str(caught.value.remedy)


def test_damaged_list_is_reported_to_the_operator_and_empty_for_the_daemon(tmp_path: Path) -> None:
    file = tmp_path / "libraries.json"
    file.write_text('[{"provider": "../x", "version": "1", "prefix": "/"}]')

    with pytest.raises(SetupError, match="is damaged"):
        read_registered(file)
    assert usable_registered(file) == []


def test_versions_are_the_distributions_and_registered_ones_in_order() -> None:
    registered = [
        RegisteredLibrary(provider=provider, version=version, prefix="/opt")
        for provider, version in (
            ("botan", "2.19.10"),
            ("botan", "2.19.3"),
            ("nettle", "3.10"),
            ("botan", "2.19.3+lto"),
        )
    ]

    assert buildable_versions({"botan": "2.19.3", "openssl": "3.0.17"}, registered) == {
        "botan": ["2.19.3", "2.19.3+lto", "2.19.10"],
        "nettle": ["3.10"],
        "openssl": ["3.0.17"],
    }


def test_order_names_a_registered_prefix(tmp_path: Path) -> None:
    prefix, file = make_prefix(tmp_path / "sodium"), tmp_path / "libraries.json"
    register(file, ONE.model_copy(update={"prefix": str(prefix)}), None)

    chosen = chosen_library(BuildLibrary(provider="libsodium", version="1.0.20"), file)

    assert chosen == OnlyLibrary("libsodium", "1.0.20", prefix, prefix / "lib/libsodium.so")


def test_order_of_an_unknown_version_fails_with_those_of_the_device(tmp_path: Path) -> None:
    file = tmp_path / "libraries.json"
    register(file, ONE.model_copy(update={"provider": "bearssl"}), None)

    with pytest.raises(BuildFailed, match=r"no bearssl 9.9; it has 1.0.20") as caught:
        chosen_library(BuildLibrary(provider="bearssl", version="9.9"), file)
    assert "daemon libraries add bearssl" in str(caught.value.remedy)


def test_order_whose_prefix_was_removed_fails_with_the_reason(tmp_path: Path) -> None:
    file = tmp_path / "libraries.json"
    register(file, ONE.model_copy(update={"prefix": str(tmp_path / "gone")}), None)

    with pytest.raises(BuildFailed, match=r"libsodium 1\.0\.20: There is no folder"):
        chosen_library(BuildLibrary(provider="libsodium", version="1.0.20"), file)


def test_only_libraries_with_a_runner_are_known() -> None:
    with pytest.raises(SetupError, match="no runner of 'libfoo'") as caught:
        known_library("libfoo")
    assert "botan" in str(caught.value.remedy)


def test_running_daemon_notices_a_new_version(tmp_path: Path) -> None:
    file = tmp_path / "libraries.json"
    versions, first = RegisteredVersions(file), take_inventory(0)
    assert versions.update(first) is first

    register(file, ONE.model_copy(update={"version": "9.9"}), None)
    second = versions.update(first)

    assert "9.9" in second.inventory.library_versions["libsodium"]
    assert second.sha256 != first.sha256
    assert versions.update(second) is second


def build_report(version: str, headers_version: str, library_path: str | None) -> BuildReport:
    listing = {
        "protocol": 2, "provider": "libsodium", "version": version,
        "build": {"headers_version": headers_version}, "implementations": [],
    }  # fmt: skip
    runner = {
        "provider": "libsodium", "sha256": "0" * 64, "size_bytes": 1, "library_path": library_path, "listing": listing,
    }  # fmt: skip
    return BuildReport.model_validate(
        {
            "build_key": "0" * 64, "source_sha256": None, "toolchain": {}, "compiler_version": "g++",
            "runners": [runner],
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("report", "message"),
    [
        (build_report("1.0.18", "1.0.20", "/usr/lib/libsodium.so.23"), r"loads version 1.0.18 \(/usr/lib/libsodium"),
        (build_report("1.0.20", "1.0.18", "/opt/sodium/lib/libsodium.so"), "with the headers of version 1.0.18"),
        (build_report("1.0.20", "1.0.20", "/usr/lib/libsodium.so.26"), "expected a library below /opt/sodium"),
    ],
)
def test_runner_of_another_version_is_a_failed_build(report: BuildReport, message: str) -> None:
    with pytest.raises(BuildFailed, match=message):
        check_library(report, OnlyLibrary("libsodium", "1.0.20+lto", Path("/opt/sodium")))


def test_runner_of_the_requested_version_is_accepted() -> None:
    for path in ("/opt/sodium/lib/libsodium.so.26", None):
        check_library(build_report("1.0", "1.0.20", path), OnlyLibrary("libsodium", "1.0.20", Path("/opt/sodium")))
