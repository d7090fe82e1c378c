"""Fixture that executes `ciphermark measure` with a cache that has the programs of this checkout."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from orchestrator.compilation.native.build import install_prebuilt
from tests.integration.native.conftest import programs  # noqa: F401 - a fixture
from tests.support.commands import executed


@dataclass(frozen=True)
class Ended:
    """Outcome of a command."""

    code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> dict[str, Any]:
        """JSON output of the command."""
        assert self.code == 0, self.stderr
        document: dict[str, Any] = json.loads(self.stdout)
        return document


Measure = Callable[..., Ended]


@pytest.fixture(scope="session")
def cache_folder(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811
    folder = tmp_path_factory.mktemp("cache")
    install_prebuilt(programs, folder)
    return folder


@pytest.fixture
def measure(cache_folder: Path, tmp_path: Path) -> Measure:
    """Return a function that executes the command in an empty folder, in a process of its own.

    missing: Python packages that are not installed there; variables: added to the environment.
    """

    def execute(*arguments: str, missing: Sequence[str] = (), **variables: str) -> Ended:
        environment = {**os.environ, "CIPHERMARK_CACHE_FOLDER": str(cache_folder), "COLUMNS": "80", **variables}
        command = (sys.executable, "-c", _MAIN, ",".join(missing), "measure", *arguments)
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, env=environment, cwd=tmp_path, input="", timeout=120
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return execute


@pytest.fixture
def refused_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Measure:
    """Return a function that executes the command in this process, with an empty cache: it starts no program."""
    monkeypatch.chdir(tmp_path)

    def execute(*arguments: str) -> Ended:
        done = executed({**os.environ, "CIPHERMARK_CACHE_FOLDER": str(tmp_path / "cache")}, "measure", *arguments)
        return Ended(done.returncode, done.stdout, done.stderr)

    return execute


_MAIN = """import sys
sys.modules.update(dict.fromkeys(sys.argv.pop(1).split(",")))  # None: it cannot be imported
from orchestrator.cli.main import main
main()"""
