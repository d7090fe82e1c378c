"""Prefixes that an operator registers: what must be in them, and the version they get."""

import stat
from pathlib import Path

import pytest

from orchestrator.compilation.libraries.prefixes import find_library, named_version
from orchestrator.compilation.libraries.versions import known_library
from orchestrator.shared.errors import SetupError
from tests.support.library_prefix import make_prefix

SODIUM = known_library("libsodium")


@pytest.mark.parametrize("lib", ["lib", "lib64", "lib/x86_64-linux-gnu"])
def test_library_is_found_with_its_version(tmp_path: Path, lib: str) -> None:
    prefix = make_prefix(tmp_path / "sodium", lib=lib)

    found = find_library(SODIUM, prefix)

    assert found.object_file == prefix / lib / "libsodium.so"
    assert (found.release, named_version(SODIUM, found, None, None)) == ("1.0.20", "1.0.20")
    assert named_version(SODIUM, found, None, "lto") == "1.0.20+lto"


def test_header_in_a_folder_of_the_library_is_found(tmp_path: Path) -> None:
    prefix = make_prefix(tmp_path / "botan", None, header="unused.h", name="botan-3")
    folder = prefix / "include" / "botan-3" / "botan"
    folder.mkdir(parents=True)
    (folder / "version.h").write_text("")

    assert find_library(known_library("botan"), prefix).object_file.name == "libbotan-3.so"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda prefix: (prefix / "include/sodium.h").unlink(), "include has no sodium.h"),
        (lambda prefix: (prefix / "lib/libsodium.so").unlink(), "has the header sodium.h, but none of libsodium.so"),
        (lambda prefix: prefix.chmod(0o777), "All users of this device can write"),
    ],
)
def test_incomplete_or_open_prefix_is_refused(tmp_path: Path, change: object, message: str) -> None:
    prefix = make_prefix(tmp_path / "sodium")
    assert callable(change)
    change(prefix)

    with pytest.raises(SetupError, match=message):
        find_library(SODIUM, prefix)
    prefix.chmod(stat.S_IRWXU)


def test_relative_or_missing_prefix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="is relative; expected an absolute folder"):
        find_library(SODIUM, Path("sodium"))
    with pytest.raises(SetupError, match="There is no folder"):
        find_library(SODIUM, tmp_path / "missing")


def test_library_without_a_version_needs_one(tmp_path: Path) -> None:
    found = find_library(SODIUM, make_prefix(tmp_path / "sodium", None))

    assert named_version(SODIUM, found, "1.0.18", None) == "1.0.18"
    with pytest.raises(SetupError, match="no pkg-config file") as caught:
        named_version(SODIUM, found, None, None)
    assert "--version" in str(caught.value.remedy)
    with pytest.raises(SetupError, match="is not a version"):
        named_version(SODIUM, found, "../18", None)


def test_version_must_be_that_of_the_pkg_config_file(tmp_path: Path) -> None:
    found = find_library(SODIUM, make_prefix(tmp_path / "sodium"))

    assert named_version(SODIUM, found, "1.0", None) == "1.0"
    with pytest.raises(SetupError, match=r"is that of libsodium 1\.0\.20, not 1\.0\.18"):
        named_version(SODIUM, found, "1.0.18", None)
