"""Processes that replace a command's process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.seldom import seldom

PROBE = "import json, sys; print(json.dumps([sys.argv[1:], sys.flags.optimize, sys.flags.safe_path]))"
BECOME = (
    "import sys; sys.path.remove(''); from orchestrator.cli.processes import lean; lean.become('probe', 'a', 'b'{})"
)

INHERITED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "probe.py").write_text(PROBE)
    (tmp_path / "probe.py").write_text("raise SystemExit('the working folder is not searched for modules')")
    return tmp_path


def become(folder: Path, options: str = "", **variables: str) -> list[object]:
    environment = INHERITED | {"PYTHONPATH": str(folder / "modules")} | variables
    command = [sys.executable, "-c", BECOME.format(options)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    found: list[object] = json.loads(done.stdout)
    return found


def test_process_has_the_arguments_and_does_not_search_the_working_folder(folder: Path) -> None:
    assert become(folder) == [["a", "b"], 0, True]


def test_docstrings_are_left_out_where_bytecode_is_kept(folder: Path) -> None:
    cache = folder / "cache"
    cache.mkdir()
    code = "import sys; from orchestrator.cli.processes import lean; print(lean.keeps_bytecode())"
    variables = INHERITED | {"PYTHONPYCACHEPREFIX": str(cache)}
    subprocess.run([sys.executable, "-OO", "-c", code], env=variables, check=True, capture_output=True)

    assert become(folder, ", without_docstrings=True", PYTHONPYCACHEPREFIX=str(cache))[1] == 2


@pytest.mark.long
@pytest.mark.parametrize(
    "variables", [{"PYTHONDONTWRITEBYTECODE": "1"}, *seldom({"PYTHONPYCACHEPREFIX": "/dev/null/none"})]
)
def test_docstrings_stay_where_every_start_would_compile_all_modules(folder: Path, variables: dict[str, str]) -> None:
    cache = folder / "empty"
    cache.mkdir()

    options = ", without_docstrings=True"
    assert become(folder, options, **({"PYTHONPYCACHEPREFIX": str(cache)} | variables))[1] == 0
