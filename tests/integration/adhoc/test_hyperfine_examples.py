"""Every command of docs/measuring-programs.md works as it is printed there.

Two replacements: executions are limited to two, and the page cache of the machine is not emptied.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.adhoc.conftest import Measure
from tests.support.paths import REPOSITORY

pytestmark = pytest.mark.long

PAGE = (REPOSITORY / "docs" / "measuring-programs.md").read_text(encoding="utf-8")
DROP_CACHES = "sudo tee /proc/sys/vm/drop_caches"
NUMBER_OPTIONS = {"--runs", "--min-runs"}
REPLACED = {"hexdump": "od", "xxd": "od", "clang": "gcc", "bzip2": "gzip -S .bz2", "zsh": "bash"}
"""Program → what is executed under its name where it is not installed."""


def commands() -> Iterator[str]:
    """Yield each command of the page; one may continue in the next line."""
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
        yield from re.split(r"\n(?=ciphermark |#)|\n\Z", re.sub(r"^#.*\n", "", block, flags=re.MULTILINE))


[IN_BASH] = [command for command in commands() if command.startswith("bash -c ")]
COMMANDS = [command for command in commands() if command not in ("", IN_BASH)]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Fill the folder in which the command is executed."""
    (tmp_path / "file").write_text("one\nTODO two\n" * 100)
    (tmp_path / "main.cpp").write_text("int main() { return 0; }\n")
    (tmp_path / "Makefile").write_text("all:\n\ttouch made\nclean:\n\trm -f made\n")
    (tmp_path / "my_alias.sh").write_text("alias my_alias='sleep 0.1'\n")
    return tmp_path


@pytest.fixture
def search_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a PATH on which every program of the page is found."""
    folder = tmp_path_factory.mktemp("programs")
    for name, other in REPLACED.items():
        if shutil.which(name) is None:
            (folder / name).write_text(f'#!/bin/sh\nexec {other} "$@"\n')
            (folder / name).chmod(0o755)
    return f"{os.environ['PATH']}:{folder}"


def test_page_has_the_commands_of_every_section() -> None:
    assert len(COMMANDS) >= 25
    assert all(command.startswith("ciphermark measure ") for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_command_of_the_page_works(measure: Measure, files: Path, search_path: str, command: str) -> None:
    words = shlex.split(command.replace(DROP_CACHES, "tee dropped"))[2:]
    number = [] if NUMBER_OPTIONS & set(words) else ["-n", "2"]

    ended = measure(*number, *words, PATH=search_path)

    assert ended.code == 0, ended.stderr
    assert "median" in ended.stdout
    assert ("hello" in ended.stdout) == ("--show-output" in words)
    for word in words:
        if word.startswith("results."):
            assert (files / word).stat().st_size > 50
    left = {"dropped"} if DROP_CACHES in command else set()
    assert left <= {path.name for path in files.iterdir()}
    assert not (files / "work").exists()


def test_function_that_bash_exports_is_measured(cache_folder: Path, files: Path) -> None:
    """The launcher passed no variable with a line feed, so the function was unknown to the program's shell."""
    environment = os.environ | {
        "CIPHERMARK_CACHE_FOLDER": str(cache_folder),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }

    ended = subprocess.run(
        ["bash", "-ec", IN_BASH.replace("ciphermark measure", "ciphermark measure -n 2 --no-padding")],
        cwd=files, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert ended.returncode == 0, ended.stderr
    assert "my_function" in ended.stdout
    assert "not passed on" not in ended.stdout + ended.stderr
