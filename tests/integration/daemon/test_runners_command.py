"""``ciphermark runners`` with a separate cache of small substitute runners."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from orchestrator.compilation.native.build import build
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.wire.builds import Toolchain
from tests.integration.daemon.test_builder import SOURCE
from tests.support.commands import executed


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that contains one build."""
    folder = tmp_path_factory.mktemp("cache")
    build(SOURCE, Toolchain(compiler="clang", optimization="O1"), folder, BuildObserver(lambda _: None))
    return folder


def runners(cache: Path, *arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"CIPHERMARK_CACHE_FOLDER": str(cache), "COLUMNS": "120"}
    if path is not None:
        environment["PATH"] = path
    return executed(environment, "runners", *arguments)


def output(cache: Path, *arguments: str) -> list[dict[str, Any]]:
    ended = runners(cache, *arguments, "--json")
    assert ended.returncode == 0, ended.stderr
    documents: list[dict[str, Any]] = json.loads(ended.stdout)
    return documents


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("build", "--march", "@file"), "march is '@file'"),
        (("cross-build", "--march", "armv8-a"), "need one --machine"),
        (("cross-build", "--sources", "missing.list"), "is not a file"),
    ],
)
def test_impossible_option_is_a_usage_error(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    ended = runners(tmp_path, *arguments)
    assert ended.returncode == 2
    assert message in ended.stderr


@pytest.mark.parametrize("command", ["sizes", "constant-time"])
def test_unknown_algorithm_exits_with_4(cache: Path, command: str) -> None:
    ended = runners(cache, command, "rot13")
    assert (ended.returncode, "ciphermark runners sizes" in ended.stderr) == (4, True)


class TestBuild:
    def test_missing_compiler_is_reported_with_its_package(self, tmp_path: Path) -> None:
        ended = runners(tmp_path, "build", "--compiler", "clang", "--compiler-version", "3")

        assert ended.returncode == 12
        assert "clang 3 is not installed" in ended.stderr
        assert "apt-get install clang-3" in ended.stderr


class TestVerify:
    def test_number_of_passed_known_answers_is_shown(self, cache: Path) -> None:
        ended = runners(cache, "verify")

        assert ended.returncode == 0, ended.stdout
        assert "1 of 1 implementations pass" in ended.stdout
        (proof,) = output(cache, "verify")
        assert proof["passed"] is True


class TestCrossBuild:
    def test_missing_cross_compiler_is_reported_with_its_package(self, tmp_path: Path) -> None:
        ended = runners(tmp_path, "cross-build", "--machine", "armhf", path=str(tmp_path))

        assert ended.returncode != 0
        assert "apt-get install" in ended.stderr
        assert "g++-arm-linux-gnueabihf" in ended.stderr
        assert not (tmp_path / "sysroots").exists()


class TestList:
    def test_list_shows_how_each_build_was_made(self, cache: Path) -> None:
        (document,) = output(cache, "list")

        assert document["toolchain_words"] == "clang -O1"
        assert " -O1 " in document["compile_commands"]["ciphers"]
        assert Path(document["runners"]["own"]).is_file()
        assert "clang -O1 (" in runners(cache, "list").stdout


class TestFootprint:
    def test_footprint_shows_code_size_and_stack(self, cache: Path) -> None:
        (document,) = output(cache, "sizes", "chacha*")

        assert document["code_bytes"] == 512
        assert document["stack_bytes"]["decrypt"] == 224
        (row,) = [line for line in runners(cache, "sizes").stdout.splitlines() if "chacha20-256" in line]
        assert row.split() == ["own", "chacha20-256", "ref", "512", "—", "0", "64", "16", "208", "224"]

    def test_progress_of_a_measurement_goes_to_standard_error(self, cache: Path) -> None:
        for stored in cache.glob("builds/*/footprints.json"):
            stored.unlink()
        assert re.search(r"\d s  footprint: ", runners(cache, "sizes").stderr)

    def test_sizes_fit_a_narrow_terminal(self, cache: Path) -> None:
        ended = executed(os.environ | {"CIPHERMARK_CACHE_FOLDER": str(cache), "COLUMNS": "70"}, "runners", "sizes")
        assert "Left out in this width: constants" in ended.stdout


class TestConstantTime:
    def test_program_without_the_command_is_not_checked_with_its_reason(self, cache: Path) -> None:
        (document,) = output(cache, "constant-time", "chacha*")
        assert (document["errors"], document["t"]) == (None, None)
        assert document["reason"]
        assert document["timing_reason"]
        text = runners(cache, "constant-time").stdout
        assert "Not checked: " in text
