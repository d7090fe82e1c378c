"""``ciphermark runners`` on a cache of its own, with the stand-in runners in it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestrator.daemon.builds.compilation.build import build
from orchestrator.daemon.builds.compilation.steps import BuildObserver
from orchestrator.wire.builds import Toolchain
from tests.integration.daemon.test_builder import SOURCE


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with one build in it."""
    folder = tmp_path_factory.mktemp("cache")
    build(SOURCE, Toolchain(compiler="clang", optimization="O1"), folder, BuildObserver(lambda _: None))
    return folder


def runners(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "orchestrator.cli.main", "runners", *arguments]
    environment = os.environ | {"CIPHERMARK_CACHE_FOLDER": str(cache), "COLUMNS": "120"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def told(cache: Path, *arguments: str) -> list[dict[str, Any]]:
    ended = runners(cache, *arguments, "--json")
    assert ended.returncode == 0, ended.stderr
    documents: list[dict[str, Any]] = json.loads(ended.stdout)
    return documents


class TestBuild:
    def test_a_hostile_flag_is_a_wrong_command_line(self, tmp_path: Path) -> None:
        ended = runners(tmp_path, "build", "--march", "@file")

        assert ended.returncode == 2
        assert "march is '@file'" in ended.stderr

    def test_a_compiler_that_is_not_here_is_told_with_its_package(self, tmp_path: Path) -> None:
        ended = runners(tmp_path, "build", "--compiler", "clang", "--compiler-version", "3")

        assert ended.returncode == 12
        assert "clang 3 is not on this machine" in ended.stderr
        assert "apt-get install clang-3" in ended.stderr


class TestList:
    def test_it_says_how_each_build_was_made(self, cache: Path) -> None:
        (document,) = told(cache, "list")

        assert document["toolchain_words"] == "clang -O1"
        assert " -O1 " in document["compile_commands"]["ciphers"]
        assert Path(document["runners"]["own"]).is_file()
        assert "clang -O1 (" in runners(cache, "list").stdout


class TestFootprint:
    def test_what_the_linker_and_the_stack_told_stands_side_by_side(self, cache: Path) -> None:
        (document,) = told(cache, "footprint", "chacha*")

        assert document["code_bytes"] == 512
        assert document["decrypt_stack_bytes"] == 224
        (row,) = [line for line in runners(cache, "footprint").stdout.splitlines() if "chacha20-256" in line]
        assert row.split() == ["own", "chacha20-256", "ref", "512", "0", "64", "16", "208", "224"]

    def test_an_unknown_algorithm_ends_with_4(self, cache: Path) -> None:
        assert runners(cache, "footprint", "rot13").returncode == 4
