"""Fixture that executes `ciphermark measure` with a cache that has the programs of this checkout."""

import importlib
import json
import multiprocessing
import os
import sys
import tempfile
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
        folder = Path(tempfile.mkdtemp(dir=tmp_path.parent))
        environment = {**os.environ, "CIPHERMARK_CACHE_FOLDER": str(cache_folder), "COLUMNS": "80", **variables}
        child = _FRESH.Process(target=_execute, args=(arguments, (tmp_path, folder), missing, environment))
        child.start()
        child.join(120)
        assert child.exitcode is not None, "it does not end"
        return Ended(child.exitcode, (folder / "stdout").read_text(), (folder / "stderr").read_text())

    return execute


@pytest.fixture
def refused_measure(cache_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Measure:
    """Return a function that executes the command in this process, for arguments with which it starts no program."""
    monkeypatch.chdir(tmp_path)

    def execute(*arguments: str) -> Ended:
        done = executed({**os.environ, "CIPHERMARK_CACHE_FOLDER": str(cache_folder)}, "measure", *arguments)
        return Ended(done.returncode, done.stdout, done.stderr)

    return execute


_FRESH = multiprocessing.get_context("forkserver")
"""Context that forks processes from a server with the common imports, which has executed nothing else."""
_FRESH.set_forkserver_preload(["orchestrator.cli.main", "orchestrator.cli.commands.measure"])


def _execute(
    arguments: Sequence[str], folders: tuple[Path, Path], missing: Sequence[str], environment: dict[str, str]
) -> None:
    """Execute the command in the first folder with its output in the second."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folders[0])
    for number, name in enumerate(("/dev/null", "stdout", "stderr")):
        os.dup2(os.open(folders[1] / name, os.O_RDWR | os.O_CREAT), number)
    sys.modules.update(dict.fromkeys(missing))  # type: ignore[arg-type]  # None: it cannot be imported
    sys.argv = ["ciphermark", "measure", *arguments]
    importlib.import_module("orchestrator.cli.main").main()
